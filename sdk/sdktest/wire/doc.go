// Package wire runs an adapter against recorded facts about its processor: requests in their exact form, and answers with their meanings.
// The facts stand in two JSON files in the adapter's testdata, named after the manifest's name.
//
//	func TestWire(t *testing.T) {
//		wire.Run(t, acme.Adapter(), os.DirFS("testdata"), wire.Options{
//			Skip: map[string]string{"authorize_minimal": "acme needs a billing address"},
//		})
//	}
//
// # Requests: <name>.json
//
// base_url, clock (RFC 3339) and credentials.values apply to all cases. A case has a name, a flow, the input of the operation, optional
// exchanges (answers to earlier requests), and the request: method, url, headers (lower-case names), body_kind (json, form, xml, multipart,
// text, none), body (parsed) and raw (the exact text). For the fields in volatile.clock and volatile.random only the presence is compared.
// Fields are named url, headers.<name> and body.<path>.
//
// The adapter gets the real card, CVC, cryptogram and credentials in place of stand-ins, so that its request is the one that the processor
// would get. Derivations are computed. The adapter's request must hold everything in the case's request, and nothing else in the body or
// query. Of the headers that the case lacks, only idempotency headers are allowed. Then the case runs again with stand-ins. It must lead to
// the same request, with card data only in the manifest's placements. This is a quick model of the host's rules; payswitch plugin check
// drives the same cases through the host itself, which decides.
//
// The flows of an authenticator are three_ds_prepare, three_ds_authenticate, three_ds_result and three_ds_cancel; input.authentication is
// sdk.AuthenticationRequest in its own JSON.
//
// # Answers: <name>.responses.json
//
// samples hold an answer and the expected result. status_tables name the field that decides and the meanings of its values. declines names
// the field with the decline code and the meanings of the codes. webhooks.sample is a correctly signed message. A sample needs only the
// relevant part of its input: the rest comes from the first case of its flow. expected.authentication is the whole Outcome.Authentication in
// its own JSON, with the real cavv: the sample checks that the adapter captured its field.
//
// Each sample also runs with every kind of damage ("damaged/charged"): a value is missing, null or of another kind, or the HTTP status, the
// amount or the currency is another one. The outcome may become unknown or pending, never another one. If the amount differs from the
// requested amount, the outcome must state it (Outcome.Amount) or be unknown. Options.Allow names intended exceptions: "damaged/captured
// another amount amount".
//
// # Clients
//
// Recorded facts can be wrong. If the processor has a Go client, Converse lets adapter and client talk to the same test server. For the same
// task they must send the same requests, and the adapter must read answers made from the client's types.
package wire
