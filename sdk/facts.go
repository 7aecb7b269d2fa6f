package sdk

import (
	"cmp"
	"strings"
)

// Month is the month of expiry in two digits: "03".
func (k *Card) Month() string { return twoDigits(k.ExpMonth) }

// Year is the year of expiry in four digits: "2030".
func (k *Card) Year() string { return twoDigits(k.ExpYear/100) + k.ShortYear() }

// ShortYear is the year of expiry in two digits: "30".
func (k *Card) ShortYear() string { return twoDigits(k.ExpYear) }

// HolderNames are the first and the last name of the holder as the card has them: the last word is the last name. "" for what it has not.
func (k *Card) HolderNames() (first, last string) {
	i := strings.LastIndexByte(k.Holder, ' ')
	return k.Holder[:max(i, 0)], k.Holder[i+1:]
}

func twoDigits(n int) string { return string([]byte{'0' + byte(n/10%10), '0' + byte(n%10)}) }

// Name is the first and last name, as far as they are known.
func (a *Address) Name() string {
	if a.FirstName == "" || a.LastName == "" {
		return a.FirstName + a.LastName
	}
	return a.FirstName + " " + a.LastName
}

// Stores says that the credential is to be kept with this payment.
func (r *Request) Stores() bool { return r.StoredCredential != nil && r.StoredCredential.First }

// StoresForMerchant says that the credential is kept for the merchant to charge on its own: what the customer agrees to with strong
// customer authentication, where that is the law (PSD2).
func (r *Request) StoresForMerchant() bool {
	return r.Stores() && r.StoredCredential.Usage != "on_session"
}

// MerchantInitiated says that the merchant charges a stored credential on its own.
func (r *Request) MerchantInitiated() bool {
	return r.StoredCredential != nil && r.StoredCredential.Initiator == "mit"
}

// Agreement is how the payment relates to a stored credential, in one word: "first" where it is stored with the payment, "mit" where the
// merchant charges it on its own, "cit" where the customer pays with it, "" for nil. Tables by agreement say what a processor calls it:
//
//	var initiators = sdk.Names{{"RECURRING_FIRST", "first_recurring"}, {"RECURRING", "mit_recurring"}, {"UNSCHEDULED", "mit"}}
//	body.OptStr("paymentInitiator", initiators.For(r.StoredCredential))
func (u *StoredCredentialUse) Agreement() string {
	switch {
	case u == nil:
		return ""
	case u.First:
		return "first"
	case u.Initiator == "mit":
		return "mit"
	}
	return "cit"
}

// Manual says that the payment is only held by its authorization: as asked for in this request, else as the payment was made.
func (r *Request) Manual() bool {
	if r.Capture == "" && r.Payment != nil {
		return r.Payment.Capture == CaptureManual
	}
	return r.Capture == CaptureManual
}

// BillTo is the billing address, empty where there is none; never nil.
func (r *Request) BillTo() *Address { return r.billing() }

// LinesTotal is what the order's lines come to without tax, in minor units. ok is false where there are none, or one is no sale of goods: without
// a name, of no or over a million pieces, at a price below zero or beyond reason.
func (r *Request) LinesTotal() (total int64, ok bool) {
	for i := range r.Lines {
		l := &r.Lines[i]
		if l.Name == "" || l.Quantity < 1 || l.Quantity > 1e6 || l.UnitPrice < 0 || l.UnitPrice > 1e12 || total > 1e18 {
			return 0, false // in range, so that the total cannot overflow
		}
		total += int64(l.Quantity) * l.UnitPrice
	}
	return total, len(r.Lines) > 0
}

// Scheme is the card's network: as it is told, else by the number ranges that the networks publish (ISO/IEC 7812), "" where they say nothing,
// and for nil.
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

