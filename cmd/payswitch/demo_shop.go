package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"html/template"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/contact"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

//go:embed demo
var demoFiles embed.FS

var demoPage = template.Must(template.ParseFS(demoFiles, "demo/shop.html"))

// demoPolicy lets the demo's pages use their own script, style and server, and nothing else. A redirect to 3-D Secure needs no permission.
const demoPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// demoItem is an article of the demo shop. The shop's server knows its price: a page could send any.
type demoItem struct {
	ID, Name, Note, Price string
	amount                int64 // in cents
}

var demoItems = []demoItem{
	{"beans", "House espresso, 1 kg", "Whole beans, dark roast", "18.50 USD", 1850},
	{"filter", "Filter set for four weeks", "Two origins, ground for V60", "32.00 USD", 3200},
	{"grinder", "Hand grinder", "Steel burr, 25 g", "65.40 USD", 6540},
}

// demoCustomer is the id of the demo's only customer, who owns the saved cards.
const demoCustomer = "demo_customer"

type demoCard struct {
	Number, What string
	Secure       bool
}

var demoCards = []demoCard{
	{"4242 4242 4242 4242", "The payment succeeds", false},
	{"4000 0000 0000 0002", "The bank declines it", false},
	{"4000 0030 0170 0000", "3-D Secure asks for a code: 1234", true},
}

// demoShop is a shop of the demo's merchant at /demo: its page, and the server behind it, which alone has the merchant's rights.
type demoShop struct {
	api    http.Handler
	engine *engine.Engine
	auth   account.Auth
	public string // the merchant's publishable key, for the page
	log    *slog.Logger
	orders demoOrders
}

func (s *demoShop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/demo" && !strings.HasPrefix(r.URL.Path, "/demo/") {
		s.api.ServeHTTP(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Security-Policy", demoPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	switch r.Method + " " + r.URL.Path {
	case "GET /demo":
		s.page(w, http.StatusOK, map[string]any{"Items": demoItems, "Cards": demoCards})
	case "GET /demo/thanks":
		s.thanks(w, r)
	case "POST /demo/order":
		s.order(w, r)
	case "GET /demo/orders":
		s.page(w, http.StatusOK, map[string]any{"Seen": s.orders.look()})
	case "GET /demo/orders.json":
		s.orders.live(w)
	case "POST /demo/webhook":
		s.orders.take(w, r)
	case "GET /demo/shop.js", "GET /demo/orders.js", "GET /demo/shop.css":
		http.ServeFileFS(w, r, demoFiles, r.URL.Path[1:])
	default:
		s.page(w, http.StatusNotFound, map[string]any{"Missing": "The shop has no such page", "Text": "Check the address, or go back to the shop."})
	}
}

func (s *demoShop) page(w http.ResponseWriter, status int, data map[string]any) {
	var b bytes.Buffer
	if err := demoPage.Execute(&b, data); err != nil {
		s.failed(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // a browser that has gone needs no page
}

func (s *demoShop) failed(w http.ResponseWriter, err error) {
	s.log.Error("the demo shop failed", "error", err)
	http.Error(w, `{"error":{"message":"The shop could not answer. Its log says why."}}`, http.StatusInternalServerError)
}

// order makes the payment for an article. The page gets a token that is good for this payment alone. Other sites' pages cannot send JSON here, because
// the answer to their preflight does not allow it.
func (s *demoShop) order(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Item   string `json:"item"`
		Secure bool   `json:"secure"`
	}
	if r.Header.Get("Content-Type") != "application/json" || json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<10)).Decode(&in) != nil {
		http.Error(w, `{"error":{"message":"Send JSON with an item."}}`, http.StatusBadRequest)
		return
	}
	for _, item := range demoItems {
		if item.ID != in.Item {
			continue
		}
		p := &request.Input{Amount: &item.amount, Currency: "USD", Description: item.Name, CustomerID: demoCustomer}
		if in.Secure {
			p.External3DS, p.AuthenticationType = &in.Secure, payment.AuthenticationThreeDS
			p.Billing = &contact.Contact{Address: &contact.Address{Line1: "Harbour Street 1", City: "Copenhagen", Zip: "1050", Country: "DK"}}
		}
		v, err := s.engine.CreatePayment(r.Context(), s.auth, p)
		if err != nil {
			s.failed(w, err)
			return
		}
		s.orders.placed(v.Payment.ID, item.Name, item.Price, time.Now())
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]string{"payment_id": v.Payment.ID, "client_secret": v.Payment.Private.ClientSecret,
			"publishable_key": s.public, "sdk_authorization": s.engine.SDKAuthorization(v, true)})
		return
	}
	http.Error(w, `{"error":{"message":"The shop has no such article."}}`, http.StatusNotFound)
}

// thanks shows the result of a payment. The shop's server asks for it: the query of the return URL proves nothing.
func (s *demoShop) thanks(w http.ResponseWriter, r *http.Request) {
	v, err := s.engine.RetrievePayment(r.Context(), s.auth, r.FormValue("payment_id"), request.RetrieveInput{ForceSync: true})
	var known *fault.Error
	if errors.As(err, &known) && known.Kind != fault.KindInternal {
		s.page(w, http.StatusNotFound, map[string]any{"Missing": "The shop does not know this payment",
			"Text": "The address names no payment of this demo. A demo that begins with an empty folder has forgotten its earlier payments."})
		return
	}
	if err != nil {
		s.failed(w, err)
		return
	}
	p := v.Payment
	data := map[string]any{"Payment": p.ID, "Status": p.Status, "Amount": sdk.Money{Minor: p.NetAmount, Currency: p.Currency}.Major() + " " + string(p.Currency),
		"Kind": "", "Mark": "…", "Title": "Your payment is on its way", "Text": "The bank has not answered yet. Reload this page in a moment."}
	switch p.Status {
	case payment.Succeeded, payment.RequiresCapture, payment.PartiallyCaptured:
		data["Kind"], data["Mark"], data["Title"], data["Text"] = "good", "✓", "Thank you for your order", "The payment went through."
	case payment.Failed, payment.Cancelled:
		data["Kind"], data["Mark"], data["Title"], data["Text"] = "failed", "×", "The payment did not go through", "You have not been charged. Try again, or take another card."
	}
	s.page(w, http.StatusOK, data)
}
