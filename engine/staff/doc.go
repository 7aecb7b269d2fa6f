// Package staff holds the people who work with payswitch in a browser: who they are, how they prove it, and what they may do.
//
//	roles.go     roles, permissions and the one table that joins them
//	session.go   Session: the person behind a request
//
// Nothing here knows HTTP. Package router/dashboard turns cookies and forms into these calls.
package staff
