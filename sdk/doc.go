// Package sdk is what an adapter is written against: a small WASM module that speaks one processor's language and has access to nothing
// but the messages it is given.
//
// An adapter is an [Adapter]: a [Manifest] and one function for each [Operation] it offers. A function is ordinary straight-line code on
// a [Call]:
//
//   - what is asked for: Call.Request, and the merchant's Call.Account; what may be missing, as empty instead of nil: [Request.BillTo],
//     [Request.Payer], [Request.Device], [Request.Proof], [Request.Known]
//   - sending: [Call.Do], [Call.Get], [Call.Post] of a [JSONSend], [FormSend] or [GraphQLSend]; answers: [Response], [JSON], [XML], [ParseForm]
//   - who asks: [Call.Bearer], [Call.BasicAuth], [Call.Token]
//   - bodies: [Object], [Array], [Form]; amounts: [Money.Major], [ParseMajor], [Decimals]
//   - what codes and statuses mean: [Declines], [Statuses], [CheckCodes], [Results], [Names]
//   - what later operations have to know: [ConnectorData], [Keep]
//   - what is computed from secrets, which the adapter never sees: [Call.Derive]; messages: [Call.Signed],
//     [Call.SignedPairs], [Call.Fresh], [Call.Message]
//   - time and randomness that replay exactly: [Call.Now], [Call.ID], [Call.Random]
//
// It ends with an [Outcome], or an error: a *[Reject] where the processor cannot do it, anything else where the result is unknown.
// Returning an error that came from the Call is always safe. [Must], [Check], [Require] and [Call.End] end it from within a helper.
//
// Under it the function is run again from its beginning for every step, answered from what has been sent already, and stopped at its first
// new send: so no instance waits for a network, and every operation can be replayed bit for bit.
//
// A module is built from a main package:
//
//	func init() { sdk.Serve(&adapter) }
//	func main() {}
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -ldflags="-s -w" -o adapter.wasm
//
// Package sdktest holds the suite that every adapter must pass. ABI.md describes the protocol to the byte, for other languages.
//
// The package imports the standard library only and stays small in WASM: an adapter that avoids fmt, encoding/json, net/http and regexp
// is a module of 2.6 MB, loads several times faster and answers a step in about a tenth of a millisecond.
package sdk
