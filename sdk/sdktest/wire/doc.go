// Package wire runs an adapter against recorded facts about its processor: requests in their exact form, and answers with their meanings.
// The facts stand in two JSON files in the adapter's testdata, named after the manifest's name.
//
//	func TestWire(t *testing.T) {
//		wire.Run(t, acme.Adapter(), os.DirFS("testdata"), wire.Options{
//			Skip: map[string]string{"authorize_minimal": "acme needs a billing address"},
//		})
//	}
//
// sdk/CASES.md describes the files, which have a schema. A case names its operation, and its words are the SDK's: input is
// sdk.Request, expected is sdk.Outcome. A case that names a flow speaks the old words, which are still read.
//
// # Requests: <name>.json
//
// The adapter gets the real card, CVC, cryptogram and credentials in place of stand-ins. So its request is the one that the processor
// would get. Derivations are computed. The adapter's request must hold everything in the case's request, and nothing else in the body or
// query. Of the headers that the case lacks, only idempotency headers are allowed. Then the case runs again with stand-ins. It must lead to
// the same request, with card data only in the manifest's placements. This is a quick model of the host's rules; payswitch plugin check
// drives the same cases through the host itself, which decides.
//
// # Answers: <name>.responses.json
//
// Each sample also runs with every kind of damage ("damaged/captured"): a value is missing, null or of another kind, or the HTTP status, the
// amount or the currency is another one. The outcome may become unknown or pending, never another one. If the amount differs from the
// requested amount, the outcome must state it (Outcome.Amount) or be unknown. Options.Allow names intended exceptions: "damaged/captured
// another amount amount".
//
// # Old words
//
// flow is a name such as payment_sync; for an authenticator three_ds_prepare, three_ds_authenticate, three_ds_result and three_ds_cancel, with
// sdk.AuthenticationRequest in input.authentication. expected.authentication is the whole Outcome.Authentication, with the real cavv: the
// sample checks that the adapter captured its field. webhooks.sample is a correctly signed message.
//
// # Clients
//
// Recorded facts can be wrong. If the processor has a Go client, Converse lets adapter and client talk to the same test server. For the same
// task they must send the same requests, and the adapter must read answers made from the client's types.
package wire
