package simulator_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// completing returns the request of complete: the payment again, and what came back from the page.
func completing(first sdk.Request, o *sdk.Outcome, pairs ...sdk.Header) sdk.Request {
	r := later(first, o)
	first.TransactionID, first.ConnectorData, first.Payment = r.TransactionID, r.ConnectorData, r.Payment
	first.Return = &sdk.Return{Method: "GET", Query: pairs}
	return first
}

func asked3DS(minor int64, how sdk.CaptureMethod) sdk.Request {
	r := request(visa, minor, how)
	r.Request3DS = true
	return r
}

func TestRedirect(t *testing.T) {
	first := asked3DS(6050, sdk.CaptureAutomatic)
	first.StoredCredential = &sdk.StoredCredentialUse{Initiator: "cit", First: true, Usage: "off_session"}
	o := do(t, sdk.OpAuthorize, 0, first)
	require.Equal(t, sdk.StatusCustomerAction, o.Status)
	require.Nil(t, o.StoredCredential)
	require.Equal(t, sdk.NextActionRedirect, o.NextAction.Type)
	u, err := url.Parse(o.NextAction.URL)
	require.NoError(t, err)
	require.Equal(t, "https://switch.example:8443", u.Scheme+"://"+u.Host)
	require.Equal(t, "/sim/redirect", u.Path)
	require.Equal(t, url.Values{"return_url": {first.ReturnURL}, "amount": {"6050"}, "currency": {"USD"}}, u.Query())

	synced := do(t, sdk.OpSync, time.Hour, later(first, o))
	require.Equal(t, sdk.StatusCustomerAction, synced.Status)
	require.Equal(t, o.NextAction, synced.NextAction)

	for _, pairs := range [][]sdk.Header{nil, {sdk.H("result", "maybe")}, {sdk.H("other", "approve")}} {
		again := do(t, sdk.OpComplete, time.Second, completing(first, o, pairs...))
		require.Equal(t, sdk.StatusCustomerAction, again.Status)
		require.Equal(t, o.NextAction, again.NextAction)
	}

	done := do(t, sdk.OpComplete, time.Second, completing(first, o, sdk.H("result", "approve")))
	require.Equal(t, sdk.StatusCaptured, done.Status)
	require.Equal(t, o.TransactionID, done.TransactionID)
	require.Equal(t, usd(6050), *done.Amount)
	require.NotEmpty(t, done.NetworkTransactionID)
	require.NotNil(t, done.StoredCredential)
	require.Equal(t, done, do(t, sdk.OpComplete, time.Minute, completing(first, done)), "a second return finds the same")
	known := do(t, sdk.OpSync, 0, later(first, done))
	require.Equal(t, done, known)

	form := completing(first, o)
	form.Return = &sdk.Return{Method: "POST", Form: []sdk.Header{sdk.H("result", "decline")}, Query: []sdk.Header{sdk.H("result", "approve")}}
	no := do(t, sdk.OpComplete, time.Second, form)
	require.Equal(t, "declined:authentication_failed", said(no))
	require.Equal(t, "declined:authentication_failed", said(do(t, sdk.OpSync, 0, later(first, no))))
	require.Equal(t, "declined:authentication_failed", said(do(t, sdk.OpComplete, 0, completing(first, no, sdk.H("result", "approve")))), "no is no")

	cancelled := completing(first, o, sdk.H("result", "approve"))
	cancelled.Payment.Voided = true
	require.Equal(t, "unexpected_state", do(t, sdk.OpComplete, 0, cancelled).Decline.Code)
}

func TestRedirectOfManualAndZero(t *testing.T) {
	first := asked3DS(100, sdk.CaptureManual)
	require.Equal(t, sdk.StatusAuthorized, do(t, sdk.OpComplete, 0, completing(first, do(t, sdk.OpAuthorize, 0, first), sdk.H("result", "approve"))).Status)

	first = asked3DS(0, sdk.CaptureAutomatic)
	o := do(t, sdk.OpVerify, 0, first)
	require.Equal(t, sdk.StatusCustomerAction, o.Status)
	o = do(t, sdk.OpComplete, 0, completing(first, o, sdk.H("result", "approve")))
	require.Equal(t, sdk.StatusVerified, o.Status)
	require.NotNil(t, o.StoredCredential)
	require.Equal(t, sdk.StatusVerified, do(t, sdk.OpSync, 0, later(first, o)).Status)
}

// The amounts still decide after the redirect, and a sync finds a lost answer.
func TestRedirectAmounts(t *testing.T) {
	for code, want := range map[int64]struct{ now, sync string }{
		20: {"pending", "captured"},
		21: {"pending", "declined:do_not_honor"},
		30: {"unknown", "captured"},
		31: {"unknown", "requires_customer_action"},
		32: {"unknown", "declined:do_not_honor"},
	} {
		first := asked3DS(magic+code, sdk.CaptureAutomatic)
		sent := do(t, sdk.OpAuthorize, 0, first)
		require.Equal(t, sdk.StatusCustomerAction, sent.Status, code)
		o := do(t, sdk.OpComplete, time.Second, completing(first, sent, sdk.H("result", "approve")))
		require.Equal(t, want.now, said(o), code)
		synced := do(t, sdk.OpSync, 6*time.Second, resolving(told(later(first, sent), o), sdk.OpComplete))
		require.Equal(t, want.sync, said(synced), code)
		unheard := do(t, sdk.OpSync, 6*time.Second, resolving(later(first, sent), sdk.OpComplete))
		require.Equal(t, sdk.StatusCustomerAction, unheard.Status, "an answer that never arrived is still to be given")
	}
	for _, reason := range []sdk.DeclineReason{sdk.DeclineFraud, sdk.DeclineAuthenticationFailed} {
		require.Equal(t, reason, do(t, sdk.OpAuthorize, 0, asked3DS(amountOf(reason), sdk.CaptureAutomatic)).Decline.Reason)
	}
}

