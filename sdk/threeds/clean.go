package threeds

import (
	"net/netip"
	"strconv"
	"strings"

	"payswitch/sdk"
)

// Cardholder is the payer's data in EMV's form. Data that does not fit EMV's fields is left out, as one bad field fails the whole request.
type Cardholder struct {
	Name              string // cardholderName, 2 to 45 characters of ASCII
	Email             string
	Phone             Phone // mobilePhone
	Billing, Shipping Address
	AddressMatch      string // addrMatch: Y, N, or "" if an address is missing
}

// Phone is a number split into country code and subscriber, digits only. It is zero if the number cannot be split.
type Phone struct{ Country, Subscriber string }

// Address is a postal address of ASCII. Country is ISO 3166-1 numeric.
type Address struct{ Line1, Line2, Line3, City, PostCode, State, Country string }

func holder(r *sdk.Request) (h Cardholder) {
	if k := r.Instrument.Card; k.Holder != "" {
		h.Name = name(k.Holder)
	} else if b := r.Billing; b != nil {
		h.Name = name(strings.TrimSpace(b.FirstName + " " + b.LastName))
	}
	h.Billing, h.Shipping = address(r.Billing), address(r.Shipping)
	if r.Authentication.DeviceChannel != sdk.Channel3RI && h.Billing != (Address{}) && h.Shipping != (Address{}) {
		h.AddressMatch = "N"
		if h.Billing == h.Shipping {
			h.AddressMatch = "Y"
		}
	}
	if c := r.Customer; c != nil {
		h.Email, h.Phone = email(c.Email), phone(c.PhoneCountry, c.Phone)
	}
	if b := r.Billing; b != nil {
		if h.Email == "" {
			h.Email = email(b.Email)
		}
		if h.Phone == (Phone{}) {
			h.Phone = phone(b.PhoneCountry, b.Phone)
		}
	}
	return h
}

func name(s string) string {
	if s = Plain(s); len(s) < 2 {
		return ""
	}
	return cut(s, 45)
}

func address(b *sdk.Address) (a Address) {
	if b == nil {
		return a
	}
	a = Address{Line1: cut(Plain(b.Line1), 50), Line2: cut(Plain(b.Line2), 50), Line3: cut(Plain(b.Line3), 50), City: cut(Plain(b.City), 50),
		PostCode: cut(Plain(b.Zip), 16), Country: Country(b.Country)}
	if state := strings.TrimPrefix(Plain(b.State), b.Country+"-"); len(state) <= 3 && a.Country != "" && alphanumeric(state) {
		a.State = strings.ToUpper(state)
	}
	return a
}

// email returns an address with one @ and text on both sides, within EMV's length; else "".
func email(s string) string {
	local, domain, ok := strings.Cut(s, "@")
	if !ok || local == "" || len(s) > 254 || !strings.Contains(domain, ".") || strings.ContainsAny(domain, "@ ") || Plain(s) != s || strings.Contains(s, " ") {
		return ""
	}
	return s
}

// phone reads a country code ("+44") and a number.
func phone(country, number string) Phone {
	cc, n := onlyDigits(country), onlyDigits(number)
	if strings.HasPrefix(strings.TrimSpace(number), "+") {
		if cc == "" || !strings.HasPrefix(n, cc) {
			return Phone{} // the country code's length is unknown
		}
		n = n[len(cc):]
	}
	if cc == "" || len(cc) > 3 || n == "" || len(n) > 15 {
		return Phone{}
	}
	return Phone{cc, n}
}

func onlyDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}

