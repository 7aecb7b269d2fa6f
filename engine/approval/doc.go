// Package approval has what an operator approved of an adapter's reach: hosts, and where card data and credentials may stand.
//
// Any higher room may import approval. It is pure. It must never grant what no operator has approved.
package approval
