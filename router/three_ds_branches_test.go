package router_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// branch is one way through external 3-D Secure, with the test that shows it over HTTP: run, or other tests by name, as "TestX" or "TestX/a case"
// of this package or of the program, or "e2e-…" of the vectors. A branch without a test gives the reason.
type branch struct {
	what  string
	shown []string
	run   func(b *bankWorld)
	never string // why it cannot be shown
}

// branches are all branches of the flow: successes, variants, failures (F…), and abilities that a browser needs (B…).
var branches = map[string]branch{
	"4.1 frictionless with the 3DS method":             {shown: []string{"TestThreeDSFlow/frictionless with the 3DS method", "e2e-158", "TestThreeDSSDKInABrowser/frictionless"}},
	"4.2 challenge":                                    {shown: []string{"TestThreeDSFlow/challenge, manual capture", "e2e-162", "TestThreeDSSDKInABrowser/challenge"}},
	"4.3 no method URL":                                {shown: []string{"e2e-160"}},
	"4.3 method slow":                                  {run: methodLate},
	"4.3 without JavaScript, redirect only":            {shown: []string{"TestHostedWithoutScripts", "TestThreeDSInABrowser/without JavaScript"}},
	"4.3 server to server only":                        {run: serverOnly},
	"4.3 not enrolled":                                 {shown: []string{"e2e-176"}},
	"4.3 authenticated outside":                        {run: authenticatedOutside},
	"4.3 zero amount":                                  {run: zeroAmount},
	"4.3 first of a series of MITs":                    {run: firstOfSeries},
	"4.3 exemption by 3-D Secure":                      {run: exemptionByThreeDS},
	"4.3 exemption at the authorization":               {run: exemptionAtAuthorization},
	"4.3 exemption at the authorization, soft decline": {run: exemptionSoftDeclined},
	"8 low value, until it is used up":                 {run: lowValueUsedUp},
	"8 no word for the exemption":                      {run: exemptionByThreeDSInstead},
	"4.3 co-badged":                                    {run: cobadged},
	"4.4 3RI":                                          {run: threeRI},
	"4.5 soft decline, step-up":                        {run: stepUp},
	"4.5 second soft decline is final":                 {run: stepUpOnce},
	"4.5 payer away":                                   {run: stepUpAway},
	"4.6 decoupled":                                    {run: decoupled},
	"4.6 decoupled, too late":                          {run: decoupledLate},
	"5.2 wrong or missing client secret, wrong state":  {shown: []string{"TestKeys"}},
	"5.2 repeated after the answer":                    {shown: []string{"e2e-189"}},
	"5.2 more than the most tries":                     {run: tooManyTries},
	"5.3 messages to exact origins":                    {shown: []string{"TestThreeDSFlow/challenge, manual capture", "TestThreeDSSDKInABrowser/challenge"}},
	"6 background pulls":                               {shown: []string{"e2e-179"}},
	"6 push":                                           {run: pushed},
	"6 push twice, forged, of another":                 {run: pushedWrongly},
	"6 ids of another transaction in the result":       {run: resultOfAnother},
	"6 C, D, I inside the result":                      {run: unfinalResult},

	"F1":               {what: "no authenticator", run: noAuthenticator},
	"F2":               {what: "the processor takes no outside result", run: processorCannot},
	"F3":               {what: "no acquirer for the network", run: noAcquirer},
	"F4":               {what: "not enrolled", run: notEnrolled},
	"F5":               {what: "no version that is allowed", run: versionsOutside},
	"F6":               {what: "look-up: no answer, fallback", run: unreachable},
	"F6, F12 time-out": {what: "look-up, AReq: the bank lets us wait", run: hangs},
	"F7":               {what: "look-up: credentials refused", run: wrongCredentials},
	"F8":               {what: "the 3DS method never ends", shown: []string{"e2e-161", "TestThreeDSInABrowser/the 3DS method never ends"}},
	"F9":               {what: "notification of another transaction", run: methodOfAnother},
	"F10":              {what: "3ds/authentication never called", shown: []string{"e2e-182"}},
	"F11":              {what: "called after the session", shown: []string{"e2e-190"}},
	"F12":              {what: "AReq: time-out, technical error", run: areqUnanswered},
	"F13":              {what: "AReq: error of ours", run: areqRefused},
	"F14":              {what: "AReq: version not supported", run: lowerVersion},
	"F15":              {what: "N", shown: []string{"e2e-171"}},
	"F16":              {what: "R", shown: []string{"e2e-170"}},
	"F17":              {what: "U", shown: []string{"e2e-172", "e2e-173"}},
	"F18":              {what: "I, D, S without a request for them", run: unasked},
	"F19":              {what: "C without a good acsURL", shown: []string{"e2e-184"}, run: badACSURL},
	"F20":              {what: "Y without CAVV", run: withoutValue},
	"F21":              {what: "ids missing or of another", run: wrongIDs},
	"F22":              {what: "the tab is closed", shown: []string{"e2e-181", "TestThreeDSTabClosedInABrowser"}, run: tabClosed},
	"F23":              {what: "cancelled at the bank", shown: []string{"e2e-166"}},
	"F24":              {what: "wrong code too often", shown: []string{"e2e-165"}},
	"F25":              {what: "the bank waits no longer", run: bankTimeOut},
	"F26":              {what: "CReq too late", run: creqLate},
	"F27":              {what: "Erro to the notification URL", shown: []string{"e2e-183"}, run: erroAlone},
	"F28":              {what: "forged CRes", shown: []string{"TestThreeDSForged"}, run: forgedCRes},
	"F29":              {what: "CRes Y, RReq N", shown: []string{"e2e-178"}},
	"F30":              {what: "CRes N, RReq Y", run: cresSaysNo},
	"F31":              {what: "CRes replayed", shown: []string{"TestThreeDSFlow/challenge, manual capture"}},
	"F32":              {what: "late result in time", shown: []string{"e2e-180"}},
	"F33":              {what: "no result ever", run: neverAResult},
	"F34":              {what: "result forgotten", run: resultGone},
	"F35":              {what: "RReq U", shown: []string{"TestThreeDSChallenges"}, run: unavailableAfterChallenge},
	"F36":              {what: "RReq A", shown: []string{"e2e-168"}},
	"F37":              {what: "Y after the end", shown: []string{"e2e-188"}, run: pushedLate},
	"F38":              {what: "the merchant cancels", shown: []string{"e2e-188", "TestCancelledChallengeIsTold"}},
	"F39":              {what: "the amount is changed", run: amountChanged},
	"F40":              {what: "declined by the processor", run: declined},
	"F41":              {what: "soft decline", run: stepUp},
	"F42":              {what: "the processor does not answer", run: processorTimeOut},
	"F43":              {what: "another account after a decline", never: "no payment goes to another account by itself, and a result is consumed once; a new attempt is a new authentication (5.2)"},
	"F44":              {what: "the CVC has expired in between", never: "card and CVC are kept three times as long as an authentication may take (TestShortTerm of the engine removes them)"},
	"F45":              {what: "crash after the ARes", shown: []string{"TestKillThreeDS"}},
	"F46":              {what: "crash before the authorization", shown: []string{"TestKillThreeDS"}},
	"F47":              {what: "push, pull and CRes at once; 20 visits", run: allAtOnce},
	"F48":              {what: "two calls of 3ds/authentication", shown: []string{"e2e-189"}, run: askedAtOnce},
	"F49":              {what: "back and again", shown: []string{"TestThreeDSInABrowser/twice"}},
	"F50":              {what: "frame blocked", shown: []string{"TestThreeDSStrictShopInABrowser"}},
	"F51":              {what: "challenge window closed", shown: []string{"e2e-186", "e2e-187"}},

	"B1":  {shown: []string{"TestThreeDSInABrowser/frictionless"}},
	"B2":  {shown: []string{"TestThreeDSInABrowser/the 3DS method never ends"}},
	"B3":  {shown: []string{"TestThreeDSInABrowser/challenge in a frame of its size"}},
	"B4":  {shown: []string{"TestThreeDSInABrowser/wrong code three times"}},
	"B5":  {shown: []string{"TestThreeDSInABrowser/cancelled at the bank"}},
	"B6":  {shown: []string{"TestThreeDSTabClosedInABrowser"}},
	"B7":  {shown: []string{"TestThreeDSStrictShopInABrowser"}},
	"B8":  {shown: []string{"TestThreeDSWithoutCookiesInABrowser"}},
	"B9":  {what: "forged CRes before the code", run: forgedCRes},
	"B10": {shown: []string{"TestThreeDSInABrowser/challenge in a frame of its size"}},
	"B11": {shown: []string{"TestThreeDSInABrowser/twice"}},
	"B12": {shown: []string{"TestThreeDSInABrowser/without JavaScript"}},
	"B13": {shown: []string{"TestThreeDSInABrowser/on a telephone"}},
	"B14": {shown: []string{"TestThreeDSInABrowser/a return URL with quotes and tags"}},
}

