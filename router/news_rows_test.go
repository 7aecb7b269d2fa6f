package router_test

import "testing"

// rowsOfWebhooks says which tests hold the rows of events and their delivery, and of processors' messages, by the sections of their contract. The tests are in
// this package and in those that TestNewsRowsHaveTests names. Rows that are not built stand at the end.
const rowsOfWebhooks = `
1 Outgoing delivery                                    TestEventsDelivery TestEventsOnTheWire
2 Event types                                          TestEventsWhen TestEventOfEachStatus TestDisputesMessages
3 When                                                 TestEventsWhen TestEnabledStatuses
4 Retry schedule                                       TestEventsRetries
5 Event endpoints                                      TestEventsEndpoints
6 Signature check for merchants                        TestEventsDelivery
8 Incoming: disputes                                   TestDisputesMessages
10 Background sync                                     TestEventsBackgroundSync TestRefundsLater
Delivery: without a URL there is no event              TestDeliveredEvent TestWhoGetsWhat
Delivery: body, keys, event_id                         TestDeliveredEvent TestEventGolden TestRefundGolden TestDisputeGolden
Delivery: content.object is the resource               TestDeliveredEvent TestBodyOfItsMoment
Delivery: repeats have the same body, at the new URL   TestDeliveredEvent TestEventAPI TestWebhooksSurviveKills
Delivery: headers, signature, custom headers           TestDeliveredEvent TestSignatures TestEndpointTest TestWebhooksGuide
Delivery: webhook_username and _password are not sent  TestDeliveredEvent
Delivery: 2xx alone counts, redirects, time limit      TestRedeliver TestHostileEndpoints TestWebhookTLS TestRetriesForThreeDays
Event types: payments by status                        TestEventOfEachStatus TestHoldEvents
Event types: refunds, disputes                         TestEventOfEachStatus TestDisputeAccepted TestDisputeAnswers TestDisputeForceSync
Event types: full and partial captures                 TestEventOfEachStatus TestDeliversInOrder
When: trigger, one event for a change                  TestEventOfEachStatus TestWebhookSettlesUnknown
When: enabled statuses                                 TestEnabledStatuses TestWhoGetsWhat
When: the answer waits for no delivery, order          TestDeadEndpointDelaysNoOther TestDeliversInOrder TestWebhooksSurviveKills TestWebhooksAtTwoNodes
Retries: schedule, jitter, three days                  TestRetriesForThreeDays TestSurvivesACrash
Event API: list and its filters                        TestEventLists TestListsOfAProfile TestProfileOfAnother
Event API: attempts                                    TestEventAPI TestDeliveredEvent TestSignatures
Event API: retry                                       TestEventAPI TestRedeliver TestManyByHand TestRedeliverUnderWay TestEventOfADeletedCustomer
Event API: mixed filters, limits, dates                TestEventLists TestEventAPI
Endpoints: age of the oldest event, failures           TestBacklogIsMeasured TestFailuresAreShared
Endpoints: two with one address                        TestSameAddressTwice
Signature check for merchants                          TestWebhooksGuide TestSignatures
Incoming: URLs, methods, without a key                 TestIncomingMessages TestWebhooks TestRelayMessages
Incoming: name of a connector                          TestIncomingMessages TestWebhookByNameToTheDefaultProfile
Incoming: verified                                     TestWebhookSettlesUnknown TestWebhookStripe TestWebhookAdyen TestWebhookAmounts
Incoming: not verified, the processor is asked         TestIncomingMessages TestWebhookSync TestDecidedPaymentIsSynced
Incoming: not verified, refused                        TestIncomingMessages TestWebhooks TestSignedResultsAtTheAccountsURL
Incoming: unsupported event, ping                      TestIncomingMessages TestWebhookMessages
Incoming: payment, refund or dispute unknown           TestIncomingMessages TestWebhookOfNothingOfOurs
Incoming: processing error                             TestIncomingMessages
Incoming: answer, and no page                          TestIncomingMessages TestWebhookReplyIsNoPage
Incoming: refunds                                      TestRefundMessageDuringARunIsKept TestRefundMessageBeforeTheAnswer
Incoming: disputes need proof                          TestDisputeCalls TestDisputeFirstMessageTwice
Incoming: the format of stripe                         TestWebhooksOfStripe TestWebhookStripe TestWebhookSignature TestUnreadableMessages
Manual: payments                                       TestWebhooksManualUpdates TestDecideAttempt TestDecidedPaymentIsSynced
Manual: refunds                                        TestWebhooksManualUpdates TestDecideRefund
Background: payments and refunds are asked about       TestRefundOutcomes TestResultOfAClosedChallenge

Decided otherwise: a message to an unknown merchant or account, or without proof, always gets 401 WE_01, because another answer would show who uses payswitch; an
unusable merchant_secret is such a message. Every repeat has a new webhook-timestamp, as Standard Webhooks says; its body and the contract's headers stay.
An event has no sdk_authorization. Retries go on to three days, and have jitter.
Not built: events of mandates, payouts and subscriptions; a retry schedule of one merchant.
`

