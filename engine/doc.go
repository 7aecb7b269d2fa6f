// Package engine is the payment state machine and its use cases. This page is the map.
//
// # The rooms
//
// Imports run one way. The list begins with the lowest room, and a room imports lower rooms alone. TestRooms in cmd/payswitch holds that. The doc.go of
// a room says what lives there, which rooms import it and what it must never do.
//
//	alarm       the kinds of alarms: what a person must look at
//	fault       errors that callers see, and faults of adapters
//	ids         ids and unguessable texts
//	optional    fields that a request may leave out
//	compress    compression of stored texts, with dictionaries
//	secret      values that are never printed
//	threeds     the policy of 3-D Secure, pure: threeds/message (the browser's messages), threeds/exempt, threeds/threeri; threeds/flow, above timeline,
//	            performs it
//	card        card numbers, networks, issuers
//	contact     customers, addresses, telephone numbers and browsers
//	authentication  the records of 3-D Secure authentications
//	routed      how an attempt came to its account
//	scheme      the rules of card schemes about trying a declined card again, pure
//	payment     the records of the domain, and the transition table
//	disputed    the record of a dispute, its answer and its files
//	listed      what stores return to lists: places, scanned payments, counts
//	evidence    what answers of processors prove: verdicts, bookings, next steps; pure
//	request     a merchant's request, and the API's rules for it
//	payer       what the payer's device may send in a confirm
//	approval    what an operator approved of an adapter's reach
//	port        the engine's needs: connectors, store, metrics, clock
//	facet       what lists filter payments by, in columns that a background loop fills
//	acquirer    the acquirers of a profile, for 3-D Secure; pure
//	vault       encryption at rest, keys and their rotation, signatures of rows
//	link        URLs that payers' browsers open
//	routing/rule  the rule language of routing and decisions, pure
//	account     merchants, profiles, connector accounts, keys
//	idempotency  repeated requests: each Idempotency-Key has one answer
//	method      customers, saved payment methods, mandates
//	drive       an operation at an adapter: request, lease, send guard, journal, evidence
//	paylink     payment links and collect links: records, settings, rules; paylink/visit has the use cases
//	change      the one commit path: load, decide, commit, effects
//	operator    operations as the people see them who decide about unknown outcomes, and decisions that wait for a second person
//	webhook     delivery of events to merchants: endpoints, retries, signatures
//	dispute     disputes: lists, and the merchant's answers
//	refund      refunds: the use cases, and what processors answer and report about them
//	hold        held funds between authorization and capture: raised amounts
//	relay       single operations on a processor's own references, without a payment
//	search      lists of payments by filters
//	timeline    what happened to a payment, for people who look at it
//	routing/health  how connector accounts fare, and which of them is taken out
//	routing/rank  orders accounts by success and cost, by contracts about volumes, and by recent faults; pure
//	routing     which connector account takes a payment, and which one takes it after a failure
//	risk        what stops a payment: block lists, card blocking, the guard against card testing
//	session     the token and the session of a payer's client
//	restore     a database that was restored from a copy
//	late        what processors say of attempts that wait for no operation: late money, late references, contradictions
//	resolve     the loop that finds open operations, and shares a node's time between accounts
//	staff       people who use the dashboard: roles, logins, sessions, audit
//	engine      wiring, and the use cases of payments; ports.go joins the rooms' parts of the store
//
// storetest has the tests that every store must pass, by room. Package storage implements Store with
// SQLite and PostgreSQL.
//
// # One payment
//
// A create with confirm goes this way:
//
//  1. router/payments.go decodes the request and calls Engine.CreatePayment in create.go.
//  2. Engine.confirm in confirm.go chooses the instrument and the account (routing/account.go), and decides the first step: an authentication
//     (threeds/flow/begin.go) or the authorization. The decision is a change.Change with the intent of one operation, which Changes.StartRun adds.
//  3. Changes.Commit in change/change.go writes payment, attempt, operation and event in one transaction. The change's effect is
//     Perform, which is Engine.perform in perform.go.
//  4. Driver.Drive in drive/run.go lets the adapter perform the operation, and guards each send.
//  5. evidence.JudgeDrive in evidence/resolution.go makes a verdict of the answer; an adapter's word alone moves no money.
//  6. Engine.settle in settle.go books the verdict (evidence.Book) into the next Change, and Changes.Commit writes it.
//  7. Changes.View in change/view.go makes the answer, and router/payment_json.go writes it.
//
// Capture, cancel and complete are steps 2 to 7 with another decision function, each in the file of its name. Engine.Run in
// resolve.go resolves an unknown outcome: Driver.FindEvidence in drive/evidence.go finds evidence, and step 6 settles it.
// Engine.ReceiveWebhook in inbound.go reads a processor's message. Step 6 settles the open operation that the message is about. Other messages go to
// late, refund, dispute and threeds/flow.
//
// # Where new things go
//
// A new operation on a payment needs a row type in payment, a booking in evidence and a port in change. Its decision function stands here, its route
// in router.
// Nothing but Changes.Commit writes payments; a test holds that.
package engine
