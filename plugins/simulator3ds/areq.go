package simulator3ds

import (
	"fmt"
	"net/mail"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"payswitch/sdk"
)

// Values of deviceChannel.
const (
	channelApp     = "01"
	channelBrowser = "02"
	channel3RI     = "03"
)

// areq holds the fields of a valid authentication request (AReq) that are needed later.
type areq struct {
	version, channel, category string
	notificationURL            string
	merchant                   string
	amount, currency           string // as in the message; "" if there is no purchase
	decoupled                  bool   // the request allows a decoupled authentication
}

// payment reports whether the request is about a payment. Only then does a result have an authentication value.
func (a *areq) payment() bool { return a.category == "01" || a.category == categoryDataOnly }

// categoryDataOnly is the messageCategory of Mastercard Identity Check Insights.
const categoryDataOnly = "80"

// need says whether a field is required, optional or forbidden in a message.
type need byte

const (
	optional need = iota
	required
	forbidden
)

// field is a rule for one field of the AReq (EMV 3-D Secure, table A.1 of each version).
type field struct {
	name string
	form func(v any) bool
	need func(c *facts) need // nil: optional
}

// facts are the values that decide which fields are required.
type facts struct {
	message                                        message
	version, channel, category, initiator, threeRI string
	javaScript, purchase                           bool
}

func (c *facts) atLeast(version string) bool { return c.version >= version } // of three one-digit parts

func always(*facts) need { return required }

// browser returns a field that only the browser channel has.
func browser(c *facts) need {
	if c.channel == channelBrowser {
		return required
	}
	return forbidden
}

// scripted returns a field that only JavaScript can read. Before 2.2.0 it was always required.
func scripted(c *facts) need {
	switch {
	case c.channel != channelBrowser:
		return forbidden
	case c.javaScript || c.version == "2.1.0":
		return required
	}
	return optional
}

func onlyIf(ok bool, n need) need {
	if ok {
		return n
	}
	return forbidden
}

func ifSo(ok bool, n need) need {
	if ok {
		return n
	}
	return optional
}

func purchase(c *facts) need { return ifSo(c.purchase, required) }
func merchant(c *facts) need { return ifSo(c.category != "02", required) }
func repeating(c *facts) need {
	return ifSo(c.initiator == "02" || c.initiator == "03" || c.threeRI == "01" || c.threeRI == "02", required)
}

// pattern accepts a text if the whole text matches.
func pattern(expr string) func(any) bool {
	re := regexp.MustCompile(`^(?:` + expr + `)$`)
	return func(v any) bool {
		s, ok := v.(string)
		return ok && re.MatchString(s)
	}
}

func text(least, most int) func(any) bool {
	return func(v any) bool {
		s, ok := v.(string)
		return ok && len(s) >= least && len(s) <= most && strings.IndexFunc(s, func(r rune) bool { return r < ' ' }) < 0
	}
}

func object(v any) bool  { _, ok := v.(map[string]any); return ok }
func boolean(v any) bool { _, ok := v.(bool); return ok }

func web(most int) func(any) bool {
	return func(v any) bool {
		s, _ := v.(string)
		u, err := url.Parse(s)
		return err == nil && len(s) <= most && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil
	}
}

func address(v any) bool {
	s, _ := v.(string)
	_, err := netip.ParseAddr(s)
	return err == nil
}

func email(v any) bool {
	s, _ := v.(string)
	a, err := mail.ParseAddress(s)
	return err == nil && a.Address == s && len(s) <= 254
}

func phone(v any) bool {
	m, ok := v.(map[string]any)
	return ok && isCountryCode(m["cc"]) && isSubscriber(m["subscriber"])
}

func moment(layout string) func(any) bool {
	return func(v any) bool {
		s, _ := v.(string)
		_, err := time.Parse(layout, s)
		return err == nil
	}
}

func list(most int, form func(any) bool) func(any) bool {
	return func(v any) bool {
		l, ok := v.([]any)
		for _, x := range l {
			ok = ok && form(x)
		}
		return ok && len(l) > 0 && len(l) <= most
	}
}

const uuidPattern = `[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}`

var (
	isWindow          = pattern(`0[1-5]`) // challengeWindowSize
	isUUID            = pattern(uuidPattern)
	isNumber          = pattern(`[0-9]{13,19}`)
	isCountryCode     = pattern(`[0-9]{1,3}`)
	isSubscriber      = pattern(`[0-9]{1,15}`)
	isChallengeInd210 = pattern(`0[1-4]`)
	isChallengeInd220 = pattern(`0[1-9]`)
	isChallengeInd231 = list(2, pattern(`0[1-9]|1[0-4]`))
)

