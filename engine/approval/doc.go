// Package approval has what an operator approved of an adapter's reach: hosts, and where card data and credentials may stand.
//
// Rooms above payment may import approval. It is pure.
package approval
