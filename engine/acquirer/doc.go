// Package acquirer has the acquirers of a profile: what 3-D Secure messages say of the merchant's bank, for each card network.
//
// acquirer.go has the record and checks what a request sends; list.go has a profile's acquirers, finds the one of a payment, and shows them.
//
// Any higher room may import acquirer. It must never read or write the store: account does.
package acquirer
