package sdk

import (
	"cmp"
	"strings"
)

// Month returns the month of expiry in two digits: "03".
func (k *Card) Month() string { return twoDigits(k.ExpMonth) }

// Year returns the year of expiry in four digits: "2030".
func (k *Card) Year() string { return twoDigits(k.ExpYear/100) + k.ShortYear() }

// ShortYear returns the year of expiry in two digits: "30".
func (k *Card) ShortYear() string { return twoDigits(k.ExpYear) }

// HolderNames splits the holder's name on the card: the last word is the last name. Missing parts are "".
func (k *Card) HolderNames() (first, last string) {
	i := strings.LastIndexByte(k.Holder, ' ')
	return k.Holder[:max(i, 0)], k.Holder[i+1:]
}

func twoDigits(n int) string { return string([]byte{'0' + byte(n/10%10), '0' + byte(n%10)}) }

// Cardholder returns the name on the card, else the name of the billing address; "" if neither is known.
func (r *Request) Cardholder() string {
	if i := r.Instrument; i != nil && i.Card != nil && i.Card.Holder != "" {
		return i.Card.Holder
	}
	return r.billing().Name()
}

// Statement returns the text for the payer's statement: the descriptor's name and suffix, cut to n characters. 0 means no limit.
func (r *Request) Statement(n int) string {
	text := strings.TrimSpace(r.DescriptorName + " " + r.DescriptorSuffix)
	if n == 0 {
		return text
	}
	return Clip(text, n)
}

// Name returns first and last name, as far as they are known.
func (a *Address) Name() string {
	if a.FirstName == "" || a.LastName == "" {
		return a.FirstName + a.LastName
	}
	return a.FirstName + " " + a.LastName
}

// Stores reports whether this payment stores the credential.
func (r *Request) Stores() bool { return r.StoredCredential != nil && r.StoredCredential.First }

// StoresForMerchant reports whether this payment stores the credential for later charges by the merchant alone. Under PSD2 the
// customer agrees to that with strong customer authentication.
func (r *Request) StoresForMerchant() bool {
	return r.Stores() && r.StoredCredential.Usage != UsageOnSession
}

// Approved returns the status of an approval: StatusVerified for an amount of zero, StatusAuthorized if a capture follows, else StatusCaptured.
func (r *Request) Approved() OutcomeStatus {
	switch {
	case r.Amount.Minor == 0:
		return StatusVerified
	case r.Capture == CaptureManual:
		return StatusAuthorized
	}
	return StatusCaptured
}

// MerchantInitiated reports whether the merchant charges a stored credential on its own.
func (r *Request) MerchantInitiated() bool {
	return r.StoredCredential != nil && r.StoredCredential.Initiator == InitiatorMerchant
}

// Agreement returns how the payment uses a stored credential: "first" if the payment stores it, "mit" if the merchant charges it on its
// own, "cit" if the customer pays with it, "" for nil. A table by agreement holds the processor's words:
//
//	var initiators = sdk.Names{{"RECURRING_FIRST", "first_recurring"}, {"RECURRING", "mit_recurring"}, {"UNSCHEDULED", "mit"}}
//	body.OptStr("paymentInitiator", initiators.For(r.StoredCredential))
func (u *StoredCredentialUse) Agreement() string {
	switch {
	case u == nil:
		return ""
	case u.First:
		return "first"
	case u.Initiator == InitiatorMerchant:
		return "mit"
	}
	return "cit"
}

// Manual reports whether the authorization only holds the amount. Capture decides, or the payment's capture method if Capture is
// "".
func (r *Request) Manual() bool {
	if r.Capture == "" && r.Payment != nil {
		return r.Payment.Capture == CaptureManual
	}
	return r.Capture == CaptureManual
}

// BillTo returns the billing address, an empty one if there is no billing address; never nil.
func (r *Request) BillTo() *Address { return r.billing() }

// LinesTotal returns the sum of the order's lines without tax, in minor units. ok is false without lines, or if a line is not
// plausible: no name, less than 1 or more than a million pieces, a negative or absurd price.
func (r *Request) LinesTotal() (total int64, ok bool) {
	for i := range r.Lines {
		l := &r.Lines[i]
		if l.Name == "" || l.Quantity < 1 || l.Quantity > 1e6 || l.UnitPrice < 0 || l.UnitPrice > 1e12 || total > 1e18 {
			return 0, false // the bounds keep the total from overflowing
		}
		total += int64(l.Quantity) * l.UnitPrice
	}
	return total, len(r.Lines) > 0
}

