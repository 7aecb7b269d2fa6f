// Package port has what the engine asks of its surroundings: connectors that drive adapters, a store, metrics and a clock.
//
// StoreOf is a store as one room sees it, and Narrow gives a room that view. The rooms declare their own Reader and Tx.
//
// Rooms above approval may import port, and so do the packages that implement it. It must never import a room that has a store.
package port