func alphanumeric(s string) bool {
	return strings.Trim(s, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// Country returns the ISO 3166-1 numeric code of an alpha-2 or numeric code, "" for anything else.
func Country(code string) string {
	if len(code) == 3 && onlyDigits(code) == code {
		return code
	}
	return sdk.CountryNumber(strings.ToUpper(code))
}

// letters maps letters outside of ASCII to their ASCII spelling.
var letters = [...]struct{ plain, letters string }{
	{"A", "ÀÁÂÃÄÅĀĂĄǍ"}, {"a", "àáâãäåāăąǎª"}, {"C", "ÇĆĈĊČ"}, {"c", "çćĉċč"}, {"D", "ĎĐÐ"}, {"d", "ďđð"}, {"E", "ÈÉÊËĒĔĖĘĚ"}, {"e", "èéêëēĕėęě"},
	{"G", "ĜĞĠĢ"}, {"g", "ĝğġģ"}, {"H", "ĤĦ"}, {"h", "ĥħ"}, {"I", "ÌÍÎÏĨĪĬĮİ"}, {"i", "ìíîïĩīĭįı"}, {"J", "Ĵ"}, {"j", "ĵ"}, {"K", "Ķ"}, {"k", "ķ"},
	{"L", "ĹĻĽĿŁ"}, {"l", "ĺļľŀł"}, {"N", "ÑŃŅŇ"}, {"n", "ñńņň"}, {"O", "ÒÓÔÕÖØŌŎŐ"}, {"o", "òóôõöøōŏőº"}, {"R", "ŔŖŘ"}, {"r", "ŕŗř"},
	{"S", "ŚŜŞŠȘ"}, {"s", "śŝşšș"}, {"T", "ŢŤŦȚ"}, {"t", "ţťŧț"}, {"U", "ÙÚÛÜŨŪŬŮŰŲ"}, {"u", "ùúûüũūŭůűų"}, {"W", "Ŵ"}, {"w", "ŵ"},
	{"Y", "ÝŶŸ"}, {"y", "ýÿŷ"}, {"Z", "ŹŻŽ"}, {"z", "źżž"}, {"ss", "ß"}, {"ae", "æ"}, {"AE", "Æ"}, {"oe", "œ"}, {"OE", "Œ"}, {"th", "þ"}, {"Th", "Þ"},
	{"'", "’‘´`"}, {"-", "–—"}, {" ", "\u00a0\t\n\r"},
}

func asciiOf(r rune) string {
	for i := range letters {
		if strings.ContainsRune(letters[i].letters, r) {
			return letters[i].plain
		}
	}
	return ""
}

// Plain writes a text in printable ASCII: letters lose their accents, and white space becomes one space. It returns "" for a text in another
// script, as half a name would be wrong.
func Plain(s string) string {
	b := strings.Builder{}
	for _, r := range s {
		if r >= ' ' && r <= '~' && r != '`' {
			b.WriteRune(r)
			continue
		}
		plain := asciiOf(r)
		if plain == "" {
			return ""
		}
		b.WriteString(plain)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// cut shortens an ASCII text to n bytes.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.TrimSpace(s[:n])
}

func digits(n, width int) string {
	s := strconv.Itoa(n)
	return strings.Repeat("0", max(0, width-len(s))) + s
}

// expiry returns the expiry as YYMM, "" if it is not known.
func expiry(k *sdk.Card) string {
	if k.ExpMonth < 1 || k.ExpMonth > 12 || k.ExpYear <= 0 {
		return ""
	}
	return digits(k.ExpYear%100, 2) + digits(k.ExpMonth, 2)
}

func isASCII(s string) bool { return strings.IndexFunc(s, func(r rune) bool { return r > '~' }) < 0 }

// object and array return a JSON text of that kind in ASCII, "" for any other text.
func object(text string) string {
	if j, err := sdk.ParseJSON([]byte(text)); err != nil || !j.IsObject() || !isASCII(text) {
		return ""
	}
	return text
}

func array(text string) string {
	if j, err := sdk.ParseJSON([]byte(text)); err != nil || !j.IsArray() || !isASCII(text) {
		return ""
	}
	return text
}

// Browser is the payer's browser in EMV's values. From 2.2.0, Java and the texts after it are sent only with JavaScript.
type Browser struct {
	AcceptHeader, UserAgent, IP, Language           string
	AcceptLanguage                                  []string // from 2.3.1
	JavaScript, Java                                bool
	ColorDepth, ScreenHeight, ScreenWidth, TimeZone string
}

// colorDepths are EMV's values of browserColorDepth.
var colorDepths = [...]int{48, 32, 24, 16, 15, 8, 4, 1}

func browser(in *sdk.Browser, version string) *Browser {
	b := &Browser{AcceptHeader: cut(Plain(in.AcceptHeader), 2048), UserAgent: cut(Plain(in.UserAgent), 2048), IP: publicIP(in.IP), JavaScript: in.JavaScriptEnable,
		Java: in.JavaEnabled}
	if b.AcceptHeader == "" {
		b.AcceptHeader = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	}
	longest := 8
	if FromVersion(version, "2.3.1") {
		longest = 35
		b.AcceptLanguage = []string{first(cut(Plain(in.Language), 100), "en")}
	}
	b.Language = first(language(in.Language, longest), "en")
	known := in.ScreenHeight > 0 && in.ScreenWidth > 0 // browsers without colours report a depth of 0
	if from22(version) && !known {                     // without a script these values are unknown: claim no JavaScript instead of inventing them
		b.JavaScript = false
	}
	if from22(version) && !b.JavaScript {
		return b
	}
	b.ColorDepth = "24" // the most common depth; 2.1.0 demands a value
	if known {
		b.ColorDepth = "1"
	}
	for _, n := range colorDepths {
		if in.ColorDepth >= n {
			b.ColorDepth = strconv.Itoa(n)
			break
		}
	}
	b.ScreenHeight, b.ScreenWidth = strconv.Itoa(within(in.ScreenHeight, 999999)), strconv.Itoa(within(in.ScreenWidth, 999999))
	b.TimeZone = strconv.Itoa(min(max(in.TimeZone, -9999), 9999))
	return b
}

func within(n, most int) int { return min(max(n, 0), most) }

// language returns the longest prefix of whole subtags of a BCP 47 tag that fits.
func language(tag string, longest int) string {
	if tag = Plain(tag); strings.ContainsAny(tag, " ,;") {
		tag = ""
	}
	for len(tag) > longest {
		i := strings.LastIndexByte(tag, '-')
		if i < 0 {
			return ""
		}
		tag = tag[:i]
	}
	return tag
}

// publicIP returns a public address. It returns "" for other addresses, which are useless to the issuer.
func publicIP(s string) string {
	ip, err := netip.ParseAddr(s)
	if err != nil || ip.Zone() != "" {
		return ""
	}
	if ip = ip.Unmap(); ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast() || ip.IsUnspecified() || ip.IsMulticast() {
		return ""
	}
	return ip.String()
}