// A soft decline asks for 3-D Secure; with it the payment is approved.
func TestSoftDecline(t *testing.T) {
	soft := amountOf(sdk.DeclineAuthenticationNeeded)
	require.Equal(t, "declined:authentication_required", said(do(t, sdk.OpAuthorize, 0, request(visa, soft, sdk.CaptureAutomatic))))
	first := asked3DS(soft, sdk.CaptureAutomatic)
	o := do(t, sdk.OpAuthorize, 0, first)
	require.Equal(t, sdk.StatusCustomerAction, o.Status)
	require.Equal(t, sdk.StatusCaptured, do(t, sdk.OpComplete, 0, completing(first, o, sdk.H("result", "approve"))).Status)
	proven := request(visa, soft, sdk.CaptureAutomatic)
	proven.ThreeDS = outside()
	require.Equal(t, sdk.StatusCaptured, do(t, sdk.OpAuthorize, 0, proven).Status)
	proven.ThreeDS.TransStatus, proven.ThreeDS.CAVV = "U", ""
	require.Equal(t, "declined:authentication_required", said(do(t, sdk.OpAuthorize, 0, proven)), "no proof")
}

func outside() *sdk.ThreeDSResult {
	return &sdk.ThreeDSResult{CAVV: "CAVVStandIn", ECI: "05", TransStatus: "Y", Version: "2.2.0", DSTransID: "c4e59ceb-a382-4d6a-bc87-385d591fa09d"}
}

func TestOutside3DS(t *testing.T) {
	for name, row := range map[string]struct {
		change func(r *sdk.ThreeDSResult)
		want   string // status, or the parameter of a reject
	}{
		"as it should be": {func(r *sdk.ThreeDSResult) {}, "captured"},
		"2.3.1":           {func(r *sdk.ThreeDSResult) { r.Version = "2.3.1" }, "captured"},
		"attempt":         {func(r *sdk.ThreeDSResult) { r.TransStatus, r.ECI = "A", "06" }, "captured"},
		"Mastercard":      {func(r *sdk.ThreeDSResult) { r.ECI = "02" }, "captured"},
		"no status told":  {func(r *sdk.ThreeDSResult) { r.TransStatus = "" }, "captured"},
		"upper case id":   {func(r *sdk.ThreeDSResult) { r.DSTransID = "C4E59CEB-A382-4D6A-BC87-385D591FA09D" }, "captured"},
		"unavailable":     {func(r *sdk.ThreeDSResult) { r.TransStatus, r.CAVV, r.ECI = "U", "", "07" }, "captured"},
		"informational":   {func(r *sdk.ThreeDSResult) { r.TransStatus, r.CAVV, r.ECI = "I", "", "" }, "captured"},
		"not proven":      {func(r *sdk.ThreeDSResult) { r.TransStatus = "N" }, "declined:authentication_failed"},
		"rejected":        {func(r *sdk.ThreeDSResult) { r.TransStatus = "R" }, "declined:authentication_failed"},
		"unfinished":      {func(r *sdk.ThreeDSResult) { r.TransStatus = "C" }, "declined:authentication_failed"},
		"other status":    {func(r *sdk.ThreeDSResult) { r.TransStatus = "X" }, "three_ds_data.transaction_status"},
		"no cryptogram":   {func(r *sdk.ThreeDSResult) { r.CAVV = "" }, "three_ds_data.authentication_cryptogram"},
		"no ECI":          {func(r *sdk.ThreeDSResult) { r.ECI = "" }, "three_ds_data.eci"},
		"ECI of one":      {func(r *sdk.ThreeDSResult) { r.ECI = "5" }, "three_ds_data.eci"},
		"ECI of letters":  {func(r *sdk.ThreeDSResult) { r.ECI = "0x" }, "three_ds_data.eci"},
		"version 1":       {func(r *sdk.ThreeDSResult) { r.Version = "1.0.2" }, "three_ds_data.version"},
		"version 2.":      {func(r *sdk.ThreeDSResult) { r.Version = "2." }, "three_ds_data.version"},
		"no version":      {func(r *sdk.ThreeDSResult) { r.Version = "" }, "three_ds_data.version"},
		"no id":           {func(r *sdk.ThreeDSResult) { r.DSTransID = "" }, "three_ds_data.ds_trans_id"},
		"id of no form":   {func(r *sdk.ThreeDSResult) { r.DSTransID = "c4e59ceb0a382-4d6a-bc87-385d591fa09d" }, "three_ds_data.ds_trans_id"},
		"id of no digits": {func(r *sdk.ThreeDSResult) { r.DSTransID = "g4e59ceb-a382-4d6a-bc87-385d591fa09d" }, "three_ds_data.ds_trans_id"},
	} {
		r := asked3DS(100, sdk.CaptureAutomatic) // with a result from outside, no redirect
		r.ThreeDS = outside()
		row.change(r.ThreeDS)
		if result := answer(t, sdk.OpAuthorize, 0, r); result.Reject != nil {
			require.Equal(t, row.want, result.Reject.Parameter, name)
		} else {
			require.Equal(t, row.want, said(result.Outcome), name)
		}
	}
}