// TestThreeDSBranches runs every branch that no other test runs, and checks that the other tests exist. It counts the branches without a test.
func TestThreeDSBranches(t *testing.T) {
	for kind, last := range map[string]int{"F": 51, "B": 14} {
		for i := 1; i <= last; i++ {
			require.Contains(t, branches, fmt.Sprint(kind, i))
		}
	}
	sources := testSources(t)
	never := 0
	for id, one := range branches {
		require.True(t, one.run != nil || len(one.shown) > 0 || one.never != "", id)
		for _, name := range one.shown {
			test, sub, _ := strings.Cut(name, "/")
			if strings.HasPrefix(name, "e2e-") {
				test, sub = "", name
			}
			require.True(t, strings.Contains(sources, "func "+test+"("), "%s is shown by a test that is not there: %s", id, name)
			require.True(t, strings.Contains(sources, `"`+sub+`"`), "%s is shown by a case that is not there: %s", id, name)
		}
		switch {
		case one.never != "":
			never++
		case one.run != nil:
			t.Run(id+" "+one.what, func(t *testing.T) {
				t.Parallel()
				one.run(newBankWorld(t))
			})
		}
	}
	require.Equal(t, 2, never, "branches that nothing shows")
}

// testSources returns the source text of the tests of this package and of the program.
func testSources(t *testing.T) string {
	var all strings.Builder
	all.WriteString("func (" + `"" ` + readFile(t, "../engine/threeds/internal/vector/vectors.json"))
	for _, pattern := range []string{"*_test.go", "../cmd/payswitch/*_test.go"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, f := range files {
			b, err := os.ReadFile(f)
			require.NoError(t, err)
			all.Write(b)
		}
	}
	return all.String()
}
