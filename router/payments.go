package router

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strconv"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/link"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// Payments are the engine's use cases of payments. *engine.Engine implements them.
type Payments interface {
	Authentications
	Refunds
	Disputes
	PaymentSearch
	PaymentDecisions
	Links

	CardNetworks(digits string) []sdk.CardNetwork
	CreatePayment(ctx context.Context, a account.Auth, in *request.Input) (*change.View, error)
	UpdatePayment(ctx context.Context, a account.Auth, id string, in *request.Input) (*change.View, error)
	ConfirmPayment(ctx context.Context, a account.Auth, id string, in *request.Input) (*change.View, error)
	UpdateMetadata(ctx context.Context, a account.Auth, id string, in request.MetadataInput) (*change.View, error)
	CapturePayment(ctx context.Context, a account.Auth, id string, in *request.CaptureInput) (*change.View, error)
	ExtendedCardInfo(ctx context.Context, a account.Auth, id string) (string, error)
	IncrementAuthorization(ctx context.Context, a account.Auth, id string, in request.IncrementInput) (*change.View, error)
	ExtendAuthorization(ctx context.Context, a account.Auth, id string) (*change.View, error)
	CancelPayment(ctx context.Context, a account.Auth, id string, reason string) (*change.View, error)
	CancelCaptured(ctx context.Context, a account.Auth, id, reason string) (*change.View, error)
	RetrievePayment(ctx context.Context, a account.Auth, id string, in request.RetrieveInput) (*change.View, error)
	ListPayments(ctx context.Context, a account.Auth, in request.ListInput) ([]*change.View, error)
	CompleteAuthorize(ctx context.Context, a account.Auth, id, clientSecret, deviceData string) (*change.View, error)
	OpensURL(u link.URL) bool
	NextAction(ctx context.Context, u link.URL) (*sdk.NextAction, error)
	PaymentReturn(ctx context.Context, in request.ReturnInput) (*change.ReturnView, error)
	ReceiveWebhook(ctx context.Context, in engine.WebhookInput) (*sdk.Reply, error)
	ReceiveRelayWebhook(ctx context.Context, in engine.WebhookInput) (*sdk.Reply, error)
	SDKAuthorization(v *change.View, withSession bool) string
	CheckClientSecret(ctx context.Context, a account.Auth, paymentID, clientSecret string) error
}

// paymentAnswer returns a payment as JSON, with a token for the payer's client. If a processor was called, a header has its HTTP status.
func (s *Server) paymentAnswer(v *change.View, err error) (answer, error) {
	return s.paymentWith(false, v, err)
}

// newSessionAnswer is paymentAnswer with a client session in the token: the answer to a create or an update.
func (s *Server) newSessionAnswer(v *change.View, err error) (answer, error) {
	return s.paymentWith(true, v, err)
}

func (s *Server) paymentWith(session bool, v *change.View, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	v.SDKAuthorization = s.Payments.SDKAuthorization(v, session)
	a := paymentJSON(v)
	if v.ConnectorStatus != 0 {
		a.header.Set("connector_http_status_code", strconv.Itoa(v.ConnectorStatus))
	}
	return a, nil
}

func (s *Server) createPayment(c *call) (answer, error) {
	in, err := s.payment(c)
	if err != nil {
		return answer{}, err
	}
	if err := s.unreserved("payments", "payment_id", in.PaymentID); err != nil {
		return answer{}, err
	}
	if err := s.unreserved("customers", "customer_id", in.CustomerID); err != nil {
		return answer{}, err
	}
	if in.Customer != nil {
		if err := s.unreserved("customers", "customer.id", in.Customer.ID); err != nil {
			return answer{}, err
		}
	}
	in.Locale = linkLocale(c)
	return s.newSessionAnswer(s.Payments.CreatePayment(c.ctx(), c.auth, in))
}

func (s *Server) updatePayment(c *call) (answer, error) {
	in, err := s.payment(c)
	if err != nil {
		return answer{}, err
	}
	return s.newSessionAnswer(withoutLink(s.Payments.UpdatePayment(c.ctx(), c.auth, c.param("payment_id"), in)))
}

