// Package wire runs an adapter against recorded facts of its processor: requests as they must look, and answers with what they mean.
// The facts are two JSON files in the adapter's testdata, named after the manifest's name.
//
//	func TestWire(t *testing.T) {
//		wire.Run(t, acme.Adapter(), os.DirFS("testdata"), wire.Options{
//			Skip: map[string]string{"authorize_minimal": "acme needs a billing address"},
//		})
//	}
//
// # Requests: <name>.json
//
// base_url, clock (RFC 3339) and credentials.values hold for all cases. A case has a name, a flow, the input of the operation, perhaps
// the exchanges (answers) that go before, and the request: method, url, headers (lower-case names), body_kind (json, form, xml,
// multipart, text, none), body (parsed) and raw (the exact text). volatile.clock and volatile.random list fields of which only the
// presence is compared. Fields are called url, headers.<name> and body.<path>.
//
// The adapter gets the real card, CVC, cryptogram and credentials in place of stand-ins, so that its request is the one the processor
// would get. Derivations are computed. Everything in a case's request must be there, and nothing else in the body or query; of headers
// that the case does not have, only idempotency headers are let through. After that the case runs again with stand-ins,
// which must lead to the same request and leave card data where the manifest's placements are. That is a quick model of the host's rules;
// payswitch plugin check drives the same cases through the host itself, whose word counts.
//
// The flows of an authenticator are three_ds_prepare, three_ds_authenticate, three_ds_result and three_ds_cancel; input.authentication is
// sdk.AuthenticationRequest in its own JSON.
//
// # Answers: <name>.responses.json
//
// samples hold an answer and the expected result; status_tables the field that decides and what its values mean; declines the field
// with the decline code and what the codes mean; webhooks.sample a correctly signed message. A sample says only what matters of its
// input: the rest is taken from the first case of its flow. expected.authentication is the whole of Outcome.Authentication in its own
// JSON, with the real cavv: the sample checks that its field was captured.
//
// Each sample is tried with every kind of damage as well ("damaged/charged"): a value missing, null or of another kind, another HTTP status,
// another amount or currency. An outcome may become unknown or pending by it, never another one; and an amount that is not what was asked
// for must be told (Outcome.Amount), or the outcome be unknown. Allow names what is meant: "damaged/captured another amount amount".
//
// # Clients
//
// Recorded facts are what somebody here wrote down. Where the processor has a Go client, Converse has the adapter talk to the same test
// server as the client: asked for the same, they must send the same, and the adapter must read what is made of the client's types.
package wire
