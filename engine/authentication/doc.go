// Package authentication holds the records of EMV 3-D Secure authentications that payswitch runs: the authentication itself, what it is bound to,
// its secrets, and the summary that its attempt shows.
//
// Rooms above threeds may import authentication. It has no I/O and no clock. What happens to an authentication is decided in threeds and
// threeds/flow.
package authentication
