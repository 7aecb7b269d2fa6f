package threeds

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// call runs f in an authenticate operation.
func call(t testing.TB, r sdk.Request, config map[string]string, f func(c *sdk.Call)) {
	a := &sdk.Adapter{Authenticate: func(c *sdk.Call) (*sdk.Outcome, error) {
		f(c)
		return &sdk.Outcome{Status: sdk.StatusUnknown}, nil
	}}
	res := a.Step(&sdk.Step{ABI: sdk.ABI, Operation: sdk.OpAuthenticate, Now: time.Date(2026, 3, 4, 10, 15, 30, 0, time.UTC).UnixMilli(),
		Seed: strings.Repeat("5e", 32), Account: sdk.Account{Config: config}, Request: r})
	require.NotNil(t, res.Outcome, "%+v", res)
	require.Empty(t, res.Outcome.Raw["error"])
}

func read(t testing.TB, r sdk.Request, config map[string]string) (a *AReq, err error) {
	call(t, r, config, func(c *sdk.Call) { a, err = Read(c) })
	return a, err
}

func purchase(change ...func(*sdk.Request)) sdk.Request {
	r := sdk.Request{Amount: sdk.Money{Minor: 6540, Currency: "EUR"}, Browser: &sdk.Browser{Language: "en-GB", ColorDepth: 24, ScreenHeight: 900, ScreenWidth: 1440, JavaScriptEnable: true},
		Instrument:     &sdk.Instrument{Card: &sdk.Card{Number: "standIn", ExpMonth: 3, ExpYear: 2030, Holder: "Ana Perez"}},
		Authentication: &sdk.AuthenticationRequest{DeviceChannel: sdk.ChannelBrowser, MessageVersion: "2.2.0"}}
	for _, f := range change {
		f(&r)
	}
	return r
}

func TestWhatIsMissingIsNamed(t *testing.T) {
	for parameter, change := range map[string]func(*sdk.Request){
		"authentication": func(r *sdk.Request) { r.Authentication = nil }, "device_channel": func(r *sdk.Request) { r.Authentication.DeviceChannel = "WEB" },
		"payment_method_data.card": func(r *sdk.Request) { r.Instrument = nil }, "browser_info": func(r *sdk.Request) { r.Browser = nil },
		"sdk_information":    func(r *sdk.Request) { r.Authentication.DeviceChannel = sdk.ChannelApp },
		"three_ri_indicator": func(r *sdk.Request) { r.Authentication.DeviceChannel = sdk.Channel3RI },
		"currency":           func(r *sdk.Request) { r.Amount.Currency = "XXX" },
	} {
		_, err := read(t, purchase(change), nil)
		reject, ok := errors.AsType[*sdk.Reject](err)
		require.True(t, ok, "%s: %v", parameter, err)
		require.Equal(t, parameter, reject.Parameter)
	}
	a, err := read(t, purchase(), map[string]string{ConfigAcquirerBIN: "412345", ConfigAcquirerMID: "m", ConfigMCC: "0742", ConfigMerchantName: "Café", ConfigMerchantCountry: "36"})
	require.NoError(t, err)
	reject, ok := errors.AsType[*sdk.Reject](a.RequireParties())
	require.True(t, ok)
	require.Equal(t, ConfigMerchantCountry, reject.Parameter, "36 is no country: 036 is")
}

// Data of the request takes precedence over the account's, and leading zeros stay.
func TestParties(t *testing.T) {
	config := map[string]string{ConfigAcquirerBIN: "412345", ConfigAcquirerMID: "m", ConfigAcquirerCountry: "AU", ConfigMCC: "0742", ConfigMerchantName: "Café Zoë", ConfigMerchantCountry: "036"}
	a, err := read(t, purchase(), config)
	require.NoError(t, err)
	require.NoError(t, a.RequireParties())
	require.Equal(t, Acquirer{"412345", "m", "036"}, a.Acquirer)
	require.Equal(t, Merchant{"Cafe Zoe", "036", "0742"}, a.Merchant)
	a, err = read(t, purchase(func(r *sdk.Request) { r.Authentication.AcquirerBIN, r.Authentication.MCC = "999999", "5411" }), config)
	require.NoError(t, err)
	require.Equal(t, "999999", a.Acquirer.BIN)
	require.Equal(t, "5411", a.Merchant.MCC)
}