// Clip cuts a text to at most n characters, which is how processors' schemas tell lengths.
func Clip(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// Email is that of the billing address, else the customer's; "" where neither is known.
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

// Payer is the customer, empty where none is known; never nil.
func (r *Request) Payer() *Customer {
	if r.Customer == nil {
		return &Customer{}
	}
	return r.Customer
}

// ShipTo is the shipping address, empty where there is none; never nil.
func (r *Request) ShipTo() *Address {
	if r.Shipping == nil {
		return &Address{}
	}
	return r.Shipping
}

// Shopper is the browser of a customer who is there to pay, which tools against fraud look at: empty where none is known, and where the
// merchant charges on its own; never nil.
func (r *Request) Shopper() *Browser {
	if r.MerchantInitiated() {
		return &Browser{}
	}
	return r.Device()
}

// IPv4 is the address where it is one of IP version 4, else "": for processors that take no other.
func (b *Browser) IPv4() string {
	if strings.Contains(b.IP, ":") {
		return ""
	}
	return b.IP
}

// Device is the customer's browser, empty where none is known; never nil.
func (r *Request) Device() *Browser {
	if r.Browser == nil {
		return &Browser{}
	}
	return r.Browser
}

// Proof is the result of an authentication that was done outside the processor, empty where there was none; never nil.
func (r *Request) Proof() *ThreeDSResult {
	if r.ThreeDS == nil {
		return &ThreeDSResult{}
	}
	return r.ThreeDS
}

// Returned is a value that the customer's browser brought back, in the query or in the form; "" where it brought none of that name.
func (r *Request) Returned(name string) string {
	if r.Return == nil {
		return ""
	}
	return cmp.Or(HeaderValue(r.Return.Query, name), HeaderValue(r.Return.Form, name))
}

// Known is what is known of the payment so far, empty where nothing is; never nil.
func (r *Request) Known() *PaymentState {
	if r.Payment == nil {
		return &PaymentState{}
	}
	return r.Payment
}

// Increase is by how much an incremental authorization raises what is held, for processors that want to be told that instead of the new
// total. A total that is no more than what is held, and a payment of which nothing is known, end the operation with a rejection.
func (r *Request) Increase() Money {
	held := r.Known()
	Require(r.Amount.Minor > held.Authorized && r.Amount.Currency == held.Currency, Invalid("amount", "the new total must be above what is held, in its currency"))
	return Money{Minor: r.Amount.Minor - held.Authorized, Currency: r.Amount.Currency}
}

// Kept is the connector data, empty where there is none.
func (r *Request) Kept() ConnectorData {
	if r.ConnectorData == nil {
		return ConnectorData{}
	}
	return *r.ConnectorData
}

// Sorted returns the pairs of a map in the order of their names, so that the same request is sent whenever the operation is run again.
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

// Each yields the elements of an array, or the value itself where it is none: what may stand alone or in a list. A value that is missing
// yields nothing.
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

// First is the first text at the paths, as Text reads it, that is not "".
func (j JSON) First(paths ...string) string {
	for _, path := range paths {
		if s := j.Text(path); s != "" {
			return s
		}
	}
	return ""
}

// Pick returns the texts at the paths, as Text reads them, without those that are "": what Outcome.Raw is to hold. A text is named by its
// path, or by what stands before it: "reason=status_details.reason".
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

// At is the environment of a base URL. The adapter may send to its host, and to the further hosts.
func At(baseURL string, hosts ...string) Environment {
	_, host, _ := strings.Cut(baseURL, "://")
	host, _, _ = strings.Cut(host, "/")
	return Environment{BaseURL: baseURL, Hosts: append([]string{host}, hosts...)}
}

// CardFields are the fields of a request's body that card data stands in, as in Placement.Field; "" for what is not sent.
type CardFields struct{ Number, CVC, CAVV string }

// CardPlacements says that in these operations card data stands in the body of a POST to the path: "" for any.
func CardPlacements(path string, fields CardFields, operations ...Operation) (all []Placement) {
	for _, op := range operations {
		for _, f := range [...][2]string{{"card_number", fields.Number}, {"cvc", fields.CVC}, {"cavv", fields.CAVV}} {
			if f[1] != "" {
				all = append(all, Placement{Secret: f[0], Operation: op, Method: "POST", Path: path, In: "body", Field: f[1]})
			}
		}
	}
	return all
}
