// Package drive is an operation's life at an adapter: its request, its lease, the guard before each send, the journal, and the evidence of what an
// open operation has done.
//
// Run is one operation at one connector account. Driver.Drive performs it and returns a verdict; Driver.FindEvidence finds out what became of one
// whose outcome is unknown. Nothing leaves before its intent is durable and the lease holds.
//
// Rooms above method may import drive. It must never write a payment or an attempt.
package drive