func TestPurchaseByCategory(t *testing.T) {
	for name, k := range map[string]struct {
		category, ind string
		has           bool
	}{"payment": {"", "", true}, "data only": {"80", "01", true}, "card to be added": {"02", "04", false}, "series begun without a payment": {"02", "02", true}} {
		a, err := read(t, purchase(func(r *sdk.Request) {
			r.Authentication.MessageCategory, r.Authentication.AuthenticationInd = k.category, k.ind
		}), nil)
		require.NoError(t, err)
		require.Equal(t, k.has, a.Purchase != nil, name)
	}
	a, err := read(t, purchase(func(r *sdk.Request) { r.Amount = sdk.Money{Minor: 1050, Currency: "KWD"} }), nil)
	require.NoError(t, err)
	require.Equal(t, &Purchase{Minor: 1050, Amount: "1050", Currency: "414", Exponent: "3", Date: "20260304101530"}, a.Purchase)
}

func TestChallengeIndsByVersion(t *testing.T) {
	for _, k := range []struct {
		version   string
		in, wants []string
	}{
		{"2.1.0", []string{"04"}, []string{"04"}}, {"2.1.0", []string{"05", "02"}, []string{"02"}}, {"2.1.0", []string{"09"}, nil}, {"2.2.0", []string{"09", "02"}, []string{"09"}},
		{"2.2.0", []string{"10", "02"}, []string{"02"}}, {"2.3.1", []string{"10", "02", "01"}, []string{"10", "02"}}, {"2.3.1", []string{"15", "00", "1", "x2"}, nil},
	} {
		require.Equal(t, k.wants, challengeInds(k.version, k.in), "%s %v", k.version, k.in)
	}
}

func TestFromVersion(t *testing.T) {
	for _, k := range []struct {
		version, wanted string
		is              bool
	}{{"2.2.0", "2.2.0", true}, {"2.10.0", "2.3.1", true}, {"2.3.0", "2.3.1", false}, {"2.1.0", "2.2.0", false}, {"3.0.0", "2.3.1", true}, {"", "2.2.0", false}, {"2.2", "2.2.0", false}, {"2.x.0", "2.2.0", false}} {
		require.Equal(t, k.is, FromVersion(k.version, k.wanted), "%s %s", k.version, k.wanted)
	}
}

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{"Ana  Pérez\n": "Ana Perez", "Großmann": "Grossmann", "Łódź": "Lodz", "O’Neil": "O'Neil", "山田": "", "Ana 山田": "", "": "", " ": "", "Þór": "Thor", "a\u0000b": ""} {
		require.Equal(t, want, Plain(in), in)
	}
}

func TestPhone(t *testing.T) {
	for _, k := range []struct {
		country, number string
		want            Phone
	}{
		{"+44", "7911 123456", Phone{"44", "7911123456"}}, {"44", "+44 7911 123456", Phone{"44", "7911123456"}}, {"", "+447911123456", Phone{}}, {"+1", "+44791", Phone{}},
		{"+44", "", Phone{}}, {"+44", "1234567890123456", Phone{}}, {"+12345", "5550100", Phone{}},
	} {
		require.Equal(t, k.want, phone(k.country, k.number), "%s %s", k.country, k.number)
	}
}

func TestAddressAndContact(t *testing.T) {
	require.Equal(t, Address{Line1: "1 Main St", City: "San Francisco", State: "CA", Country: "840"},
		address(&sdk.Address{Line1: "1 Main St", City: "San Francisco", State: "US-CA", Country: "US"}))
	require.Empty(t, address(&sdk.Address{State: "California", Country: "US"}).State)
	require.Empty(t, address(&sdk.Address{State: "CA"}).State, "a subdivision of no country")
	require.Len(t, address(&sdk.Address{Line1: strings.Repeat("x", 80)}).Line1, 50)
	for in, want := range map[string]string{"ana@example.com": "ana@example.com", "ana": "", "@example.com": "", "ana@b": "", "a b@example.com": "", "añá@example.com": "", "a@b@example.com": ""} {
		require.Equal(t, want, email(in), in)
	}
	require.Equal(t, "zh-Hant", language("zh-Hant-TW", 8))
	require.Empty(t, language("waytoolong1", 8))
	for in, want := range map[string]string{"8.8.8.8": "8.8.8.8", "::ffff:8.8.8.8": "8.8.8.8", "10.0.0.1": "", "127.0.0.1": "", "fe80::1%eth0": "", "x": "", "2a00:1450::1": "2a00:1450::1"} {
		require.Equal(t, want, publicIP(in), in)
	}
}

