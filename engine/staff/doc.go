// Package staff holds the people who work with payswitch in a browser: who they are, how they prove it, and what they may do.
//
//	roles.go     roles, permissions and the one table that joins them
//	session.go   Session: the person behind a request, and what it may do
//	service.go   Service: wiring, errors, the sealed part of a user
//	users.go     the first user, invitations and links, roles, lock and reset
//	login.go     factors, and the stages of a login
//	sessions.go  logins: how long they live, and how they end
//	self.go      what people change about themselves
//	password.go  hashes of passwords, and which passwords are refused
//	totp.go      codes of authenticator apps, recovery codes
//	passkey.go   passkeys, behind an interface
//	throttle.go  limits on guessing, for all nodes together
//	once.go      texts that work one time: links, challenges
//	audit.go     who did what
//	store.go     the rows, and what staff needs of a store
//
// Package router/dashboard turns cookies and forms into these calls. Of the rooms, engine alone imports staff. It must never know HTTP.
package staff
