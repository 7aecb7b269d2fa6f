// Package drive performs operations at adapters: the request, the lease, the guard before each send, the journal, and the evidence about an open
// operation.
//
// Run is one operation at one connector account. Driver.Drive performs it and returns a verdict. Driver.FindEvidence looks for the result of an
// operation whose outcome is unknown. A request leaves only while the lease holds, and after its intent is durable.
//
// Any higher room may import drive. It must never write a payment or an attempt.
package drive
