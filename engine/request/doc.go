// Package request has what a merchant asks of a payment, and the rules of the API that need nothing but the request and the payment.
//
// Any higher room may import request. It has no I/O. A rule returns a *fault.Error that names the field. It must never ask an adapter or a store.
package request