// metadataFields reads the body of update_metadata.
var metadataFields = closedObject(
	must(at("metadata", anyObject, func(in *request.MetadataInput) *json.RawMessage { return &in.Metadata })),
	at("feature_metadata", anyObject, func(in *request.MetadataInput) *json.RawMessage { return &in.FeatureMetadata }),
)

func (s *Server) updateMetadata(c *call) (answer, error) {
	var in request.MetadataInput
	if err := decode(c, metadataFields, &in); err != nil {
		return answer{}, err
	}
	v, err := s.Payments.UpdateMetadata(c.ctx(), c.auth, c.param("payment_id"), in)
	if err != nil {
		return answer{}, err
	}
	d := &v.Payment.Details
	return new(writer).open().str("payment_id", v.Payment.ID).raw("metadata", d.Metadata).str("status", string(v.Payment.Status)).
		raw("feature_metadata", d.Echo["feature_metadata"]).close().answer(), nil
}

func (s *Server) confirmPayment(c *call) (answer, error) {
	in, err := s.payment(c)
	if err != nil {
		return answer{}, err
	}
	in.ClientSecret = c.clientSecret(in.ClientSecret)
	return s.paymentAnswer(withoutLink(s.Payments.ConfirmPayment(c.ctx(), c.auth, c.param("payment_id"), in)))
}

// captureBody is the body of a capture.
type captureBody struct {
	request.CaptureInput
	prefixed bool // the descriptor's name came as statement_descriptor_prefix
}

// captureFields reads the body of a capture. statement_descriptor_prefix is another name of statement_descriptor_name.
var captureFields = openObject(
	opt("amount_to_capture", integer(math.MinInt64, math.MaxInt64), func(in *captureBody) **int64 { return &in.Amount }),
	at("statement_descriptor_name", text, func(in *captureBody) *string { return &in.DescriptorName }),
	field[captureBody]{key: "statement_descriptor_prefix", read: func(r *reader, in *captureBody) error {
		prefix, err := text(r)
		if in.DescriptorName == "" {
			in.DescriptorName, in.prefixed = prefix, true
		}
		return err
	}},
	at("statement_descriptor_suffix", text, func(in *captureBody) *string { return &in.DescriptorSuffix }),
)

func (s *Server) capturePayment(c *call) (answer, error) {
	in := &captureBody{}
	if err := decode(c, captureFields, in); err != nil {
		return answer{}, err
	}
	err := checkLengths(length{"statement_descriptor_name", in.DescriptorName, 255}, length{"statement_descriptor_suffix", in.DescriptorSuffix, 255})
	var known *fault.Error
	if errors.As(err, &known) && in.prefixed && known.Param == "statement_descriptor_name" {
		err = known.WithParam("statement_descriptor_prefix")
	}
	if err != nil {
		return answer{}, err
	}
	return s.paymentAnswer(withoutLink(s.Payments.CapturePayment(c.ctx(), c.auth, c.param("payment_id"), &in.CaptureInput)))
}

var cancelFields = openObject(at("cancellation_reason", text, func(reason *string) *string { return reason }))

func (s *Server) cancelPayment(c *call) (answer, error) {
	var reason string
	if err := decode(c, cancelFields, &reason); err != nil {
		return answer{}, err
	}
	return s.paymentAnswer(withoutLink(s.Payments.CancelPayment(c.ctx(), c.auth, c.param("payment_id"), reason)))
}

func (s *Server) cancelCaptured(c *call) (answer, error) {
	var reason string
	if err := decode(c, cancelFields, &reason); err != nil {
		return answer{}, err
	}
	return s.paymentAnswer(withoutLink(s.Payments.CancelCaptured(c.ctx(), c.auth, c.param("payment_id"), reason)))
}

