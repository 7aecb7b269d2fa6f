// Package port declares what the engine needs from its surroundings: connectors that drive adapters, a store, metrics and a clock.
//
// StoreOf is one room's view of a store, and Narrow makes that view. The rooms declare their own Reader and Tx.
//
// Any higher room may import port, and so may the packages that implement it. It must never import a room that has a store.
package port
