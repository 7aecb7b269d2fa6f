package wire

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"payswitch/sdk"
)

// Operation returns the operation of a flow, "" for an unknown flow. A flow that only prepares a payment is the first request of its
// authorize.
func Operation(flow string) sdk.Operation {
	switch flow {
	case "authorize", "mandate_payment", "create_customer", "create_order", "tokenize", "session_token", "pre_authenticate":
		return sdk.OpAuthorize
	case "authenticate", "complete":
		return sdk.OpComplete
	case "setup_mandate":
		return sdk.OpVerify
	case "payment_sync":
		return sdk.OpSync
	case "incremental_authorization":
		return sdk.OpIncrementalAuthorize
	case "extend_authorization":
		return sdk.OpExtendAuthorization
	case "three_ds_prepare":
		return sdk.OpPrepare
	case "three_ds_authenticate":
		return sdk.OpAuthenticate
	case "three_ds_result":
		return sdk.OpResult
	case "three_ds_cancel":
		return sdk.OpCancelChallenge
	case "capture", "void", "refund", "refund_sync", "access_token":
		return sdk.Operation(flow)
	}
	return ""
}

// Operation returns the operation of the case. A set-up with an amount is an authorization that stores the card, as a verification has no
// amount.
func (c *Case) Operation() sdk.Operation {
	if c.own() {
		return c.Op
	}
	if c.Flow == "setup_mandate" && input(c.Input).int("amount") > 0 {
		return sdk.OpAuthorize
	}
	return Operation(c.Flow)
}

// Step makes the step of a case for an operation, usually c.Operation(). The card, the cryptogram and the credentials are real.
//
// Some fields of the format have no field in a Request. Step puts them where an adapter may look for them: customer.connector_id into
// ConnectorData.Customer; connector_data, the ConnectorData of an outcome or other JSON, into ConnectorData or ConnectorData.Payment; the id
// from the collection of device data as "device", if authenticate has no connector data; access_token and session_token into credentials of
// those names. Options.Input can change the form.
func (c *Case) Step(op sdk.Operation, account sdk.Account, now time.Time) *sdk.Step {
	in := input(c.Input)
	s := &sdk.Step{ABI: sdk.ABI, Operation: op, OperationID: "op_wire00000000000000000000001", Now: now.UnixMilli(),
		Seed: strings.Repeat("5eed", 16), DerivePrefix: "dWiReXq7Kd3Tn9Lb5Vc1Rm8Hs4J", Account: account}
	s.Account.Credentials = map[string]string{}
	for k, v := range account.Credentials {
		s.Account.Credentials[k] = v
	}
	for _, k := range []string{accessToken, "session_token"} {
		if v := in.str(k); v != "" {
			s.Account.Credentials[k] = v
		}
	}
	if op == sdk.OpAccessToken {
		delete(s.Account.Credentials, accessToken) // the flow asks for it
		return s
	}
	if c.own() {
		c.ownStep(s, now)
		return s
	}
	if slices.Contains(authentications, op) {
		s.Request = c.authentication(in)
		return s
	}
	s.Request = c.request(op, in, now)
	return s
}