// fields are the rules of all versions. check has the few rules whose form depends on the version.
var fields = []field{
	{"messageType", pattern(`AReq`), always},
	{"messageVersion", pattern(`2\.[123]\.[01]`), always},
	{"messageCategory", pattern(`01|02|80|85|86`), always},
	{"deviceChannel", pattern(`0[123]`), always},
	{"threeDSServerTransID", isUUID, func(c *facts) need { return ifSo(c.channel == channelBrowser, required) }},
	{"threeDSRequestorURL", web(2048), always},
	{"threeDSRequestorID", text(1, 35), nil},
	{"threeDSRequestorName", text(1, 40), nil},
	{"acctNumber", isNumber, always},
	{"cardExpiryDate", pattern(`[0-9]{2}(0[1-9]|1[0-2])`), nil},
	{"acctType", pattern(`0[123]`), nil},
	{"acctID", text(1, 64), nil},
	{"acctInfo", object, nil},
	{"ds", pattern(`[a-z]{2,16}`), nil},
	{"payTokenInd", pattern(`true`), nil},

	{"acquirerBIN", pattern(`[0-9]{1,11}`), merchant},
	{"acquirerMerchantID", text(1, 35), merchant},
	{"acquirerCountryCode", pattern(`[0-9]{3}`), nil},
	{"mcc", pattern(`[0-9]{4}`), merchant},
	{"merchantCountryCode", pattern(`[0-9]{3}`), merchant},
	{"merchantName", text(1, 40), merchant},
	{"merchantRiskIndicator", object, nil},

	{"purchaseAmount", pattern(`[0-9]{1,48}`), purchase},
	{"purchaseCurrency", pattern(`[0-9]{3}`), purchase},
	{"purchaseExponent", pattern(`[0-9]`), purchase},
	{"purchaseDate", moment("20060102150405"), purchase},
	{"purchaseInstalData", pattern(`[0-9]{1,3}`), func(c *facts) need { return ifSo(c.initiator == "03" || c.threeRI == "02", required) }},
	{"recurringExpiry", moment("20060102"), repeating},
	{"recurringFrequency", pattern(`[0-9]{1,4}`), repeating},
	{"transType", pattern(`01|03|10|11|28`), nil},

	{"threeDSCompInd", pattern(`[YNU]`), browser},
	{"notificationURL", web(256), browser},
	{"threeDSRequestorAuthenticationInd", pattern(`0[1-9]|10`), func(c *facts) need { return onlyIf(c.channel != channel3RI, required) }},
	{"threeRIInd", pattern(`0[1-9]|1[0-9]`), func(c *facts) need { return onlyIf(c.channel == channel3RI, required) }},
	{"threeDSRequestorPriorAuthenticationInfo", priorInfo, func(c *facts) need { return ifSo(c.channel == channel3RI && c.category != "02", required) }},
	{"threeDSRequestorAuthenticationInfo", func(v any) bool { return object(v) || list(3, object)(v) }, nil},
	{"threeDSRequestorDecReqInd", pattern(`[YNFB]`), nil},
	{"threeDSRequestorDecMaxTime", pattern(`[0-9]{5}`), func(c *facts) need {
		return ifSo(c.message.text("threeDSRequestorDecReqInd") == "Y", required)
	}},
	{"threeDSRequestorSpcSupport", pattern(`Y`), nil},

	{"browserAcceptHeader", text(1, 2048), browser},
	{"browserUserAgent", text(1, 2048), browser},
	{"browserIP", address, func(c *facts) need { return onlyIf(c.channel == channelBrowser, optional) }},
	{"browserLanguage", text(1, 35), func(c *facts) need {
		return onlyIf(c.channel == channelBrowser, ifSo(!c.atLeast("2.3.1") || c.javaScript, required))
	}},
	{"browserJavascriptEnabled", boolean, func(c *facts) need {
		return onlyIf(c.channel == channelBrowser, ifSo(c.atLeast("2.2.0"), required))
	}},
	{"browserJavaEnabled", boolean, scripted},
	{"browserColorDepth", pattern(`1|4|8|15|16|24|32|48`), scripted},
	{"browserScreenHeight", pattern(`[0-9]{1,6}`), scripted},
	{"browserScreenWidth", pattern(`[0-9]{1,6}`), scripted},
	{"browserTZ", pattern(`[+-]?[0-9]{1,4}`), scripted},
	{"acceptLanguage", list(99, text(1, 100)), func(c *facts) need { return ifSo(c.channel == channelBrowser && c.atLeast("2.3.1"), required) }},

	{"sdkAppID", isUUID, app}, {"sdkTransID", isUUID, app}, {"sdkReferenceNumber", text(1, 32), app},
	{"sdkEncData", text(1, 64000), app}, {"sdkMaxTimeout", pattern(`[0-9]{2}`), app}, {"sdkEphemPubKey", object, app},
	{"deviceRenderOptions", object, func(c *facts) need { return onlyIf(c.channel == channelApp, optional) }},

	{"cardholderName", text(1, 45), nil}, {"email", email, nil},
	{"homePhone", phone, nil}, {"mobilePhone", phone, nil}, {"workPhone", phone, nil},
	{"billAddrLine1", text(1, 50), nil}, {"billAddrLine2", text(1, 50), nil}, {"billAddrLine3", text(1, 50), nil},
	{"billAddrCity", text(1, 50), nil}, {"billAddrPostCode", text(1, 16), nil}, {"billAddrState", pattern(`[A-Z0-9]{1,3}`), nil},
	{"billAddrCountry", pattern(`[0-9]{3}`), func(c *facts) need { return ifSo(c.message["billAddrState"] != nil, required) }},
	{"shipAddrLine1", text(1, 50), nil}, {"shipAddrLine2", text(1, 50), nil}, {"shipAddrLine3", text(1, 50), nil},
	{"shipAddrCity", text(1, 50), nil}, {"shipAddrPostCode", text(1, 16), nil}, {"shipAddrState", pattern(`[A-Z0-9]{1,3}`), nil},
	{"shipAddrCountry", pattern(`[0-9]{3}`), func(c *facts) need { return ifSo(c.message["shipAddrState"] != nil, required) }},
	{"addrMatch", pattern(`[YN]`), func(c *facts) need { return onlyIf(c.channel != channel3RI, optional) }},
	{"messageExtension", list(15, object), nil},
}

