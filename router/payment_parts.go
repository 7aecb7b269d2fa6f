package router

import (
	"cmp"
	"encoding/json"
	"math"
	"strings"
	"time"

	"payswitch/engine/card"
	"payswitch/engine/contact"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/routed"
	"payswitch/engine/secret"
	"payswitch/sdk"
)

// The objects in a payment request.

var customerFields = openObject(
	at("id", identifier, func(c *contact.Customer) *string { return &c.ID }),
	at("name", text, func(c *contact.Customer) *string { return &c.Name }),
	at("email", email, func(c *contact.Customer) *string { return &c.Email }),
	at("phone", text, func(c *contact.Customer) *string { return &c.Phone }),
	at("phone_country_code", text, func(c *contact.Customer) *string { return &c.PhoneCountryCode }),
)

var contactFields = closedObject(
	opt("address", addressFields.parse, func(c *contact.Contact) **contact.Address { return &c.Address }),
	opt("phone", phoneFields.parse, func(c *contact.Contact) **contact.Phone { return &c.Phone }),
	at("email", email, func(c *contact.Contact) *string { return &c.Email }),
)

var addressFields = closedObject(
	at("city", text, func(a *contact.Address) *string { return &a.City }),
	at("country", oneOf(countries), func(a *contact.Address) *string { return &a.Country }),
	at("line1", text, func(a *contact.Address) *string { return &a.Line1 }),
	at("line2", text, func(a *contact.Address) *string { return &a.Line2 }),
	at("line3", text, func(a *contact.Address) *string { return &a.Line3 }),
	at("zip", text, func(a *contact.Address) *string { return &a.Zip }),
	at("state", text, func(a *contact.Address) *string { return &a.State }),
	at("first_name", text, func(a *contact.Address) *string { return &a.FirstName }),
	at("last_name", text, func(a *contact.Address) *string { return &a.LastName }),
	at("origin_zip", text, func(a *contact.Address) *string { return &a.OriginZip }),
)

var phoneFields = openObject(
	at("number", text, func(p *contact.Phone) *string { return &p.Number }),
	at("country_code", text, func(p *contact.Phone) *string { return &p.CountryCode }),
)

// small reads an integer that fits an int of any platform.
func small(low, high int64) func(*reader) (int, error) {
	read := integer(low, high)
	return func(r *reader) (int, error) {
		n, err := read(r)
		return int(n), err
	}
}

var browserFields = openObject(
	orZero("color_depth", small(0, 255), func(b *contact.Browser) *int { return &b.ColorDepth }),
	orZero("java_enabled", boolean, func(b *contact.Browser) *bool { return &b.JavaEnabled }),
	orZero("java_script_enabled", boolean, func(b *contact.Browser) *bool { return &b.JavaScriptEnable }),
	at("language", text, func(b *contact.Browser) *string { return &b.Language }),
	orZero("screen_height", small(0, math.MaxInt32), func(b *contact.Browser) *int { return &b.ScreenHeight }),
	orZero("screen_width", small(0, math.MaxInt32), func(b *contact.Browser) *int { return &b.ScreenWidth }),
	orZero("time_zone", small(math.MinInt32, math.MaxInt32), func(b *contact.Browser) *int { return &b.TimeZone }),
	at("ip_address", ipAddress, func(b *contact.Browser) *string { return &b.IP }),
	at("accept_header", text, func(b *contact.Browser) *string { return &b.AcceptHeader }),
	at("user_agent", text, func(b *contact.Browser) *string { return &b.UserAgent }),
	at("os_type", text, func(b *contact.Browser) *string { return &b.OSType }),
	at("os_version", text, func(b *contact.Browser) *string { return &b.OSVersion }),
	at("device_model", text, func(b *contact.Browser) *string { return &b.DeviceModel }),
	at("accept_language", text, func(b *contact.Browser) *string { return &b.AcceptLanguage }),
	at("referer", text, func(b *contact.Browser) *string { return &b.Referer }),
)

// orZero is at for a number or a boolean of browser_info. A value of 0 or false that was sent is noted in Zeros.
func orZero[V comparable](key string, parse func(*reader) (V, error), place func(*contact.Browser) *V) field[contact.Browser] {
	return field[contact.Browser]{key: key, read: func(r *reader, to *contact.Browser) error {
		v, err := parse(r)
		if *place(to) = v; v == *new(V) && err == nil {
			to.Zeros = append(to.Zeros, key)
		}
		return err
	}}
}

// otherChannel is a payment_channel outside the list.
var otherChannel = closedObject(must(drop[struct{}]("other", text)))

// paymentChannel reads payment_channel: a value of the list, or {"other": text}.
func paymentChannel(r *reader) (string, error) {
	if r.kind() == '{' {
		_, err := otherChannel.parse(r)
		return "other", err
	}
	return oneOf(paymentChannels)(r)
}

