package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// realProject returns a project with an adapter of this repository, its sources and its cases.
func realProject(t *testing.T, name string) string {
	t.Helper()
	dir, from := newProject(t, name), filepath.Join(root, "plugins", name)
	old, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	cases, err := filepath.Glob(filepath.Join(dir, "testdata", "*"))
	require.NoError(t, err)
	for _, file := range slices.Concat(old, cases) {
		require.NoError(t, os.Remove(file))
	}
	for _, pattern := range []string{"*.go", "*.txt", "testdata/*.json", "wasm/main.go"} {
		files, err := filepath.Glob(filepath.Join(from, pattern))
		require.NoError(t, err)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			to, err := filepath.Rel(from, file)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(dir, to), []byte(strings.Replace(string(text), "payswitch/plugins/"+name, "example.com/"+name, 1)), 0o600))
		}
	}
	return dir
}

// A realMutant is an adapter of this repository with one mistake.
type realMutant struct {
	adapter string
	changes []change
	finds   []string // texts of the report of plugin check
}

var realMutants = map[string]realMutant{
	// placements
	"nmi: the CVC stands in another field": {"nmi", []change{{"adapter.go", `CVC: "cvv"`, `CVC: "cvv2"`}},
		[]string{"authorize: nmi.json:", "(case authorize_minimal): the host refuses it: rule secret: the stand-in of cvc in the body's field cvv"}},
	"nmi: verifications have no placement": {"nmi", []change{{"adapter.go", `sdk.OpAuthorize, sdk.OpVerify)`, `sdk.OpAuthorize)`}},
		[]string{"verify: nmi.json:", "(case setup_mandate_minimal): the host refuses it: rule secret: the stand-in of"}},
	"mollie: the placement is of another host": {"mollie", []change{{"adapter.go", `Host: "api.cc.mollie.com"`, `Host: "api.mollie.com"`}},
		[]string{"authorize: mollie.json:", "rule secret: the stand-in of card_number"}},
	"mollie: the CVC has no placement": {"mollie", []change{{"adapter.go", `, place("cvc", sdk.OpAuthorize, "cardCvv")`, ``}},
		[]string{"authorize: mollie.json:", "rule secret: the stand-in of cvc in the body's field cardCvv"}},
	// authentication
	"nmi: queries are not authenticated": {"nmi", []change{{"adapter.go", `				{Secret: "api_key", Method: "POST", Path: queryPath, In: "body", Field: "security_key"},
`, ``}}, []string{"sync: nmi.json:", "rule secret: the stand-in of api_key in the body's field security_key"}},
	"mollie: the key stands in another header": {"mollie", []change{{"adapter.go", `In: "header", Field: "Authorization"}`, `In: "header", Field: "X-Api-Key"}`}},
		[]string{"rule secret: the stand-in of api_key in the header Authorization"}},
	// names
	"nmi: queries read a misspelt credential": {"nmi", []change{{"later.go", `c.Account.Credentials["api_key"]`, `c.Account.Credentials["api_kye"]`}},
		[]string{`sync: the adapter reads the credential "api_kye", which the manifest does not declare: did you mean "api_key"?`}},
	"nmi: a config field is misspelt": {"nmi", []change{{"authorize.go", `c.Account.Config["dup_seconds"]`, `c.Account.Config["dup_second"]`}},
		[]string{`authorize: the adapter reads the config field "dup_second", which the manifest does not declare: did you mean "dup_seconds"?`}},
	"mollie: the profile is read by another name": {"mollie", []change{{"authorize.go", `c.Account.Credentials["profile_token"]`, `c.Account.Credentials["profile_tokens"]`}},
		[]string{`authorize: the adapter reads the credential "profile_tokens", which the manifest does not declare: did you mean "profile_token"?`}},
	// statuses
	"nmi: a pending payment is captured": {"nmi", []change{{"later.go", `{sdk.StatusAuthorized, "pending"}, {sdk.StatusCaptured, "pendingsettlement complete"}`, `{sdk.StatusCaptured, "pending pendingsettlement complete"}`}},
		[]string{"sync: nmi.responses.json:", "(status pending): ", "want authorized = [authorized], got"}},
	"nmi: an error of the gateway is an approval": {"nmi", []change{{"answer.go", `whole = whole && code == approvedCode && r.OK()`, `whole = whole && r.OK()`}, {"answer.go", `case "1":`, `case "1", "3":`}, {"answer.go", `case "2", "3":`, `case "2":`}},
		[]string{"authorize: nmi.responses.json:", "got captured"}},
	"mollie: a paid payment is only authorized": {"mollie", []change{{"payment.go", `sdk.StatusCaptured, part(c, j, "amount"), totals(c, j)`, `sdk.StatusAuthorized, part(c, j, "amount"), totals(c, j)`}},
		[]string{"authorize: mollie.responses.json:", "want captured, got authorized"}},
	"mollie: a queued refund is done": {"mollie", []change{{"later.go", `{sdk.StatusPending, "queued pending processing"}, {sdk.StatusRefunded, "refunded"}`, `{sdk.StatusRefunded, "queued pending processing refunded"}`}},
		[]string{"refund: mollie.responses.json:", "got refunded"}},
	"mollie: an unknown state is a success": {"mollie", []change{{"payment.go", `	default:
		sdk.Check(sdk.ErrAnswer)
	}
	customer`, `	default:
		o.Status, o.Amount = sdk.StatusAuthorized, part(c, j, "amount")
	}
	customer`}},
		[]string{"mollie.responses.json:", "(status unheardof): unheardof: want", "got authorized"}},
	"nmi: a decline has another reason": {"nmi", []change{{"declines.txt", `202`, `299`}},
		[]string{"nmi.responses.json:", "(decline 202): 202: want insufficient_funds = [insufficient_funds], got"}},
	// amounts
	"mollie: amounts have no decimals": {"mollie", []change{{"adapter.go", `Str("value", m.Major())`, `Int("value", m.Minor)`}},
		[]string{"authorize: mollie.json:", `body.amount.value: want "10.00", got 1000`}},
	"mollie: any currency is the payment's": {"mollie", []change{{"payment.go", `(asked == "" || asked == m.Currency)`, `asked != "XTS"`}},
		[]string{"mollie.responses.json:", "another currency"}},
	"nmi: a capture takes what was authorized": {"nmi", []change{{"later.go", `amount(r.Amount)))`, `amount(sdk.Money{Minor: r.Payment.Authorized + 1, Currency: r.Amount.Currency})))`}},
		[]string{"capture: nmi.json:", `(case capture_partial): body.amount: want "`}},
	// idempotency
	"mollie: changes have no idempotency key": {"mollie", []change{{"adapter.go", `		s.Keyed("Idempotency-Key")`, `		s.SafeToRepeat = false`}},
		[]string{"authorize: POST https://", "is not safe to repeat, but resolve.by has idempotent_resend and no reference"}},
	"mollie: the key is the payment's, for all its changes": {"mollie", []change{{"adapter.go", `		s.Keyed("Idempotency-Key")`, `		s.Headers = append(s.Headers, sdk.H("Idempotency-Key", "payswitch"))`}},
		[]string{"two operations send the same Idempotency-Key: use Call.IdempotencyKey, or Send.IdempotencyHeader"}},
	// hosts
	"nmi: queries go to a host that is not declared": {"nmi", []change{{"later.go", `sdk.FormSend(queryPath, form)`, `sdk.FormSend("https://query.nmi.com"+queryPath, form)`}},
		[]string{"sync: nmi.json:", `rule host: host "query.nmi.com" is not approved`, "declare the host in environments"}},
	"mollie: the host of card tokens is not declared": {"mollie", []change{{"adapter.go", `"https://api.mollie.com/v2", "api.cc.mollie.com")`, `"https://api.mollie.com/v2")`}}, []string{`placements[0].host: "api.cc.mollie.com" is not a host of any environment`}},
	// Checkout.com: JSON, amounts in minor units with exceptions, results that come later.
	"checkout: the CVC stands in another field": {"checkout", []change{{"adapter.go", `CVC: "source.cvv"`, `CVC: "source.cvc"`}},
		[]string{"authorize: checkout.json:", "rule secret: the stand-in of cvc in the body's field source.cvv"}},
	"checkout: the cryptogram has no placement": {"checkout", []change{{"adapter.go", `, CAVV: "3ds.cryptogram"`, ``}},
		[]string{"authorize: ", "rule secret: the stand-in of cavv in the body's field 3ds.cryptogram"}},
	"checkout: verifications have no placement": {"checkout", []change{{"adapter.go", `sdk.OpAuthorize, sdk.OpVerify)`, `sdk.OpAuthorize)`}},
		[]string{"verify: checkout.json:", "rule secret: the stand-in of"}},
	"checkout: the key stands in another header": {"checkout", []change{{"adapter.go", `In: "header", Field: "Authorization"}`, `In: "header", Field: "X-Api-Key"}`}},
		[]string{"rule secret: the stand-in of api_secret in the header Authorization"}},
	"checkout: the key is sent without its scheme": {"checkout", []change{{"adapter.go", `c.Bearer(secretKey)).KeyedOnce(`, `sdk.H("Authorization", c.Account.Credentials[secretKey])).KeyedOnce(`}},
		[]string{"authorize: checkout.json:", `headers.authorization: want "Bearer `}},
	"checkout: the channel is read by another name": {"checkout", []change{{"authorize.go", `c.Account.Credentials[channelID]`, `c.Account.Credentials["channel"]`}},
		[]string{"authorize: checkout.json:", `body.processing_channel_id: want "probe_channel", got ""`}},
	"checkout: queries read a misspelt credential": {"checkout", []change{{"dispute.go", `c.Bearer(secretKey)`, `c.Bearer("api_secre")`}},
		[]string{`the adapter reads the credential "api_secre", which the manifest does not declare: did you mean "api_secret"?`}},
	"checkout: a captured payment is only authorized": {"checkout", []change{{"answer.go", `o.Status, o.Amount = sdk.StatusCaptured, cmp.Or(taken, o.Amount)`, `o.Status, o.Amount = sdk.StatusAuthorized, cmp.Or(taken, o.Amount)`}}, []string{"sync: checkout.responses.json:", "want captured, got authorized"}},
	"checkout: an unknown status is a success": {"checkout", []change{{"answer.go", `		sdk.Expect(false, "unknown status: "+status)`, `		o.Status = sdk.StatusAuthorized`}},
		[]string{"authorize: checkout.responses.json:", "(case charged): no status: captured became authorized"}},
	"checkout: a declined payment waits": {"checkout", []change{{"answer.go", `		o.Status, o.Amount, o.Decline = sdk.StatusDeclined, nil, decline(j)`, `		o.Status, o.Amount = sdk.StatusPending, nil`}},
		[]string{"authorize: checkout.responses.json:", "want declined, got pending"}},
	"checkout: a decline has another reason": {"checkout", []change{{"declines.txt", `20051                                insufficient_funds`, `20051                                do_not_honor`}},
		[]string{"checkout.responses.json:", "(decline 20051): 20051: want insufficient_funds = [insufficient_funds], got"}},
	"checkout: amounts are in major units": {"checkout", []change{{"adapter.go", `	return value
`, `	return value / 100
`}}, []string{"authorize: checkout.json:", "body.amount: want 1000, got 10"}},
	"checkout: the answer's amount is not read": {"checkout", []change{{"answer.go", `		Amount: stated(c, j, "amount")`, `		Amount: &r.Amount`}},
		[]string{"checkout.responses.json:", "another amount amount: captured with the requested amount"}},
	"checkout: the key is the same for all changes": {"checkout", []change{{"adapter.go", `c.Bearer(secretKey)).KeyedOnce("Cko-Idempotency-Key")`, `c.Bearer(secretKey), sdk.H("Cko-Idempotency-Key", "payswitch"))`}},
		[]string{"two operations send the same Cko-Idempotency-Key"}},
	"checkout: payments go to a host that is not declared": {"checkout", []change{{"authorize.go", `post(c, "/payments", payment(c))`, `post(c, "https://eu.checkout.com/payments", payment(c))`}},
		[]string{"authorize: checkout.json:", `rule host: host "eu.checkout.com" is not approved`}},
	"checkout: messages are believed without their signature": {"checkout", []change{{"webhook.go", `	c.Signed(webhookSecret, `, `	_ = []any{webhookSecret, `},
		{"webhook.go", `"Cko-Signature"))`, `"Cko-Signature")}`}, {"webhook.go", `Sync: true}`, `Outcome: &sdk.Outcome{Status: sdk.StatusCaptured}}`}},
		[]string{"webhook: ", "believes a"}},

	// Global Payments: an access token, amounts as texts, a signature over body and key.
	"globalpay: the CVC of a verification stands in another field": {"globalpay", []change{{"adapter.go", `CVC: "card.cvv"}`, `CVC: "card.cvc"}`}},
		[]string{"verify: ", "rule secret: the stand-in of cvc in the body's field card.cvv"}},
	"globalpay: what waits is captured": {"globalpay", []change{{"answer.go", `{sdk.StatusCaptured, "CAPTURED BATCHED FUNDED"},
	{sdk.StatusPending, "PENDING INITIATED FOR_REVIEW"}`, `{sdk.StatusCaptured, "CAPTURED BATCHED FUNDED PENDING INITIATED FOR_REVIEW"}`}},
		[]string{"globalpay.responses.json:", "want pending = [pending], got captured"}},
	"globalpay: captures have decimals": {"globalpay", []change{{"later.go", `"/capture"), sdk.NewObject().Str("amount", minor(c.Request.Amount))`, `"/capture"), sdk.NewObject().Str("amount", c.Request.Amount.Major())`}},
		[]string{"capture: globalpay.json:", `body.amount: want "1000", got "10.00"`}},
	"globalpay: requests have no version": {"globalpay", []change{{"adapter.go", `body, c.Bearer("access_token"), version)`, `body, c.Bearer("access_token"))`}},
		[]string{"authorize: globalpay.json:", `headers.x-gp-version: want "2021-03-22"`}},
	"globalpay: the grant of a token is misspelt": {"globalpay", []change{{"adapter.go", `"client_credentials"`, `"client_credential"`}},
		[]string{"access_token: globalpay.json:", `body.grant_type: want "client_credentials", got "client_credential"`}},
}

// Mistakes in four adapters of this repository are not certified either: each report names the case, the field or the host. The originals pass.
func TestPluginCheckFindsRealMutants(t *testing.T) {
	costly(t)
	t.Parallel()
	require.GreaterOrEqual(t, len(realMutants), 40)
	names := map[string][]string{} // by adapter
	for _, name := range slices.Sorted(maps.Keys(realMutants)) {
		names[realMutants[name].adapter] = append(names[realMutants[name].adapter], name)
	}
	require.Len(t, names, 4)
	for adapter, names := range names {
		t.Run(adapter, func(t *testing.T) {
			t.Parallel()
			changes := [][]change{nil} // the original
			for _, name := range names {
				changes = append(changes, realMutants[name].changes)
			}
			program := buildMutants(t, realProject(t, adapter), adapter, changes)
			report, printed := checkMutant(t, program, 0)
			require.True(t, report.Passed, printed)
			for i, name := range names {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					report, printed := checkMutant(t, program, 1+i)
					require.False(t, report.Passed)
					for _, text := range realMutants[name].finds {
						require.Contains(t, printed, text)
					}
				})
			}
		})
	}
}