// Scheme returns the card's network. If Network is "", the networks' published number ranges decide (ISO/IEC 7812). Scheme returns
// "" for an unknown range and for nil.
func (k *Card) Scheme() CardNetwork {
	if k == nil {
		return ""
	}
	if k.Network != "" || len(k.BIN) < 4 {
		return k.Network
	}
	switch bin := k.BIN[:4]; {
	case bin[0] == '4':
		return Visa
	case bin >= "5100" && bin <= "5599", bin >= "2221" && bin <= "2720":
		return Mastercard
	case bin[:2] == "34", bin[:2] == "37":
		return AmericanExpress
	case bin == "6011", bin[:2] == "65", bin >= "6440" && bin <= "6499":
		return Discover
	case bin >= "3528" && bin <= "3589":
		return JCB
	case bin[:2] == "36", bin[:2] == "38", bin >= "3000" && bin <= "3059":
		return DinersClub
	}
	return ""
}

// Clip cuts a text to at most n characters. Processors' schemas state lengths in characters.
func Clip(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// Email returns the email of the billing address, else the customer's; "" if neither is known.
func (r *Request) Email() string {
	if r.Billing != nil && r.Billing.Email != "" || r.Customer == nil {
		return r.billing().Email
	}
	return r.Customer.Email
}

func (r *Request) billing() *Address {
	if r.Billing == nil {
		return &Address{}
	}
	return r.Billing
}

// Payer returns the customer, an empty one if the customer is unknown; never nil.
func (r *Request) Payer() *Customer {
	if r.Customer == nil {
		return &Customer{}
	}
	return r.Customer
}

// ShipTo returns the shipping address, an empty one if there is no shipping address; never nil.
func (r *Request) ShipTo() *Address {
	if r.Shipping == nil {
		return &Address{}
	}
	return r.Shipping
}

// Shopper returns the browser of a customer who is present, for tools against fraud. It returns an empty Browser if the browser is
// unknown or the merchant charges on its own; never nil.
func (r *Request) Shopper() *Browser {
	if r.MerchantInitiated() {
		return &Browser{}
	}
	return r.Device()
}

// IPv4 returns the address if it is of IP version 4, else "". Some processors take no other addresses.
func (b *Browser) IPv4() string {
	if strings.Contains(b.IP, ":") {
		return ""
	}
	return b.IP
}

// Device returns the customer's browser, an empty one if the browser is unknown; never nil.
func (r *Request) Device() *Browser {
	if r.Browser == nil {
		return &Browser{}
	}
	return r.Browser
}

// Proof returns the result of an authentication outside the processor, an empty one without such a result; never nil.
func (r *Request) Proof() *ThreeDSResult {
	if r.ThreeDS == nil {
		return &ThreeDSResult{}
	}
	return r.ThreeDS
}

// Returned returns a value that the customer's browser brought back in the query or the form, "" for an unknown name.
func (r *Request) Returned(name string) string {
	if r.Return == nil {
		return ""
	}
	return cmp.Or(HeaderValue(r.Return.Query, name), HeaderValue(r.Return.Form, name))
}

// Known returns the state of the payment, an empty one for a new payment; never nil.
func (r *Request) Known() *PaymentState {
	if r.Payment == nil {
		return &PaymentState{}
	}
	return r.Payment
}

// Increase returns the difference between the new total and the held amount, for processors that want the difference in an
// incremental authorization. A total that is not above the held amount, and an unknown payment, end the operation with a rejection.
func (r *Request) Increase() Money {
	held := r.Known()
	Require(r.Amount.Minor > held.Authorized && r.Amount.Currency == held.Currency, Invalid("amount", "the new total must be greater than the authorized amount, in the same currency"))
	return Money{Minor: r.Amount.Minor - held.Authorized, Currency: r.Amount.Currency}
}

// Kept returns the connector data, empty without any.
func (r *Request) Kept() ConnectorData {
	if r.ConnectorData == nil {
		return ConnectorData{}
	}
	return *r.ConnectorData
}

// Sorted returns the pairs of a map in the order of their names. The fixed order keeps re-runs of the operation identical.
func Sorted(m map[string]string) []Header {
	if len(m) == 0 {
		return nil
	}
	all := make([]Header, 0, len(m))
	for _, name := range sortedKeys(m) {
		all = append(all, Header{Name: name, Value: m[name]})
	}
	return all
}

// When returns value if the condition holds, else the zero value, which the Opt methods leave out. The value is computed in any case: for
// an object, and for what needs a look-up, an if costs less.
//
//	body.OptStr("authorization_mode", sdk.When(r.Wish().Partial, "PARTIAL"))
func When[T any](holds bool, value T) T {
	var zero T
	return Choose(holds, value, zero)
}

// Choose returns value if the condition holds, else otherwise. Both are computed in any case.
//
//	body.Str("intent", sdk.Choose(r.Manual(), "AUTHORIZE", "CAPTURE"))
func Choose[T any](holds bool, value, otherwise T) T {
	if holds {
		return value
	}
	return otherwise
}

// Room is the room that a processor has for metadata: the most pairs, and the most bytes of a name and of a value. 0 means no limit.
type Room struct{ Pairs, Name, Value int }

// For returns the first pairs of a map, in the order of their names, for which there is room. It leaves out pairs with a longer name or value.
//
//	body.OptObj("metadata", sdk.NewObject().Texts(sdk.Room{Pairs: 20, Name: 40, Value: 500}.For(r.Metadata)))
func (l Room) For(metadata map[string]string) (fitting []Header) {
	for _, pair := range Sorted(metadata) {
		full := l.Pairs > 0 && len(fitting) == l.Pairs
		if !full && (l.Name == 0 || len(pair.Name) <= l.Name) && (l.Value == 0 || len(pair.Value) <= l.Value) {
			fitting = append(fitting, pair)
		}
	}
	return fitting
}

// Each yields the elements of an array. Another value yields itself: some processors send a single element without a list. A
// missing value yields nothing.
func (j JSON) Each() func(yield func(JSON) bool) {
	if j.IsArray() {
		return j.All()
	}
	return func(yield func(JSON) bool) {
		if j.Exists() {
			yield(j)
		}
	}
}

// First returns the first text at the paths that is not "", as Text reads it.
func (j JSON) First(paths ...string) string {
	for _, path := range paths {
		if s := j.Text(path); s != "" {
			return s
		}
	}
	return ""
}

// Pick returns the texts at the paths that are not "", as Text reads them, for Outcome.Raw. Each text is named by its path, or by a
// name before the path: "reason=status_details.reason".
func (j JSON) Pick(paths ...string) map[string]string {
	picked := make(map[string]string, len(paths))
	for _, path := range paths {
		name, at, renamed := strings.Cut(path, "=")
		if !renamed {
			at = name
		}
		if s := j.Text(at); s != "" {
			picked[name] = s
		}
	}
	return picked
}

// At returns the environment of a base URL. The adapter may send to the URL's host and to the further hosts.
func At(baseURL string, hosts ...string) Environment {
	_, host, _ := strings.Cut(baseURL, "://")
	host, _, _ = strings.Cut(host, "/")
	return Environment{BaseURL: baseURL, Hosts: append([]string{host}, hosts...)}
}

// TestAndLive returns the environments of a processor with the usual two, each with the further hosts.
func TestAndLive(test, live string, hosts ...string) map[string]Environment {
	return map[string]Environment{"test": At(test, hosts...), "live": At(live, hosts...)}
}

// CardFields names the fields of a request's body that hold card data, as in Placement.Field. "" means that the request does not
// hold the value.
type CardFields struct{ Number, CVC, CAVV string }

// CardPlacements returns placements of card data in the body of a POST to the path, for these operations. A path of "" means any
// path.
func CardPlacements(path string, fields CardFields, operations ...Operation) (all []Placement) {
	for _, op := range operations {
		for _, f := range [...][2]string{{"card_number", fields.Number}, {"cvc", fields.CVC}, {"cavv", fields.CAVV}} {
			if f[1] != "" {
				all = append(all, Placement{Secret: f[0], Operation: op, Method: "POST", Path: path, In: InBody, Field: f[1]})
			}
		}
	}
	return all
}
