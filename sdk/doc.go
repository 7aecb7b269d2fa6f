// Package sdk is the library for adapters. An adapter is a small WASM module that speaks the language of one processor. It has access to
// nothing but the messages that the host gives it.
//
// An adapter is an [Adapter]: a [Manifest] and one function for each [Operation] that it offers. A function is straight-line code on a
// [Call]:
//
//   - input: Call.Request and the merchant's Call.Account; optional parts as empty instead of nil: [Request.BillTo], [Request.Payer],
//     [Request.Device], [Request.Proof], [Request.Known]
//   - sending: [Call.Do], [Call.Get], [Call.Post] of a [JSONSend], [FormSend] or [GraphQLSend]; answers: [Response], [JSON], [XML], [ParseForm]
//   - authentication: [Call.Bearer], [Call.BasicAuth], [Call.Token]
//   - bodies: [Object], [Array], [Form], with parts that depend on something: [When], [Choose], [Room]; amounts: [Money.Major], [ParseMajor], [Decimals]
//   - meanings of codes and statuses: [Declines], [Statuses], [CheckCodes], [Results], [Names], [Response.Reason], [Call.Gone], [Outcome.With]
//   - data for later operations: [ConnectorData], [Keep]
//   - values computed from secrets, which the adapter never sees: [Call.Derive]
//   - webhook messages: [Call.Signed], [Call.SignedPairs], [Call.FreshAt], [Call.Message]
//   - time and randomness that replay exactly: [Call.Now], [Call.ID], [Call.Random]
//
// A function ends with an [Outcome] or an error: a *[Reject] if the processor cannot do the operation, any other error if the result is
// unknown. Returning an error that came from the Call is always safe. [Must], [Check], [Require], [Expect], [Call.Find], [Call.End] and
// [Call.EndIf] end the operation from within a helper.
//
// The SDK runs the function again from its beginning in every step. Earlier sends get their recorded answers, and the function stops at its
// first new send. So no instance waits for a network, and the host can replay every operation bit for bit.
//
// A module is built from a main package:
//
//	func init() { sdk.Serve(&adapter) }
//	func main() {}
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -ldflags="-s -w" -o adapter.wasm
//
// Package sdktest holds the suite that every adapter must pass. sdk/ABI.md describes the bytes of the protocol, for other languages.
//
// The package imports the standard library only and stays small in WASM. An adapter that avoids fmt, encoding/json, net/http and regexp is
// a module of 2.6 MB. It loads several times faster and answers a step in about a tenth of a millisecond.
package sdk