func (c *Case) request(op sdk.Operation, in input, now time.Time) sdk.Request {
	currency := sdk.Currency(in.str("currency"))
	r := sdk.Request{PaymentID: "pay_wire", AttemptID: "pay_wire_1", Reference: in.str("reference"),
		TransactionID: in.str("connector_transaction_id"), RefundID: in.str("connector_refund_id"), Reason: in.str("reason")}
	if op != sdk.OpVoid {
		r.Amount = sdk.Money{Minor: in.int("amount"), Currency: currency}
	}
	if op != sdk.OpAuthorize && op != sdk.OpVerify {
		r.Payment = payment(op, in, now)
	}
	r.FinalCapture = op == sdk.OpCapture
	r.ConnectorData = connectorData(in)
	r.Metadata = in.texts("metadata")
	if op != sdk.OpAuthorize && op != sdk.OpVerify && op != sdk.OpComplete {
		return r
	}
	if r.Capture = captureMethod(in); c.Flow == "setup_mandate" && op == sdk.OpAuthorize && in.str("capture") == "" {
		r.Capture = sdk.CaptureManual
	}
	r.Instrument = instrument(in)
	if c.Flow != "authorize" && op == sdk.OpAuthorize || c.Flow == "create_customer" {
		prepared(&r)
	}
	if c.Flow == "create_customer" && op == sdk.OpVerify {
		r.Amount.Minor = 0
	}
	switch {
	case c.Flow == "create_customer":
		r.StoredCredential = &sdk.StoredCredentialUse{Initiator: sdk.InitiatorCustomer, First: true, Usage: sdk.UsageOffSession}
	case c.Flow == "mandate_payment", in.str("mit_category") != "":
		r.StoredCredential = &sdk.StoredCredentialUse{Initiator: sdk.InitiatorMerchant, Usage: sdk.UsageOffSession, Category: sdk.MITCategory(in.str("mit_category"))}
	case in.str("store_card") != "":
		r.StoredCredential = &sdk.StoredCredentialUse{Initiator: sdk.InitiatorCustomer, First: true, Usage: sdk.CredentialUsage(in.str("store_card"))}
	case op == sdk.OpAuthorize && in.obj("mandate") != nil: // the customer pays with a stored credential
		r.StoredCredential = &sdk.StoredCredentialUse{Initiator: sdk.InitiatorCustomer, Usage: sdk.UsageOnSession}
	case op == sdk.OpVerify, c.Flow == "setup_mandate":
		r.StoredCredential = &sdk.StoredCredentialUse{Initiator: sdk.InitiatorCustomer, First: true, Usage: sdk.UsageOffSession}
	}
	r.Request3DS = in.is("request_3ds")
	r.ThreeDS = threeDS(in.obj("three_ds_result"))
	r.Customer = customer(in.obj("customer"))
	r.Billing, r.Shipping = address(in.obj("billing")), address(in.obj("shipping"))
	r.Browser = browser(in.obj("browser"))
	r.Description, r.OrderReference = in.str("description"), in.str("order_id")
	r.DescriptorName, r.DescriptorSuffix = in.str("statement_descriptor"), in.str("statement_descriptor_suffix")
	r.ShippingCost = in.int("shipping_cost")
	r.ReturnURL, r.WebhookURL = in.str("return_url"), in.str("webhook_url")
	if url := in.str("complete_url"); c.Flow == "authenticate" && url != "" { // the customer's return from the authentication
		r.ReturnURL = url
	}
	if r.ReturnURL == "" && slices.Contains([]string{"tokenize", "create_customer", "create_order", "session_token"}, c.Flow) { // the cases of these flows lack a return URL
		r.ReturnURL = "https://shop.example/return"
	}
	if op == sdk.OpComplete {
		r.Return = returned(in.obj("redirect_result"))
	}
	if c.Flow == "authenticate" && r.Kept().Payment == "" {
		if device := sdk.Keep("device", collected(r.Return)); device != nil {
			device.Customer, r.ConnectorData = r.Kept().Customer, device
		}
	}
	return r
}

// prepared fills in the payment around a preparing request, if its case lacks the payment.
func prepared(r *sdk.Request) {
	if r.Amount.Currency == "" {
		r.Amount = sdk.Money{Minor: 1000, Currency: "USD"}
	}
	if r.Instrument == nil {
		r.Instrument = instrument(input{"card": map[string]any{"number": "4111111111111111", "exp_month": "03", "exp_year": "2030", "cvc": "737", "holder": "John Doe"}})
	}
}

// payment returns the state of an existing payment, as far as the operation needs it.
func payment(op sdk.Operation, in input, now time.Time) *sdk.PaymentState {
	total := max(in.int("payment_amount"), in.int("amount"))
	p := &sdk.PaymentState{Currency: sdk.Currency(in.str("currency")), Requested: total, Authorized: total, CreatedAt: now.UnixMilli() - 60_000,
		Capture: sdk.CaptureManual, BIN: "411111", LastFour: "1111"}
	if p.Currency == "" {
		p.Currency = "USD"
	}
	if number := in.obj("card").str("number"); len(number) >= 12 {
		p.BIN, p.LastFour = number[:6], number[len(number)-4:]
	}
	switch op {
	case sdk.OpRefund, sdk.OpRefundSync:
		p.Captured = total // Refunded is that of other refunds
	case sdk.OpSync, sdk.OpComplete:
		p.Capture = captureMethod(in)
		p.Authorized = 0
	}
	return p
}

