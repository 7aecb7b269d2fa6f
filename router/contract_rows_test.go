package router_test

import "testing"

// rowsOfRouting says which tests hold the rows of routing, risk and links in the v1 API, by the sections of its contract. The tests are
// in this package, in engine and in engine/routing. Rows that are not built stand at the end.
const rowsOfRouting = `
Endpoints: methods, keys, content types        TestRoutingShapes TestRoutingConfigurations TestDefaultRouting
Configurations: create, in order of the checks TestRoutingConfigurationsRefused TestRoutingChoices TestProgramMembers
Configurations: algorithms and choices         TestRoutingChoices TestRoutingShapes TestRuleSemantics TestDrawIsFair
Configurations: shapes of the answers          TestRoutingShapes
Configurations: activate, deactivate, read     TestRoutingConfigurations TestActivationRows TestActivationRace
Configurations: default lists                  TestDefaultRouting
Payments: fields routing and connector         TestRoutingFieldRows TestRoutingFieldAndFilter
Payments: order of choice                      TestRoutingFieldRows TestRoutingRulesInPayments TestRoutingBySuccess TestSavingIsAnswered
Rules: program                                 TestProgramMembers TestHostilePrograms TestImportOfAnExport TestRoutingTypos
Rules: semantics                               TestRuleSemantics TestMatchesNaiveInterpreter
Rules: value types, and what is invalid        TestRuleSemantics TestImportOfAnExport TestParseRefuses
Rules: keys, and where values come from        TestRoutingRulesInPayments TestKeysOfMandates TestDecisionPrograms TestEveryKeyOfEveryPurpose
Rules: enum values                             TestImportOfAnExport TestKeysAreComplete
Rules: contradictory and unreachable           TestRoutingConfigurations TestWarnings
Eligibility                                    TestRoutingEligibility TestEligibilityRows TestCapabilityTable TestMerchantCountries
Dry run: evaluate                              TestRoutingEvaluate TestEvaluateRows TestEvaluateCapable
Dry run: source of the result                  TestResultSource
Dry run: gateways and feedback                 TestDecideGateway
Decisions: order                               TestThreeDSEffects
Decisions: manager                             TestDecisionManager TestDecisionPrograms
Decisions: surcharge                           TestSurchargeDecision TestDecisionPrograms TestSurchargeTermsRefused TestSurchargeInPayments
Decisions: 3-D Secure rule, PSD2               TestThreeDSDecision TestThreeDSEffects TestThreeDSWithinPSD2 TestCorrectByPSD2
Retries: when, and how many                    TestRetryRows TestNoRetryWithoutProof TestRetryBudget
Retries: step-up, network codes, next account  TestRetryRows TestRetryByNetworkCode TestRetryStepsUp TestRetryObeysSchemes
Retries: after payswitch's own 3-D Secure      TestRetryWithTheSameAuthentication TestNoRetryWithTheAuthentication
Retries: limits of the card schemes            TestSchemeRetryRows TestSchemeLimitOfRepeats TestSchemeLimitOfRetries TestSchemeLimitOfConfirms TestSchemeLimitAtOnce
Retries: what the merchant sees                TestRetryRows TestRetryElsewhere
Retries: error table                           TestErrorTable TestErrorTableRows
Retries: manual                                TestManualRetry
Operators: manual updates                      TestDecideAttempt TestDecidedPaymentIsSynced
Operators: config keys                         TestConfigKeys TestRetryRows TestBlocklistSwitch TestClientSessionSwitch TestEligibilityIsAskedFor TestResultSource
Operators: several accounts                    TestRoutingChoices
Dynamic routing                                TestDynamicSwitches TestDynamicConfigurationsRefused TestDynamicConfigurationsMerged TestContracts TestElimination TestSimulate
Risk: block list and batch                     TestBlocklist TestBlocklistSwitch TestBlocklistBatch TestBlocklistBatchRefused
Risk: effect on a payment                      TestBlockedPayment TestBlockedWays TestFingerprintsDiffer
Risk: card blocking                            TestMethodBlocking TestBlockedIssuers
Risk: guard against card testing               TestGuardRows TestTestingGuard TestTestingGuardWindow TestTestingGuardLeaves TestTestingGuardRace
Risk: eligibility                              TestEligibility TestEligibilityIsAskedFor
Risk: surcharge                                TestSurchargeInPayments TestSurchargeInMethodList TestSurchargeIsDecidedAnew
Risk: client session                           TestSDKAuthorization TestSDKTokenRefused TestClientSession TestClientSessionSwitch
Links: create, records, list                   TestPaymentLinkCreate TestPaymentLinkRefusals TestPaymentLinkRecords TestPaymentLinkRows
Links: configurations                          TestPaymentLinkOfProfile TestPaymentLinkRows TestLinkBranding
Links: pages, secure links                     TestLinkForm TestLinkStates TestSecureLink
Links: collect links                           TestCollectLink TestCollectLinkRefusals TestCollectLinkOfAccount

Not built: retries with the card number in place of a network token; retries after a step that the payer took at a processor.
`

// TestRowsHaveTests holds that the tests of rowsOfRouting exist.
func TestRowsHaveTests(t *testing.T) {
	t.Parallel()
	rowsHaveTests(t, rowsOfRouting, "*_test.go", "../engine/*_test.go", "../engine/routing/*_test.go", "../engine/routing/*/*_test.go")
}
