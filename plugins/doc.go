// Package plugins is the host of adapters. It loads them, drives operations through them in a sandbox, and sends their requests to
// the processors. Host implements engine.Connectors.
//
// Adapters are embedded in the binary (folder builtin) or installed in a watched directory. Operators add, replace and remove them
// while payments are in flight. An operation keeps the build that it began with, by hash, until it has ended, over restarts too.
//
// # Files by subject
//
// Loading: host.go (New, Run, Drive, Close), options.go, build.go (one loaded build). scan.go (the watched directory), loading.go
// (modules that a compiler prepares). archive.go (replaced builds), shared.go
// (adapters and builds of several switches). describe.go (manifests of built-in modules), bundle.go and pin.go
// (signed adapters and their installation).
//
// An operation: drive.go (the loop of steps), send.go (one request, and which request may follow which). limiter.go (drives per
// account), approval.go (what the operator has approved). outcome.go (which outcomes are possible). violation.go and fault.go (broken
// rules, and what a merchant reads about them). plain.go (adapters that receive the real secrets).
//
// Secrets into a request: standins.go (stand-ins and the secrets behind them). places.go (where the manifest allows secrets), fill.go
// and value.go (the replacement of stand-ins). documents.go and jsonscan.go (bodies as templates). derive.go and functions.go
// (signatures and other values computed over secrets). foreign.go and names.go (requests that name another account), token.go (access
// tokens).
//
// Secrets out of an answer: readable.go (answers that the host cannot read), capture.go (fields that an adapter asked not to see), and
// scrubber.go (returned secrets, which package scrub masks).
//
// The network: hosts.go (where an account's requests may go), request.go (URL and headers). egress.go (the only HTTP client), flight.go
// (whether a part of a request has left), simulated.go (the built-in 3DS server).
//
// Checks of adapters: manifest.go and manifest_text.go (the manifest), certify.go and certify_host.go (the whole adapter). rehearse.go
// (an operation that sends nothing), record.go, replay.go, hold.go and difference.go (recordings and their comparison). native.go
// (adapters without a sandbox, for tests).
//
// Folders: sandbox runs modules and knows no payments. scrub masks secrets in texts. simulator is the simulated processor. Each other
// adapter has a folder of its own. internal/published compares adapters with what processors publish of their APIs.
//
// # Rules
//
// Package plugins imports engine, sdk, plugins/sandbox and plugins/scrub, and no other package of the project. Adapters import sdk alone.
//
// It never decides about the state of money: it hands an outcome to the engine, or reports that the outcome is unknown. It never sends
// a request twice that is not declared safe to repeat. It never puts a secret at a place that the manifest does not declare. No card
// number, CVC, cryptogram or credential reaches an adapter, a journal or a log, except for accounts whose operator has approved that
// (plain.go).
package plugins
