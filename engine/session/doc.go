// Package session makes and checks the token with which a payer's client calls the API for one payment, and the client session in it. It reads payments
// and writes nothing.
package session
