package router_test

import "testing"

// rowsOfRefunds says which tests hold the rows of refunds in the v1 API, by the sections of its contract. The tests are in this package, in engine and in
// engine/evidence. A test of the name TestRefunds… in refund_sections_test.go has a step for each row of a section. Rows that are not built stand at the end.
const rowsOfRefunds = `
1 Endpoints                                             TestRefundsEndpoints
2 Create                                                TestRefundsCreate TestRefundsLater
3 Refund object                                         TestRefundsCreate
4 States                                                TestRefundsStates TestRefundsLater TestEventsWhen TestEventsBackgroundSync
5 List filters                                          TestRefundsList
6 Refund or cancel                                      TestRefundsOrCancel
7 Refunds, more                                         TestRefundsCreate TestRefundsLater
Endpoints: create, retrieve, sync, update, list         TestRefundCalls TestListRefunds
Endpoints: filters and counts                           TestRefundFilters
Create: payment_id, refund_id                           TestRefundCalls TestRefundIDAtOnce
Create: amount, the whole captured amount by default    TestRefundCalls TestRefunds TestRefundOfPartialCapture
Create: reason, metadata, optional fields, unknown keys TestRefundCalls
Create: instant and scheduled                           TestRefundCalls TestScheduledRefund TestScheduledRefundStaysAtItsAccount
Create: order of the checks                             TestRefundChecksInOrder
Create: status of the payment                           TestRefundOrCancel TestRefundChecksInOrder
Create: captured, refunded and disputed amounts         TestRefundCalls TestDisputedAmounts TestRefundsAtOnce TestRefundsAndADisputeAtOnce
Create: age, attempts                                   TestRefundChecksInOrder TestRefundAttempts
Create: the connector offers no refund, or no part      TestRefundNotOffered
Create: repeated with its Idempotency-Key               TestRefundRepeated TestRepeatedRefund
Object: fields, errors                                  TestRefundGolden TestRefundOutcomes
States: succeeded, pending, failed                      TestRefundOutcomes TestRefundCards TestRefusedRefund
States: no answer                                       TestUnknownRefund TestRefundKilledBetweenAnyTwoSteps
States: another amount or currency                      TestRefundOfAnotherAmount TestRefundAmounts
States: force_sync, webhook, background                 TestPendingRefund TestRefundMessageBeforeTheAnswer TestRefundIsAskedAboutAgain
States: events, the payment's status stays              TestDeliveredEvent TestEventOfEachStatus TestRefundCards
List: filters, limits                                   TestListRefunds
Refund or cancel                                        TestRefundOrCancel TestVoidAfterCapture TestRefusedVoidAfterCapture TestUnknownVoidAfterCapture
Refund or cancel: a void and a refund at once           TestVoidAfterCaptureRace TestVoidAfterCaptureNotAllowed
More: partial refunds, partial captures                 TestRefunds TestRefundOfPartialCapture TestMultipleCaptures
More: kinds of payments, each processor                 TestRefundsAtProcessors TestRefundStripe TestRefundAdyen TestRefundCheckout TestRefundPayPal
More: another merchant's refund                         TestRefundCalls
More: refunds[] and state_metadata of the payment       TestRefundCalls TestDisputedAmounts
More: manual update                                     TestDecideRefund
More: a disabled account                                TestRefundAtDisabledAccount

Not built: split refunds.
`

// TestRefundRowsHaveTests holds that the tests of rowsOfRefunds exist.
func TestRefundRowsHaveTests(t *testing.T) {
	t.Parallel()
	rowsHaveTests(t, rowsOfRefunds, "*_test.go", "../engine/*_test.go", "../engine/evidence/*_test.go")
}
