package main

import (
	"fmt"
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