func captureMethod(in input) sdk.CaptureMethod {
	if in.str("capture") == "manual" {
		return sdk.CaptureManual
	}
	return sdk.CaptureAutomatic
}

func connectorData(in input) *sdk.ConnectorData {
	d := sdk.ConnectorData{Version: 1, Customer: in.obj("customer").str("connector_id")}
	if kept := in.obj("connector_data"); len(kept) > 0 {
		text, _ := json.Marshal(kept)
		stated, own := d, json.NewDecoder(bytes.NewReader(text))
		if own.DisallowUnknownFields(); own.Decode(&stated) == nil { // in the form of Outcome.ConnectorData
			return &stated
		}
		d.Payment = string(text)
	}
	if d.Customer == "" && d.Payment == "" {
		return nil
	}
	return &d
}

func instrument(in input) *sdk.Instrument {
	i := &sdk.Instrument{}
	if k := in.obj("card"); k != nil {
		number := k.str("number")
		i.Card = &sdk.Card{Number: number, CVC: k.str("cvc"), ExpMonth: int(k.int("exp_month")), ExpYear: int(k.int("exp_year")), Holder: k.str("holder"),
			BIN: number[:min(6, len(number))], LastFour: number[max(0, len(number)-4):], Length: len(number), Network: network(k.str("network"))}
		i.Card.Network = i.Card.Scheme() // the host names the network of every card
	}
	if m := in.obj("mandate"); m != nil {
		i.StoredCredentialID, i.NetworkTransactionID = m.str("id"), m.str("network_transaction_id")
	}
	if i.StoredCredentialID == "" && i.Card == nil {
		i.StoredCredentialID = in.str("card_token")
	}
	if *i == (sdk.Instrument{}) {
		return nil
	}
	return i
}

func network(name string) sdk.CardNetwork {
	if strings.EqualFold(name, "amex") {
		return sdk.AmericanExpress
	}
	all := []sdk.CardNetwork{sdk.Visa, sdk.Mastercard, sdk.AmericanExpress, sdk.JCB, sdk.DinersClub, sdk.Discover, sdk.CartesBancaires, sdk.UnionPay,
		sdk.Interac, sdk.RuPay, sdk.Maestro, sdk.Star, sdk.Pulse, sdk.Accel, sdk.Nyce}
	plain := strings.NewReplacer("_", "", " ", "", "-", "").Replace(name)
	for _, n := range all {
		if strings.EqualFold(plain, string(n)) {
			return n
		}
	}
	return ""
}

func threeDS(in input) *sdk.ThreeDSResult {
	if in == nil {
		return nil
	}
	return &sdk.ThreeDSResult{CAVV: in.str("cavv"), ECI: in.str("eci"), TransStatus: in.str("status"), Version: in.str("version"),
		DSTransID: in.str("ds_trans_id"), ServerTransID: in.str("server_trans_id"), ACSTransID: in.str("acs_trans_id")}
}

func customer(in input) *sdk.Customer {
	c := sdk.Customer{ID: in.str("id"), Name: in.str("name"), Email: in.str("email"), Phone: in.str("phone"), PhoneCountry: in.str("phone_country_code")}
	if c == (sdk.Customer{}) {
		return nil
	}
	return &c
}

func address(in input) *sdk.Address {
	if in == nil {
		return nil
	}
	return &sdk.Address{FirstName: in.str("first_name"), LastName: in.str("last_name"), Line1: in.str("line1"), Line2: in.str("line2"), Line3: in.str("line3"),
		City: in.str("city"), State: in.str("state"), Zip: in.str("postal_code"), Country: in.str("country"), Email: in.str("email"), Phone: in.str("phone"),
		PhoneCountry: in.str("phone_country_code")}
}