func (s *Server) retrievePayment(c *call) (answer, error) {
	q := c.query()
	in := request.RetrieveInput{
		ForceSync:       q.bool("force_sync"),
		Attempts:        q.bool("expand_attempts"),
		Routing:         q.expands("routing"),
		Captures:        q.bool("expand_captures"),
		ClientSecret:    c.clientSecret(q.text("client_secret")),
		HasClientSecret: q.has("client_secret"),
	}
	q.bool("all_keys_required")
	if q.err != nil {
		return answer{}, q.err
	}
	return s.paymentAnswer(s.Payments.RetrievePayment(c.ctx(), c.auth, c.param("payment_id"), in))
}

// paymentSync is the body of a retrieve by POST. It has the parameters of the GET.
type paymentSync struct {
	request.RetrieveInput
	id, merchantID string
}

var paymentSyncFields = closedObject(
	must(at("payment_id", identifier, func(s *paymentSync) *string { return &s.id })),
	at("merchant_id", identifier, func(s *paymentSync) *string { return &s.merchantID }),
	at("force_sync", boolean, func(s *paymentSync) *bool { return &s.ForceSync }),
	at("expand_attempts", boolean, func(s *paymentSync) *bool { return &s.Attempts }),
	at("expand_captures", boolean, func(s *paymentSync) *bool { return &s.Captures }),
	field[paymentSync]{key: "expand", read: func(r *reader, s *paymentSync) error {
		_, err := oneOf([]string{"routing"})(r)
		s.Routing = true
		return err
	}},
	field[paymentSync]{key: "client_secret", read: func(r *reader, s *paymentSync) error {
		_, err := secretText(r)
		s.HasClientSecret = true
		return err
	}},
	drop[paymentSync]("merchant_connector_details", hiddenObject),
	drop[paymentSync]("all_keys_required", boolean),
)

func (s *Server) syncPayment(c *call) (answer, error) {
	var in paymentSync
	if err := decode(c, paymentSyncFields, &in); err != nil {
		return answer{}, err
	}
	if in.merchantID != "" && in.merchantID != c.auth.MerchantID {
		return answer{}, fault.BadFormat("merchant_id", "merchant_id from merchant account")
	}
	return s.paymentAnswer(s.Payments.RetrievePayment(c.ctx(), c.auth, in.id, in.RetrieveInput))
}

func (s *Server) listPayments(c *call) (answer, error) {
	in, err := listInput(c.query())
	if err != nil {
		return answer{}, err
	}
	views, err := s.Payments.ListPayments(c.ctx(), c.auth, in)
	if err != nil {
		return answer{}, err
	}
	w := new(writer)
	w.open().int("size", int64(len(views))).key("data").openList()
	for _, v := range views {
		writePayment(w, v, true)
	}
	return w.closeList().close().answer(), nil
}

func listInput(q *query) (request.ListInput, error) {
	q.only("customer_id", "starting_after", "ending_before", "limit", "created", "created.lt", "created.gt", "created.lte", "created.gte")
	in := request.ListInput{
		CustomerID:    q.id("customer_id"),
		StartingAfter: q.id("starting_after"),
		EndingBefore:  q.id("ending_before"),
		Created:       q.time("created"),
		CreatedLT:     q.time("created.lt"),
		CreatedGT:     q.time("created.gt"),
		CreatedLTE:    q.time("created.lte"),
		CreatedGTE:    q.time("created.gte"),
	}
	if limit, given := q.int("limit"); given {
		if limit < 1 || limit > 100 {
			return in, fault.Unprocessable("limit", "limit should be in between 1 and 100").WithHint("Send a whole number from 1 to 100.")
		}
		in.Limit = int(limit)
	}
	return in, q.err
}

// completeRequest is the body of complete_authorize.
type completeRequest struct {
	clientSecret, completion string
}

var completeFields = openObject(
	at("client_secret", text, func(c *completeRequest) *string { return &c.clientSecret }),
	at("threeds_method_comp_ind", oneOf(completionIndicators), func(c *completeRequest) *string { return &c.completion }),
	drop[completeRequest]("shipping", contactFields.parse),
)

