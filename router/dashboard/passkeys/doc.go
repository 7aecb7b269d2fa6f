// Package passkeys checks passkeys for package staff, with the library go-webauthn. Nothing else in payswitch knows the library.
package passkeys