func app(c *facts) need { return onlyIf(c.channel == channelApp, required) }

func priorInfo(v any) bool {
	if l, ok := v.([]any); ok && len(l) > 0 { // 2.3.1
		v = l[0]
	}
	m, ok := v.(map[string]any)
	ref, has := m["threeDSReqPriorRef"]
	return ok && (!has || isUUID(ref))
}

// check parses an AReq as strictly as a directory server. The second result is the error message of a refused AReq: 201
// names all missing fields, 203 all fields that are malformed or forbidden.
func check(m message) (*areq, message) {
	c := &facts{message: m, version: m.text("messageVersion"), channel: m.text("deviceChannel"), category: m.text("messageCategory"),
		initiator: m.text("threeDSRequestorAuthenticationInd"), threeRI: m.text("threeRIInd")}
	c.javaScript, _ = m["browserJavascriptEnabled"].(bool)
	c.purchase = c.category != "02" || c.initiator == "02" || c.initiator == "03" || c.threeRI != "" && strings.Contains("01 02 06 07 08 09 11", c.threeRI)
	if m.text("messageType") != "AReq" {
		return nil, erro("101", "S", "Message Received Invalid", "messageType is not AReq")
	}
	var missing, wrong []string
	for i := range fields {
		f := &fields[i]
		n := optional
		if f.need != nil {
			n = f.need(c)
		}
		v, there := m[f.name]
		switch {
		case n == required && (!there || v == nil || v == ""):
			missing = append(missing, f.name)
		case there && (n == forbidden || !f.form(v)):
			wrong = append(wrong, f.name)
		}
	}
	if !ofVersion(c) {
		wrong = append(wrong, "threeDSRequestorChallengeInd")
	}
	if l := m.text("browserLanguage"); len(l) > 8 && !c.atLeast("2.3.1") {
		wrong = append(wrong, "browserLanguage")
	}
	if len(missing) > 0 {
		return nil, erro("201", "S", "Required Data Element Missing", strings.Join(missing, ","))
	}
	if len(wrong) > 0 {
		return nil, erro("203", "S", "Format of one or more Data Elements is Invalid according to the Specification", strings.Join(wrong, ","))
	}
	if number := m.text("purchaseCurrency"); number != "" {
		currency := sdk.CurrencyByNumber(number)
		if exponent, known := currency.Exponent(); !known || fmt.Sprint(exponent) != m.text("purchaseExponent") {
			return nil, erro("304", "D", "ISO Code Invalid", "purchaseCurrency,purchaseExponent")
		}
	}
	return &areq{version: c.version, channel: c.channel, category: c.category, notificationURL: m.text("notificationURL"), merchant: m.text("merchantName"),
		amount: m.text("purchaseAmount"), currency: m.text("purchaseCurrency"), decoupled: m.text("threeDSRequestorDecReqInd") == "Y"}, nil
}

// ofVersion checks threeDSRequestorChallengeInd: a text before 2.3.1, a list of one or two texts since.
func ofVersion(c *facts) bool {
	v, there := c.message["threeDSRequestorChallengeInd"]
	switch {
	case !there:
		return true
	case c.channel == channel3RI && !c.atLeast("2.3.1"):
		return false
	case c.version == "2.1.0":
		return isChallengeInd210(v)
	case c.version == "2.2.0":
		return isChallengeInd220(v)
	}
	return isChallengeInd231(v)
}

// shownAmount formats the purchase for people, "" if there is none.
func (a *areq) shownAmount() string {
	n, err := strconv.ParseInt(a.amount, 10, 64)
	if err != nil || a.currency == "" {
		return ""
	}
	m := sdk.Money{Minor: n, Currency: sdk.CurrencyByNumber(a.currency)}
	return m.Major() + " " + string(m.Currency)
}
