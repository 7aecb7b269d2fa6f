// Package fault has the errors that the engine reports: Error for callers, Adapter for a fault of an adapter.
//
// An Error carries the contract's code and message, which callers see, and a cause, which only the log sees. The router alone maps a Kind to
// an HTTP status.
//
// Any higher room may import fault. It imports the standard library only. It must never hold a secret or card data in a text.
package fault