func TestBrowserWithoutAScript(t *testing.T) {
	in := &sdk.Browser{JavaScriptEnable: true, Language: "en"}
	require.False(t, browser(in, "2.2.0").JavaScript, "a screen is not made up")
	require.Empty(t, browser(in, "2.2.0").ColorDepth)
	require.Equal(t, "24", browser(in, "2.1.0").ColorDepth, "2.1.0 cannot do without")
	in.ColorDepth, in.ScreenHeight, in.ScreenWidth = 30, 900, 1440
	b := browser(in, "2.3.1")
	require.True(t, b.JavaScript)
	require.Equal(t, "24", b.ColorDepth, "the next one below")
	require.Equal(t, []string{"en"}, b.AcceptLanguage)
}

// Any input of merchants and browsers gives printable ASCII of EMV's lengths, twice the same.
func FuzzAReq(f *testing.F) {
	f.Add("Ana Perez", "1 Main St", "ana@example.com", "+44 7911", "en-GB", "2.2.0", 24)
	f.Add("Ødegård\x00", strings.Repeat("ß", 60), "a@", "00", "zh-Hant-TW", "2.3.1", -1)
	f.Add("0", "0", "0\xb2", "0", "0", "2.3.1", 66)
	f.Fuzz(func(t *testing.T, name, line, mail, phone, language, version string, n int) {
		r := purchase(func(r *sdk.Request) {
			a := sdk.Address{FirstName: name, Line1: line, City: line, State: name, Zip: line, Country: language}
			r.Billing, r.Shipping = &a, &a
			r.Customer = &sdk.Customer{ID: name, Email: mail, Phone: phone, PhoneCountry: phone}
			r.Instrument.Card.Holder, r.Instrument.Card.ExpMonth = name, n
			r.Browser = &sdk.Browser{UserAgent: name, AcceptHeader: line, Language: language, IP: phone, ColorDepth: n, ScreenHeight: n, ScreenWidth: n, TimeZone: n, JavaScriptEnable: n > 0}
			r.Authentication.MessageVersion, r.Authentication.MerchantName, r.Authentication.ChallengeInds = version, line, []string{mail, "04", name}
			r.Authentication.AccountInfo, r.Authentication.Extensions = line, name
		})
		a, err := read(t, r, nil)
		require.NoError(t, err)
		o := sdk.NewObject()
		a.WriteRequestor(o)
		a.WriteCardholder(o)
		a.WriteBrowser(o)
		a.WriteRecurring(o)
		a.WriteRisk(o)
		_, err = sdk.ParseJSON(o.Bytes())
		require.NoError(t, err, o.String())
		require.True(t, isASCII(o.String()), o.String())
		h := &a.Holder
		require.True(t, len(h.Name) <= 45 && len(h.Billing.Line1) <= 50 && len(h.Billing.State) <= 3 && len(h.Email) <= 254 && len(a.Browser.Language) <= 35 && len(a.Merchant.Name) <= 40)
		again, err := read(t, r, nil)
		require.NoError(t, err)
		require.Equal(t, a, again)
	})
}

// Any answer of an authenticator gives valid texts, and an error or a status that EMV defines.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{`{"transStatus":"Y","eci":"5","cardholderInfo":{"text":"x"},"messageExtension":[]}`, `{"transStatus":{}}`, `[`, `{"errorCode":203}`, `{"acsProtocolVersions":[{"version":1}]}`} {
		f.Add([]byte(s))
	}
	r := rand.New(rand.NewPCG(1, 2))
	f.Fuzz(func(t *testing.T, body []byte) {
		j, _ := sdk.ParseJSON(body)
		o := &sdk.AuthenticationOutcome{}
		Result(j, o)
		before := *o
		if r.IntN(2) == 0 {
			Message(o)
		} else {
			Final(o)
		}
		require.True(t, o.TransStatus == "" || len(o.TransStatus) == 1 && strings.Contains(statuses, o.TransStatus), o.TransStatus)
		require.True(t, o.Error == nil || o.TransStatus == "")
		require.LessOrEqual(t, utf8.RuneCountInString(before.CardholderInfo), maxHolderText)
		Erro(j)
		Versions(j.Get("acsProtocolVersions"))
	})
}