// rowsOfCheckout says which tests make the calls of a checkout, in the order of a browser. Tests that end in InABrowser, and those of the checkout, use Chromium.
const rowsOfCheckout = `
Methods: payment_type, mandate_payment                  TestOfferedPaymentType TestOfferedTopLevel
Methods: required_fields per method and account         TestRequiredFields TestRequiredFieldsOfConnectors TestRequiredFieldsOfWallets
Methods: what is no filter                              TestOfferedMethods TestOfferedAccounts
Methods: the answer says that off_session lacks consent TestSavingIsAnswered
Client: payments/{id}/client                            TestClientPayment TestDemoShop TestCheckoutInABrowser
Client: intent_data, sdk_next_action                    TestIntentData TestOfferedTopLevel TestEligibilityIsAskedFor
Client: sdk_config.json                                 TestSDKConfig TestClientPayment
Token: in every answer, order of its parts              TestTokenInEveryAnswer TestSDKAuthorization
Token: the routes that take it                          TestTokenOpensClientRoutes TestSDKAuthorization
Token: what is refused, sessions, the switch            TestSDKTokenRefused TestClientSession TestClientSessionSwitch TestSDKTokenRepeats
Saved cards: without a CVC                              TestSavedCardWithoutCVC TestCheckoutSavedCards
Block list for clients                                  TestClientPayment TestTokenOpensClientRoutes
Sessions of the management widget                       TestMethodSessions
3-D Secure in a page: poll_status, authorize at once    TestSlowResultInAFrame TestResultOfAClosedChallenge
3-D Secure in a page: a result after six seconds        TestThreeDSSlowResultInABrowser TestSlowResultInAFrame
3-D Secure in a page: the notice, to the parent alone   TestNoticeGoesToTheParentAlone TestThreeDSSDKInABrowser
3-D Secure in a page: is_iframe_redirection_enabled     TestIFrameRedirection
3-D Secure in a page: no autofocus                      TestThreeDSSlowResultInABrowser
CORS                                                    TestCORS TestOpenRoutesAcrossOrigins TestCheckoutInABrowser
The demo's shop                                         TestDemoShop TestDemoShopInABrowser TestDemoOrders

Not built: session tokens of wallets, calculation of tax.
`

// rowsOfLists says which tests hold the rows of lists in the v1 API.
const rowsOfLists = `
Offers: authentication, secrets                   TestOfferedMethods TestOfferedAccounts TestIntentData TestSDKAuthorization
Offers: query                                     TestOfferedMethods
Offers: candidates                                TestOfferedAccounts TestOfferedMethods
Offers: allowed types                             TestOfferedMethods
Offers: currency, country                         TestOfferedAccounts TestOfferedMethods TestOfferedTypes
Offers: configured filter, its defaults           TestOfferFilters TestOfferedAccounts TestOfferTables
Offers: capture                                   TestOfferedAccounts TestOfferedTypes
Offers: amount 0                                  TestOfferedPaymentType
Offers: what is no test                           TestOfferedMethods TestOfferedAccounts
Offers: one account by routing                    TestOneAccountByRouting TestOfferedTypes
Grouping                                          TestOfferedTypes TestOfferedAccounts TestRequiredFieldsOfConnectors
Top level                                         TestOfferedTopLevel TestOfferedPaymentType TestSurchargeInMethodList TestEligibilityIsAskedFor
Required fields                                   TestRequiredFields TestRequiredFieldsOfConnectors TestRequiredFieldsOfWallets
GET /payments/{id}/client                         TestClientPayment
Payments: GET lists, cursors                      TestPaymentLists TestList TestListsOfAProfile
Payments: POST lists, every filter, order         TestPaymentLists TestListsAreExact TestListsOfAProfile TestListBorders
Payments: filter, v2/filter                       TestPaymentFilters TestListsOfAProfile
Payments: aggregate                               TestPaymentFilters TestListsOfAProfile
Refunds: lists, every filter                      TestListRefunds TestRecordListsAreExact TestListsOfAProfile
Refunds: filter, v2/filter, aggregate             TestRefundFilters TestListsOfAProfile
5 Disputes                                        TestDisputesCalls TestDisputesMessages
Disputes: lists, every filter                     TestDisputeCalls TestRecordListsAreExact TestProfileOfAnother
Disputes: one, force_sync                         TestDisputeCalls TestDisputeForceSync
Disputes: filter, aggregate                       TestDisputeCalls TestListsOfAProfile
Disputes: accept, submit                          TestDisputeAccepted TestDisputeAnswers TestDisputeWithoutEvidence
Disputes: files                                   TestDisputeFiles TestDisputeFileNames
Disputes: the object, stages and statuses         TestDisputeCalls TestDisputeGolden
Disputes: total_disputed_amount                   TestDisputedAmounts TestDisputeAccepted TestDisputeCalls
Events                                            TestEventLists TestEventAPI
Lists are never behind what a client was told     TestPaymentLists TestListsAfterASlowCommit TestListsAfterTheClockWentBack

Decided otherwise: a message that would move a dispute back is acknowledged and changes nothing; the contract has 400 WE_02, which makes a processor send it again.
Within a stage a message of a later time counts, also after an end: a bank may open a dispute again, and what it claims must not be refunded too.
Not built: analytics.
`

// TestNewsRowsHaveTests holds that the tests of these tables exist, and that each row has one.
func TestNewsRowsHaveTests(t *testing.T) {
	t.Parallel()
	for _, rows := range []string{rowsOfWebhooks, rowsOfCheckout, rowsOfLists} {
		rowsHaveTests(t, rows, "*_test.go", "../engine/*_test.go", "../plugins/*_test.go", "../plugins/simulator/*_test.go", "../plugins/stripe/*_test.go",
			"../cmd/payswitch/*_test.go", "../storage/*_test.go")
	}
}
