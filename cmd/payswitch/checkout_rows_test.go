package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// rowsOfCheckout says which tests hold the rows of the checkout's design: first those that it must have, then those that it should have. The tests are
// in this package, in router, in router/checkout and in router/dashboard. What is not built or not tested stands at the end.
const rowsOfCheckout = `
Loading: addresses of the script, window.Hyper     TestCheckoutScripts TestCheckoutInABrowser
Loading: hyper.mjs, loadHyper                      TestCheckoutScripts TestCheckoutModule
Loading: React calls create for every render       TestCheckoutSplitFields TestCheckoutFromReact
Loading: immutable address, SRI, inventory         TestCheckoutScripts TestCheckoutPage
Hyper: options, isForceInit, unknown keys          TestCheckoutOptions TestCheckoutFramedByStrangers
elements: clientSecret, appearance, locale         TestCheckoutInABrowser TestCheckoutForEverybody TestCheckoutRefusesStyles
elements: update, fetchUpdates                     TestCheckoutOffline TestCheckoutHostileOptions
Elements: payment, card, split fields              TestCheckoutInABrowser TestCheckoutSplitFields TestCheckoutHostileOptions
Elements: management                               TestCheckoutSavedCards
Elements: mount, unmount, destroy                  TestCheckoutMountedOften TestCheckoutOptions
Events: ready, change, loaderror, Enter            TestCheckoutInABrowser TestCheckoutHeap TestCheckoutOffline
confirmPayment: one answer for two presses         TestCheckoutInABrowser TestCheckoutInTwoTabs
confirmPayment: redirect, return_url               TestCheckoutInABrowser
confirmPayment: every error.type                   TestCheckoutInABrowser TestCheckoutOffline TestCheckoutLosesNoAnswer
Session of saved methods, update of a payment      TestCheckoutSplitFields TestCheckoutCalls
Events: those asked for, the form's own button     TestCheckoutCalls
Options: save box, consent, terms                  TestCheckoutSavedCards TestCheckoutPage
Options: layout                                    TestCheckoutOptions
Options: card fields, style, classes, placeholder  TestCheckoutSplitFields
Options: malformed values                          TestCheckoutHostileOptions
Frames: one port, exact origin, shapes             TestCheckoutKeepsSecrets TestCheckoutFramedByStrangers
Frames: policy, hashes, framers                    TestCheckoutPolicy TestCheckoutOrigins TestCheckoutFramedByStrangers
Frames: appearance by a closed list                TestCheckoutRefusesStyles TestCheckoutHostileOptions
Frames: no eval, no storage, no other host         TestScripts TestCheckoutKeepsSecrets
Secrets: messages, URLs, storage, log, heap        TestCheckoutKeepsSecrets TestCheckoutHeap
Dashboard: three ways, origins, save box           TestCheckoutPage
Calls: idempotency key, lost and doubled answers   TestCheckoutLosesNoAnswer
Calls: status first, reload, two tabs, offline     TestCheckoutReloaded TestCheckoutReloadedInEachState TestCheckoutInTwoTabs TestCheckoutOffline
Fields: number, expiry, code, paste                TestCheckoutAgreesWithTheSwitch TestCheckoutHostileOptions
Fields: networks, co-badged cards                  TestCheckoutInABrowser
Languages: 18, complete                            TestTexts TestTextsOfPages TestLanguage
Saved cards: list, order, code, management         TestCheckoutSavedCards TestCheckoutOptions
3-D Secure: frictionless, challenge, refused, left TestCheckoutInABrowser TestCheckoutSecureWithoutAddress
Accessible: axe over states, themes, languages     TestCheckoutForEverybody TestCheckoutSavedCards TestCheckoutInABrowser TestCheckoutOptions
Accessible: tree, forced colours, reduced motion   TestCheckoutForEverybody
Accessible: a purchase by the keyboard alone       TestCheckoutByKeyboard
Gates: size, requests, shift, time, leaks          TestSize TestCheckoutShiftsNothing TestCheckoutMountedOften
Guide: servers and page as they stand              TestCheckoutExample
Links: with and without scripts, all states        TestPaymentLinkInABrowser TestLinkStates TestLinkForm
Links: framed, branding, preview, QR               TestSecureLinkInABrowser TestLinkBranding

Should: displayBillingDetails                      TestCheckoutOptions
Should: fields.billingDetails, billingAddress      TestCheckoutOptions
Should: fonts, subscriptionEvents, completeDoThis  TestCheckoutCalls
Should: redirectionInfo                            TestCheckoutOptions
Should: paymentMethodOrder, customMethodNames      TestCheckoutOptions

Without a test of their own: the three times of a challenge (10 seconds until the link, 10 minutes in all, a hidden frame's 10 seconds).
`

// TestRowsOfCheckoutHaveTests holds that the tests of rowsOfCheckout exist.
func TestRowsOfCheckoutHaveTests(t *testing.T) {
	t.Parallel()
	var source strings.Builder
	for _, pattern := range []string{"*_test.go", "../../router/*_test.go", "../../router/checkout/*_test.go", "../../router/dashboard/*_test.go", "../../engine/paylink/*_test.go"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range files {
			b, err := os.ReadFile(file)
			require.NoError(t, err)
			source.Write(b)
		}
	}
	all := source.String()
	for name := range strings.FieldsSeq(rowsOfCheckout) {
		if strings.HasPrefix(name, "Test") {
			require.Contains(t, all, "\nfunc "+name+"(")
		}
	}
}
