// Command faulty is an adapter that fails in the way that its account's config field "mode" names, before a request or after the
// first. Its author means no harm.
package main

import (
	"os"
	"strings"

	"payswitch/sdk"
)

func main() {}

func init() {
	sdk.Serve(&sdk.Adapter{
		Manifest: sdk.Manifest{
			Name: "faulty", Kind: sdk.KindProcessor, Version: "1.2.0", DisplayName: "Faulty", Description: "Fails on demand.",
			Environments:   map[string]sdk.Environment{"test": sdk.At("https://api.faulty.example")},
			Credentials:    []sdk.Field{{Name: "secret_key", Key: "api_key", Label: "Secret key", Type: "secret"}},
			Config:         []sdk.Field{{Name: "mode", Label: "Mode", Type: "text"}},
			Authentication: []sdk.Placement{{Secret: "secret_key", In: "header", Field: "Authorization"}},
			Placements:     []sdk.Placement{{Secret: "card_number", Method: "POST", Path: "/pay", In: "body", Field: "card"}},
			Resolve:        sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByReference}, NotFoundFinalAfterSeconds: 3600},
		},
		Authorize: authorize,
		Capture:   func(c *sdk.Call) (*sdk.Outcome, error) { return fail(c, c.Account.Config["mode"]) },
		Sync:      func(*sdk.Call) (*sdk.Outcome, error) { return &sdk.Outcome{Status: sdk.StatusUnknown}, nil },
	})
}

func authorize(c *sdk.Call) (*sdk.Outcome, error) {
	mode, later := strings.CutPrefix(c.Account.Config["mode"], "then_")
	if later {
		sdk.Must(c.Do(sdk.JSONSend("POST", "/begin", sdk.NewObject().Str("reference", c.Request.Reference), c.Bearer("secret_key"))))
	}
	return fail(c, mode)
}

func fail(c *sdk.Call, mode string) (*sdk.Outcome, error) {
	card := ""
	if i := c.Request.Instrument; i != nil {
		card = i.Card.Number
	}
	pay := func(body *sdk.Object, headers ...sdk.Header) (*sdk.Outcome, error) {
		sdk.Must(c.Do(sdk.JSONSend("POST", "/pay", body, headers...)))
		return &sdk.Outcome{Status: sdk.StatusAuthorized, TransactionID: "t_1"}, nil
	}
	own := c.Bearer("secret_key")
	switch mode {
	case "secret":
		return pay(sdk.NewObject().Str("description", card), own)
	case "host":
		sdk.Must(c.Do(sdk.JSONSend("POST", "https://elsewhere.example/pay", sdk.NewObject(), own)))
	case "authentication":
		return pay(sdk.NewObject().Str("card", card))
	case "header":
		return pay(sdk.NewObject().Str("card", card), own, sdk.H("Connection", "close"))
	case "impossible":
		return &sdk.Outcome{Status: sdk.StatusVoided}, nil
	case "invented":
		return &sdk.Outcome{Status: sdk.StatusCaptured, TransactionID: "t_1"}, nil
	case "exit":
		os.Exit(3)
	case "loop":
		for i := 0; ; i++ {
			if i == -1 {
				break
			}
		}
	}
	return nil, &sdk.Reject{Code: sdk.RejectConfig, Message: "no such mode", Parameter: "mode"}
}