func browser(in input) *sdk.Browser {
	if in == nil {
		return nil
	}
	return &sdk.Browser{IP: in.str("ip"), UserAgent: in.str("user_agent"), AcceptHeader: in.str("accept_header"), Language: in.str("language"),
		ColorDepth: int(in.int("color_depth")), ScreenHeight: int(in.int("screen_height")), ScreenWidth: int(in.int("screen_width")),
		TimeZone: int(in.int("time_zone_offset")), JavaEnabled: in.is("java_enabled"), JavaScriptEnable: in.is("javascript_enabled")}
}

// collected returns the id of a collection of device data: a named value, or the whole query.
func collected(r *sdk.Return) string {
	id := sdk.HeaderValue(r.Query, "transaction_id")
	if id == "" && len(r.Query) > 0 {
		return r.Query[0].Name
	}
	return id
}

func returned(in input) *sdk.Return {
	r := &sdk.Return{Method: "GET"}
	if q, ok := sdk.ParseForm(in.str("query")); ok {
		r.Query = q
	}
	if form := in.texts("form"); len(form) > 0 {
		r.Method, r.Form = "POST", headers(form)
	}
	return r
}

// accessToken is the credential that holds the token of the operation access_token.
const accessToken = "access_token"

// Account makes an account of the manifest from the settings of the file: first by the fields' names or keys, then by order.
func Account(m *sdk.Manifest, f *Requests) sdk.Account {
	a := sdk.Account{ID: "mca_wire", Connector: m.Name, Environment: "test", BaseURL: f.BaseURL, Credentials: map[string]string{}, Config: map[string]string{}}
	type place struct {
		field sdk.Field
		in    map[string]string
	}
	var free []place
	for _, field := range m.Credentials {
		free = append(free, place{field, a.Credentials})
	}
	for _, field := range m.Config {
		if field.Default != "" {
			a.Config[field.Name] = field.Default
		}
		free = append(free, place{field, a.Config})
	}
	take := func(i int, value string) {
		if value != "" {
			free[i].in[free[i].field.Name] = value
		}
		free = slices.Delete(free, i, i+1)
	}
	var rest []string
	for _, name := range f.names() {
		i := slices.IndexFunc(free, func(p place) bool { return p.field.Name == name })
		if i < 0 {
			i = slices.IndexFunc(free, func(p place) bool { return p.field.Key == name })
		}
		if i < 0 {
			rest = append(rest, name)
			continue
		}
		take(i, f.Credentials.Values[name])
	}
	for _, name := range rest {
		if name == accessToken {
			a.Credentials[name] = f.Credentials.Values[name]
			continue
		}
		if value := f.Credentials.Values[name]; value != "" && len(free) > 0 && !strings.Contains(free[0].field.Name, "webhook") {
			take(0, value)
		}
	}
	return a
}

// names returns the names of the settings in the order of the file.
func (f *Requests) names() []string {
	var names []string
	for _, x := range f.Credentials.Fields {
		names = append(names, x.Name)
	}
	for name := range f.Credentials.Values {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func headers(m map[string]string) []sdk.Header {
	var all []sdk.Header
	for name, value := range m {
		all = append(all, sdk.H(name, value))
	}
	slices.SortFunc(all, func(a, b sdk.Header) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// input reads the input of a case. Missing values are zero.
type input map[string]any

func (in input) str(name string) string {
	switch v := in[name].(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

func (in input) int(name string) int64 {
	n, _ := strconv.ParseInt(in.str(name), 10, 64)
	return n
}

func (in input) is(name string) bool { return in[name] == true }

func (in input) obj(name string) input {
	m, _ := in[name].(map[string]any)
	return m
}

func (in input) texts(name string) map[string]string {
	var all map[string]string
	for k, v := range in.obj(name) {
		if all == nil {
			all = map[string]string{}
		}
		if text, ok := v.(string); ok {
			all[k] = text
			continue
		}
		text, _ := json.Marshal(v)
		all[k] = string(bytes.TrimSpace(text))
	}
	return all
}
