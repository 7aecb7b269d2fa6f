// Package account has merchants with their profiles, connector accounts, acquirers and keys.
//
// Registry has the use cases. Directory is the cached configuration that every payment reads. versions.go keeps what existing payments need of
// accounts that change or are deleted. ports.go says what the room needs of a store.
//
// Any higher room may import account. It must never decide about a payment.
package account
