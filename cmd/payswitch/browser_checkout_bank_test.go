package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCheckoutLeavesForTheBank: a page that goes on after each answer without an error, as the guide's does, does not stop the way to the bank. A payer who
// comes back with the browser's button finds a form that works.
func TestCheckoutLeavesForTheBank(t *testing.T) {
	costly(t)
	s := newCheckoutShop(t)
	p := s.order(object{"authentication_type": "three_ds"})
	s.visit(p, nil)
	s.card("4000002500003155")
	script[bool](s.tab, `hyper.confirmPayment({elements, confirmParams: {return_url: location.origin + "/return"}, redirect: "if_required"})
		.then((v) => v.error || location.assign("/thanks?status=" + v.status)), true`)
	s.await(fmt.Sprintf(`location.origin === %q && document.querySelector("form button, form input[type=submit], a")`, s.at))

	s.tab.back()
	s.await(`location.pathname === "/checkout"`)
	s.awaitIn(fieldsFrame, `document.querySelector("[data-phase=ready], [data-phase=ended], [data-phase=failed]")`)
	require.Equal(t, "requires_customer_action", s.sw.must(s.key, "/payments/"+p["payment_id"].(string), nil)["status"])
}

// TestCheckoutBackFromTheBank: the browser keeps the shop's page while the payer is at the bank, and shows it again after "back". The page hears that the payer
// came back, and not that the result is unknown: the form says how to go on.
func TestCheckoutBackFromTheBank(t *testing.T) {
	costly(t)
	nowhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })) // the way to the bank ends here, so that the page stays
	t.Cleanup(nowhere.Close)
	s := newCheckoutShop(t, "PAYSWITCH_SERVER__PUBLIC_URL="+nowhere.URL)
	s.visit(s.order(object{"authentication_type": "three_ds"}), nil)
	s.card("4000002500003155")
	script[bool](s.tab, "pay(), true")
	s.awaitIn(fieldsFrame, `document.body.innerText.includes("taken to your bank")`)
	_, ok := within[bool](s, fieldsFrame, `setTimeout(() => dispatchEvent(new PageTransitionEvent("pageshow", {persisted: true})), 100), true`)
	require.True(t, ok)
	kind, code := errorOf(s.answered(1))
	require.Equal(t, []string{"authentication_error", "cancelled"}, []string{kind, code})
	s.awaitIn(fieldsFrame, `document.body.innerText.includes("Press pay to go on")`)
}
