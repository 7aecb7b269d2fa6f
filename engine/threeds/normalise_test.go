package threeds

import (
	"encoding/json"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/threeds/internal/vector"
	"payswitch/sdk"
	emv "payswitch/sdk/threeds"
)

// TestNormalise: adapters format a payment's data as the shared cases demand.
func TestNormalise(t *testing.T) {
	type input struct {
		Version    string       `json:"version"`
		Language   string       `json:"browserLanguage"`
		ColorDepth *int         `json:"browserColorDepth"`
		TimeZone   int          `json:"browserTZ"`
		JavaScript *bool        `json:"browserJavascriptEnabled"`
		Country    string       `json:"country"`
		Currency   sdk.Currency `json:"currency"`
		ExpMonth   string       `json:"exp_month"`
		ExpYear    string       `json:"exp_year"`
		Holder     string       `json:"cardholderName"`
		Time       *time.Time   `json:"time"`
		State      string       `json:"billAddrState"`
		BillingIn  string       `json:"billAddrCountry"`
	}
	vector.Each(t, "normalise", func(t *testing.T, _ vector.Vectors, in input, want map[string]any) {
		number := func(s, otherwise string) int {
			n, err := strconv.Atoi(or(s, otherwise))
			require.NoError(t, err)
			return n
		}
		step := sdk.Step{ABI: sdk.ABI, Operation: sdk.OpAuthenticate, Now: time.Now().UnixMilli(), Request: sdk.Request{
			Amount: sdk.Money{Minor: 100, Currency: sdk.Currency(or(string(in.Currency), "EUR"))},
			Instrument: &sdk.Instrument{Card: &sdk.Card{Number: "n", ExpMonth: number(in.ExpMonth, "1"), ExpYear: number(in.ExpYear, "2030"),
				Holder: in.Holder}},
			Browser: &sdk.Browser{Language: in.Language, ColorDepth: 24, TimeZone: in.TimeZone, ScreenHeight: 900, ScreenWidth: 1440,
				JavaScriptEnable: in.JavaScript == nil || *in.JavaScript},
			Billing: &sdk.Address{State: in.State, Country: in.BillingIn},
			Authentication: &sdk.AuthenticationRequest{DeviceChannel: sdk.ChannelBrowser, MessageVersion: or(in.Version, "2.2.0"),
				MerchantCountry: in.Country}}}
		if in.ColorDepth != nil {
			step.Request.Browser.ColorDepth = *in.ColorDepth
		}
		if in.Time != nil {
			step.Now = in.Time.UnixMilli()
		}
		var a *emv.AReq
		(&sdk.Adapter{Authenticate: func(c *sdk.Call) (_ *sdk.Outcome, err error) {
			a, err = emv.Read(c)
			return nil, err
		}}).Step(&step)
		require.NotNil(t, a)

		o := sdk.NewObject()
		a.WriteBrowser(o)
		a.WriteCardholder(o)
		got := map[string]any{}
		require.NoError(t, json.Unmarshal(o.Bytes(), &got))
		got["country"], got["cardExpiryDate"] = a.Merchant.Country, a.Expiry
		got["purchaseCurrency"], got["purchaseExponent"], got["purchaseDate"] = a.Purchase.Currency, a.Purchase.Exponent, a.Purchase.Date
		for field, value := range want { // null means that the field is not sent
			require.Equal(t, value, got[field], field)
		}
	})
}
