// Package session makes and checks the token with which a payer's client calls the API for one payment, and the client session in it.
//
// Of the rooms, engine alone imports session. It reads payments, and must never write.
package session