// methodFields is payment_method_data: a card, or another instrument, which the engine refuses; and the billing address.
var methodFields = func() *object[paymentRequest] {
	fields := []field[paymentRequest]{
		{key: "card", read: func(r *reader, p *paymentRequest) error {
			p.Card, p.HasMethodData = &card.Input{}, true
			return cardFields.into(r, p.Card)
		}},
		{key: "card_token", read: func(r *reader, p *paymentRequest) error { return cardTokenFields.into(r, p) }},
		opt("billing", contactFields.parse, func(p *paymentRequest) **contact.Contact { return &p.MethodBilling }),
	}
	for _, key := range otherInstruments {
		fields = append(fields, field[paymentRequest]{key: key, read: func(r *reader, p *paymentRequest) error {
			p.HasMethodData = true
			_, err := notKept(r)
			return err
		}})
	}
	return openObject(fields...)
}()

// notKept skips a value that is neither kept nor passed on.
var notKept = apart((*reader).value)

// cardFields is a card as a payer types it.
var cardFields = openObject(append(cardWith(itself),
	must(at("card_cvc", secretText, func(c *card.Input) *secret.Value { return &c.CVC })))...)

// cardWithoutCVC is a card that is charged or kept without its CVC.
var cardWithoutCVC = openObject(cardWith(itself)...)

func itself(c *card.Input) *card.Input { return c }

// cardWith returns the fields of a card that T holds.
func cardWith[T any](card func(*T) *card.Input) []field[T] {
	return []field[T]{
		must(at("card_number", cardNumber, func(t *T) *secret.Value { return &card(t).Number })),
		must(at("card_exp_month", hiddenText, func(t *T) *string { return &card(t).ExpMonth })),
		must(at("card_exp_year", hiddenText, func(t *T) *string { return &card(t).ExpYear })),
		at("card_holder_name", secretText, func(t *T) *secret.Value { return &card(t).Holder }),
		at("card_issuer", hiddenText, func(t *T) *string { return &card(t).Issuer }),
		at("card_network", oneOf(cardNetworks), func(t *T) *sdk.CardNetwork { return &card(t).Network }),
		at("card_type", hiddenText, func(t *T) *string { return &card(t).Type }),
		at("card_issuing_country", hiddenText, func(t *T) *string { return &card(t).Country }),
		at("nick_name", hiddenText, func(t *T) *string { return &card(t).Nickname }),
	}
}

// cardTokenFields come with a saved card: the payer types its CVC again.
var cardTokenFields = openObject(
	at("card_cvc", secretText, func(p *paymentRequest) *secret.Value { return &p.CardCVC }),
	at("card_holder_name", hiddenText, func(p *paymentRequest) *string { return &p.CardHolder }),
)

// hiddenText reads text. No message repeats the value, even where it is not a text.
func hiddenText(r *reader) (string, error) {
	s, err := secretText(r)
	return s.Reveal(), err
}

// testCards are the numbers of a 3DS test server that fail the Luhn check.
var testCards = []string{"4000100511112003", "6000100611111203", "3000100811111072", "9000100111111111"}

// cardNumber reads a card number and removes its spaces.
var cardNumber = apart(readCardNumber)

