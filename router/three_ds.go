package router

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/threeds/flow"
	"payswitch/sdk"
)

// Authentications are the engine's use cases of 3-D Secure that payswitch runs itself.
type Authentications interface {
	AuthenticatePayment(ctx context.Context, a account.Auth, paymentID string, in flow.AuthenticationInput) (*flow.AuthenticationView, error)
	PollStatus(ctx context.Context, a account.Auth, pollID string) (string, error)
	AuthorizeReturn(ctx context.Context, in flow.AuthorizeInput) (*flow.AuthorizeView, error)
	MethodNotified(ctx context.Context, token, data string) (*flow.CallbackView, error)
	ChallengeShown(ctx context.Context, token string) (*flow.CallbackView, error)
	ChallengeNotified(ctx context.Context, token, message, sessionData string) (*flow.CallbackView, error)
	AuthenticatorCalled(ctx context.Context, token string, m sdk.WebhookMessage) (*sdk.Reply, error)
	AuthenticatorEvent(ctx context.Context, token string, m sdk.WebhookMessage) (*flow.CallbackView, error)
	MethodFrames(ctx context.Context, token string) ([]string, *flow.CallbackView, error)
	ChallengePage(ctx context.Context, token string) (string, *flow.CallbackView, error)
	HostedPage(ctx context.Context, token string) (*flow.HostedPage, error)
	HostedAuthenticate(ctx context.Context, token string, in flow.AuthenticationInput) (*flow.AuthenticationView, error)
}

// appSDKFields reads sdk_information.
var appSDKFields = openObject(
	must(at("sdk_app_id", text, func(a *sdk.AppSDK) *string { return &a.AppID })),
	must(at("sdk_enc_data", text, func(a *sdk.AppSDK) *string { return &a.EncData })),
	must(at("sdk_ephem_pub_key", objectText, func(a *sdk.AppSDK) *string { return &a.EphemPubKey })),
	must(at("sdk_trans_id", text, func(a *sdk.AppSDK) *string { return &a.TransID })),
	must(at("sdk_reference_number", text, func(a *sdk.AppSDK) *string { return &a.ReferenceNumber })),
	must(at("sdk_max_timeout", small(0, 255), func(a *sdk.AppSDK) *int { return &a.MaxTimeout })),
	at("sdk_type", oneOf([]string{"01", "02", "03", "04", "05"}), func(a *sdk.AppSDK) *string { return &a.Type }),
	at("device_details", objectText, func(a *sdk.AppSDK) *string { return &a.DeviceDetails }),
)

// objectText reads an object and returns its JSON text.
func objectText(r *reader) (string, error) {
	raw, err := anyObject(r)
	return string(raw), err
}

type viewport struct {
	width, height int
	fullPage      bool
}

var viewportFields = openObject(
	at("width", small(0, math.MaxInt16), func(v *viewport) *int { return &v.width }),
	at("height", small(0, math.MaxInt16), func(v *viewport) *int { return &v.height }),
	at("full_page", boolean, func(v *viewport) *bool { return &v.fullPage }),
)

// authenticationFields reads the body of 3ds/authentication. It ignores other keys: the web SDK sends browser_info, but the payment already has it.
var authenticationFields = openObject(
	at("client_secret", text, func(a *flow.AuthenticationInput) *string { return &a.ClientSecret }),
	must(at("device_channel", oneOf(deviceChannels), func(a *flow.AuthenticationInput) *string { return (*string)(&a.Channel) })),
	must(at("threeds_method_comp_ind", oneOf(completionIndicators), func(a *flow.AuthenticationInput) *string { return &a.Completion })),
	opt("sdk_information", appSDKFields.parse, func(a *flow.AuthenticationInput) **sdk.AppSDK { return &a.App }),
	field[flow.AuthenticationInput]{key: "challenge_window", read: func(r *reader, a *flow.AuthenticationInput) error {
		v, err := viewportFields.parse(r)
		a.Width, a.Height, a.FullPage = v.width, v.height, v.fullPage
		return err
	}},
)

// authenticatePayment sends the authentication request (AReq) of a payment that waits for it.
func (s *Server) authenticatePayment(c *call) (answer, error) {
	var in flow.AuthenticationInput
	if err := decode(c, authenticationFields, &in); err != nil {
		return answer{}, err
	}
	if in.ClientSecret = c.clientSecret(in.ClientSecret); in.ClientSecret == "" {
		return answer{}, fault.Missing("client_secret")
	}
	v, err := s.Payments.AuthenticatePayment(c.ctx(), c.auth, c.param("payment_id"), in)
	if err != nil {
		return answer{}, err
	}
	return authenticationAnswer(v), nil
}

// authenticationAnswer returns the answer to 3ds/authentication. It always has every key.
func authenticationAnswer(v *flow.AuthenticationView) answer {
	var w writer
	w.open().str("trans_status", v.TransStatus).text("acs_url", v.ACSURL).text("challenge_request", v.ChallengeRequest)
	w.str("challenge_request_key", cmp.Or(v.ChallengeKey, "creq")).text("three_ds_session_data", v.SessionData).text("challenge_window_size", v.Window)
	w.text("acs_reference_number", v.ACSReference).text("acs_trans_id", v.ACSTransID).text("acs_signed_content", v.ACSSignedContent)
	w.text("three_dsserver_trans_id", v.ServerTransID).text("three_ds_server_trans_id", v.ServerTransID)
	w.text("three_ds_requestor_url", v.RequestorURL).text("three_ds_requestor_app_url", v.RequestorAppURL)
	w.text("cardholder_info", v.CardholderInfo).text("error_message", v.ErrorMessage).str("status", string(v.Status)).close()
	return w.answer()
}

