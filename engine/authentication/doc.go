// Package authentication holds the records of EMV 3-D Secure authentications that payswitch runs: the authentication itself, what it is bound to,
// its secrets, and the summary that its attempt shows.
//
// Any higher room may import authentication. It has no I/O and no clock. It must never decide what happens to an authentication: threeds and
// threeds/flow do.
package authentication