func readCardNumber(r *reader) (secret.Value, error) {
	s, err := hiddenText(r)
	if err != nil {
		return secret.Value{}, err
	}
	s = strings.ReplaceAll(s, " ", "")
	sum, double := 0, false
	for i := len(s) - 1; i >= 0; i-- {
		d := int(s[i]) - '0'
		if d < 0 || d > 9 {
			return secret.Value{}, r.fail("invalid character found in card number", "Send digits alone. Spaces are allowed.")
		}
		if double {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
		double = !double
	}
	if len(s) < 8 || len(s) > 19 {
		return secret.Value{}, r.fail("invalid card number length", "Send 8 to 19 digits.")
	}
	if sum%10 != 0 && !(r.testCards && isTestCard(s)) {
		return secret.Value{}, r.fail("card number invalid", "The last digit does not match the others (Luhn check): look for a mistyped digit.")
	}
	return secret.New(s), nil
}

func isTestCard(number string) bool {
	for _, t := range testCards {
		if t == number {
			return true
		}
	}
	return false
}

var acceptanceFields = closedObject(
	must(at("acceptance_type", oneOf(acceptanceTypes), func(a *payment.Acceptance) *string { return &a.Type })),
	opt("accepted_at", timestamp, func(a *payment.Acceptance) **time.Time { return &a.AcceptedAt }),
	field[payment.Acceptance]{key: "online", read: func(r *reader, a *payment.Acceptance) error {
		a.Online = true
		return onlineFields.into(r, a)
	}},
)

// onlineFields does not check the IP address: callers send placeholders.
var onlineFields = closedObject(
	at("ip_address", text, func(a *payment.Acceptance) *string { return &a.IP }),
	must(at("user_agent", text, func(a *payment.Acceptance) *string { return &a.UserAgent })),
)

var threeDSFields = openObject(
	field[request.ThreeDSInput]{key: "authentication_cryptogram", read: openObject(
		field[request.ThreeDSInput]{key: "cavv", read: openObject(
			at("authentication_cryptogram", secretText, func(d *request.ThreeDSInput) *secret.Value { return &d.CAVV }),
		).into},
	).into},
	at("ds_trans_id", text, func(d *request.ThreeDSInput) *string { return &d.DSTransID }),
	at("version", text, func(d *request.ThreeDSInput) *string { return &d.Version }),
	at("eci", text, func(d *request.ThreeDSInput) *string { return &d.ECI }),
	must(at("transaction_status", oneOf(transactionStatuses), func(d *request.ThreeDSInput) *string { return &d.TransStatus })),
	at("exemption_indicator", text, func(d *request.ThreeDSInput) *string { return &d.Exemption }),
	field[request.ThreeDSInput]{key: "network_params", read: openObject(
		field[request.ThreeDSInput]{key: "cartes_bancaires", read: openObject(
			at("cavv_algorithm", text, func(d *request.ThreeDSInput) *string { return &d.CAVVAlgorithm }),
		).into},
	).into},
)

// routingRule is a payment's routing as it is sent: {"type":"single","data":"stripe"}.
type routingRule struct {
	kind routed.AlgorithmType
	data json.RawMessage
}

var routingFields = openObject(
	must(at("type", oneOf([]routed.AlgorithmType{routed.Single, routed.Priority, routed.VolumeSplit}), func(r *routingRule) *routed.AlgorithmType { return &r.kind })),
	must(at("data", anyJSON, func(r *routingRule) *json.RawMessage { return &r.data })),
)

var choiceFields = openObject(
	must(at("connector", text, func(c *routed.Choice) *string { return &c.Connector })),
	at("merchant_connector_id", text, func(c *routed.Choice) *string { return &c.AccountID }),
)

var splitFields = openObject(
	must(field[routed.Choice]{key: "connector", read: func(r *reader, c *routed.Choice) (err error) {
		split := c.Split
		*c, err = routingChoice(r)
		c.Split = split
		return err
	}}),
	must(at("split", small(0, 255), func(c *routed.Choice) *int { return &c.Split })),
)

// routingChoice reads a connector: its name as a string, or an object.
func routingChoice(r *reader) (routed.Choice, error) {
	if r.kind() == '"' {
		name, err := text(r)
		return routed.Choice{Connector: name}, err
	}
	return choiceFields.parse(r)
}

// badRouting returns the v1 API's answer to a routing field that payswitch cannot read. reason says what is wrong.
func badRouting(param, reason, hint string) error {
	e := fault.Unprocessable(param, "Invalid straight through routing rules format")
	e.Reason = reason
	return e.WithHint(cmp.Or(hint, "Send an object with type and data."))
}

// parseRouting reads a routing rule. An error in it is answered with 422, not as malformed JSON.
func parseRouting(raw json.RawMessage) (*routed.Preference, error) {
	bad := func(err error) error {
		e := asError(err)
		text := strings.TrimPrefix(e.Message, "Json deserialize error: ")
		return badRouting(e.Param, text+` (in routing); expected {"type":"single","data":"<connector>"} or a priority or volume_split rule`, e.Hint)
	}
	var wrapped struct{ Algorithm json.RawMessage }
	if json.Unmarshal(raw, &wrapped) == nil && len(wrapped.Algorithm) > 0 && wrapped.Algorithm[0] == '{' {
		raw = wrapped.Algorithm // the form of a profile's routing_algorithm
	}
	rule, err := routingFields.parse((&document{body: raw}).reader(0, len(raw), "routing"))
	if err != nil {
		return nil, bad(err)
	}
	routing, r := &routed.Preference{Type: rule.kind}, (&document{body: rule.data}).reader(0, len(rule.data), "routing.data")
	switch rule.kind {
	case routed.Single:
		var choice routed.Choice
		choice, err = routingChoice(r)
		routing.Choices = []routed.Choice{choice}
	case routed.Priority:
		routing.Choices, err = listOf(routingChoice)(r)
	case routed.VolumeSplit:
		routing.Choices, err = listOf(splitFields.parse)(r)
	}
	if err == nil && len(routing.Choices) == 0 {
		err = fault.Malformed("routing.data", "data names no connector").WithHint("Name at least one connector.")
	}
	if err != nil {
		return nil, bad(err)
	}
	return routing, nil
}