// pollStatus answers whether the payer has finished their part of a payment.
func (s *Server) pollStatus(c *call) (answer, error) {
	id := c.param("poll_id")
	if t := c.token; t != nil { // a token opens its own payment alone
		if err := s.Payments.CheckClientSecret(c.ctx(), c.auth, t.PaymentID, t.ClientSecret); err != nil {
			return answer{}, err
		}
		if id != flow.PollID(t.PaymentID) {
			return answer{}, fault.NotFound("Poll")
		}
	}
	status, err := s.Payments.PollStatus(c.ctx(), c.auth, id)
	if err != nil {
		return answer{}, err
	}
	var w writer
	w.open().str("poll_id", id).str("status", status).close()
	return w.answer(), nil
}

// A client polls every pollDelay seconds, pollFrequency times. That is longer than the engine waits for a result.
const pollDelay, pollFrequency = 2, 30

// waitDelay is the number of seconds between polls during a decoupled authentication, which takes minutes.
const waitDelay = 10

// writeInvoke writes the next_action three_ds_invoke, or wait_screen_information while the issuer reaches the payer by itself. The times of the latter
// are nanoseconds since 1970.
func writeInvoke(w *writer, v *change.View) {
	i := v.Attempt.Private.Invoke
	if !i.WaitUntil.IsZero() {
		w.key("next_action").open().str("type", "wait_screen_information")
		w.int("display_from_timestamp", i.WaitFrom.UnixNano()).int("display_to_timestamp", i.WaitUntil.UnixNano())
		w.key("poll_config").open().int("delay_in_secs", waitDelay).int("frequency", int64(i.WaitUntil.Sub(i.WaitFrom)/time.Second)/waitDelay+1).close().close()
		return
	}
	w.key("next_action").open().str("type", "three_ds_invoke").key("three_ds_data").open()
	w.str("three_ds_authentication_url", v.BaseURL+"/payments/"+v.Payment.ID+"/3ds/authentication")
	w.str("three_ds_authorize_url", flow.AuthorizeURL(v.BaseURL, v.Payment, v.Attempt, i.AuthorizeToken))
	w.key("three_ds_method_details").open().bool("three_ds_method_data_submission", i.MethodURL != "")
	if i.MethodURL != "" {
		w.str("three_ds_method_key", i.MethodKey).str("three_ds_method_data", i.MethodData).str("three_ds_method_url", i.MethodURL)
	} else {
		w.null("three_ds_method_key", "three_ds_method_data", "three_ds_method_url")
	}
	w.bool("consume_post_message_for_three_ds_method_completion", i.PostMessage).close()
	w.key("poll_config").open().str("poll_id", flow.PollID(v.Payment.ID)).int("delay_in_secs", pollDelay).int("frequency", pollFrequency).close()
	w.text("message_version", i.Version).text("directory_server_id", i.DirectoryServerID).text("card_network", string(i.Network))
	w.text("three_ds_connector", i.Connector).close()
	w.str("redirect_to_url", v.BaseURL+"/3ds/run/"+i.PageToken).close()
}

// writeAuthentication writes external_authentication_details. A view for the payer's client lacks the fields that prove the authentication.
func writeAuthentication(w *writer, v *change.View, a *payment.Attempt) {
	s := a.Details.Authentication
	if s == nil {
		w.null("external_authentication_details", "external_3ds_authentication_attempted")
		return
	}
	w.key("external_authentication_details").open().text("authentication_flow", string(s.Flow))
	if v.Public {
		w.null("electronic_commerce_indicator", "ds_transaction_id")
	} else {
		w.text("electronic_commerce_indicator", s.ECI).text("ds_transaction_id", s.DSTransID)
	}
	w.str("status", string(s.Status)).text("version", s.Version).text("error_code", s.ErrorCode).text("error_message", s.ErrorMessage)
	w.text("authentication_id", s.ID).text("authenticator", s.Connector).text("outcome", string(s.Outcome)).text("trans_status", s.TransStatus)
	w.text("trans_status_reason", s.TransStatusReason).text("challenge_cancel", s.ChallengeCancel).text("exemption", s.Exemption)
	w.text("liability_shift", s.Shift).close()
	w.bool("external_3ds_authentication_attempted", s.Connector != "")
}

// writeExemption writes sca_exemption: the decision about an exemption from strong customer authentication, if one was wanted. A view for the payer's
// client lacks it.
func writeExemption(w *writer, v *change.View, a *payment.Attempt) {
	x := a.Details.Exemption
	if x == nil || v.Public {
		return
	}
	w.key("sca_exemption").open().text("exemption", string(x.Exemption)).text("route", string(x.Route)).str("reason", string(x.Reason)).strings("passed_over", names(x.PassedOver)).close()
}

// jsonOf returns the JSON text of v for a data attribute. The template escapes it, and the page's script parses it.
func jsonOf(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic("router: " + err.Error()) // v holds texts and lists alone, which encoding/json always accepts
	}
	return string(b)
}
