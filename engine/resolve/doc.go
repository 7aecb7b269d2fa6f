// Package resolve is the loop that finds the open operations that are due, and shares a node's time between connector accounts.
//
// It claims operations and decides nothing about them: Loop.Resolve does. A processor that does not answer delays only its own operations.
//
// Of the rooms, engine alone imports resolve. It must never end an operation.
package resolve
