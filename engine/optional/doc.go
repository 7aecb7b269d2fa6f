// Package optional handles fields that a request may leave out.
//
// Any higher room may import optional. It must never know of payments.
package optional