func (s *Server) completeAuthorize(c *call) (answer, error) {
	var in completeRequest
	if err := decode(c, completeFields, &in); err != nil {
		return answer{}, err
	}
	if in.clientSecret = c.clientSecret(in.clientSecret); in.clientSecret == "" {
		return answer{}, fault.Missing("client_secret")
	}
	return s.paymentAnswer(withoutLink(s.Payments.CompleteAuthorize(c.ctx(), c.auth, c.param("payment_id"), in.clientSecret, in.completion)))
}

// sessionRequest is the body of session_tokens.
type sessionRequest struct{ paymentID, clientSecret string }

var sessionFields = openObject(
	must(at("payment_id", identifier, func(s *sessionRequest) *string { return &s.paymentID })),
	at("client_secret", text, func(s *sessionRequest) *string { return &s.clientSecret }),
	must(drop[sessionRequest]("wallets", listOf(oneOf(paymentMethodTypes)))),
)

// sessionTokens lists the tokens with which wallets start. No wallet is supported, so the list is empty.
func (s *Server) sessionTokens(c *call) (answer, error) {
	var in sessionRequest
	if err := decode(c, sessionFields, &in); err != nil {
		return answer{}, err
	}
	if in.clientSecret = c.clientSecret(in.clientSecret); in.clientSecret == "" {
		return answer{}, fault.Malformed("client_secret", "missing field `client_secret`").WithHint("Add the field to the request.")
	}
	if err := s.Payments.CheckClientSecret(c.ctx(), c.auth, in.paymentID, in.clientSecret); err != nil {
		return answer{}, err
	}
	var w writer
	w.open().str("payment_id", in.paymentID).str("client_secret", in.clientSecret).strings("session_token", nil).null("vault_details")
	return w.close().answer(), nil
}

// notOffered is the body of a client's call that payswitch does not offer.
type notOffered struct{ clientSecret, methodType string }

var postSessionFields = openObject(
	at("client_secret", text, func(n *notOffered) *string { return &n.clientSecret }),
	must(drop[notOffered]("payment_method", oneOf(paymentMethods))),
	must(at("payment_method_type", oneOf(paymentMethodTypes), func(n *notOffered) *string { return &n.methodType })),
)

var calculateTaxFields = openObject(
	at("client_secret", text, func(n *notOffered) *string { return &n.clientSecret }),
	must(drop[notOffered]("shipping", contactFields.parse)),
	must(at("payment_method_type", oneOf(paymentMethodTypes), func(n *notOffered) *string { return &n.methodType })),
	drop[notOffered]("session_id", text),
)

// postSessionTokens would open an order at a wallet, before the payer confirms. No wallet is supported, so the call is refused.
func (s *Server) postSessionTokens(c *call) (answer, error) {
	in, err := s.clientCall(c, postSessionFields)
	if err != nil {
		return answer{}, err
	}
	return answer{}, fault.NotImplemented("post_session_tokens for " + in.methodType).WithParam("payment_method_type").
		WithHint("Confirm the payment with a card: POST /payments/{payment_id}/confirm.")
}

// calculateTax would ask a tax service. payswitch has none, so the call is refused: the merchant sends the tax.
func (s *Server) calculateTax(c *call) (answer, error) {
	if _, err := s.clientCall(c, calculateTaxFields); err != nil {
		return answer{}, err
	}
	return answer{}, fault.NotImplemented("calculate_tax").WithParam("shipping").
		WithHint("Send the tax from your server, before the payer confirms: POST /payments/{payment_id} with order_tax_amount.")
}

// clientCall reads such a call, and checks the client secret.
func (s *Server) clientCall(c *call, fields *object[notOffered]) (in notOffered, err error) {
	if err = decode(c, fields, &in); err != nil {
		return in, err
	}
	if in.clientSecret = c.clientSecret(in.clientSecret); in.clientSecret == "" {
		return in, fault.Missing("client_secret")
	}
	return in, s.Payments.CheckClientSecret(c.ctx(), c.auth, c.param("payment_id"), in.clientSecret)
}
