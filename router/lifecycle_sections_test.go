package router_test

import "testing"

// These tests follow the contract of the authorization life cycle row by row, one test for each section. lifecycle_rows_test.go names further tests of the rows.

// Section 1.
func TestLifecycleIncrementalAuthorization(t *testing.T) {
	t.Parallel()
	const (
		asks  = "request_incremental_authorization"
		raise = "POST /payments/{payment_id}/incremental_authorization"
		auto  = "400 IR_19 Payment method type not supported + {\"reason\":\"incremental authorization is not supported when capture_method is automatic\"}"
	)
	w := simulators(t, "archipel", "cybersource", "wellsfargo", "paypal", "checkout")
	_, other, _ := w.merchant("m2")
	w.section(t, nil,
		step{"create with capture_method automatic of the same request", "POST /payments", pay("stripe", asks, "true", "capture_method", `"automatic"`), auto},
		step{"… sequential_automatic", "POST /payments", pay("stripe", asks, "true", "capture_method", `"sequential_automatic"`), auto},
		step{"… no capture_method in the request", "POST /payments", pay("stripe", asks, "true", "capture_method", "-"), `{"status":"succeeded"}`},
		step{"… false with automatic", "POST /payments", pay("stripe", asks, "false", "capture_method", `"automatic"`), `{"status":"succeeded","incremental_authorization_allowed":false}`},
		step{"… manual_multiple", "POST /payments", pay("stripe", asks, "true", "capture_method", `"manual_multiple"`), `{"incremental_authorization_allowed":true}`},
		step{"bool", "POST /payments", pay("stripe", asks, `"true"`), "400 IR_06 expected a boolean"},
		step{"confirm: the request's own capture_method", "POST /payments", pay("stripe", "confirm", "false"), `{"incremental_authorization_allowed":null,"` + asks + `":"-"}`},
		step{"confirm with capture_method automatic", "POST /payments/{payment_id}/confirm", `{"` + asks + `":true,"capture_method":"automatic"}`, auto},
		step{"confirm asks", "POST /payments/{payment_id}/confirm", `{"` + asks + `":true}`, `{"status":"requires_capture","incremental_authorization_allowed":true}`},
		step{"confirm of what the create asked", "POST /payments", pay("stripe", "confirm", "false", asks, "true"), `{"incremental_authorization_allowed":null}`},
		step{"… with capture_method automatic of the confirm alone", "POST /payments/{payment_id}/confirm", `{"capture_method":"automatic"}`, `{"status":"succeeded"}`},
		step{"allowed: not requested", "POST /payments", pay("archipel"), `{"incremental_authorization_allowed":false,"authorization_count":null,"incremental_authorizations":null}`},
		step{"not allowed", raise, `{"amount":8000}`, "400 IR_16 You cannot increment authorization this payment because it is not allowed for incremental_authorization"},
		step{"allowed: not requested, elsewhere", "POST /payments", pay("adyen"), `{"incremental_authorization_allowed":false}`},
		step{"allowed: null elsewhere", "POST /payments", pay("adyen", asks, "true"), `{"incremental_authorization_allowed":null}`},
		step{"null is not allowed", raise, `{"amount":8000}`, "400 IR_16 You cannot increment authorization this payment because it is not allowed for incremental_authorization"},
		step{"… checkout", "POST /payments", pay("checkout", asks, "true"), `{"incremental_authorization_allowed":null}`},
		step{"allowed: wellsfargo", "POST /payments", pay("wellsfargo", asks, "true"), `{"incremental_authorization_allowed":true}`},
		step{"allowed: cybersource", "POST /payments", pay("cybersource", asks, "true"), `{"incremental_authorization_allowed":true}`},
		step{"allowed: paypal", "POST /payments", pay("paypal", asks, "true"), `{"incremental_authorization_allowed":true}`},
		step{"allowed: archipel", "POST /payments", pay("archipel", asks, "true", "shipping_cost", "500", "order_tax_amount", "100", "surcharge_details", `{"surcharge_amount":10,"tax_amount":1}`),
			`{"status":"requires_capture","incremental_authorization_allowed":true,"amount":6000,"net_amount":6611,"amount_capturable":6611,"authorization_count":null}`},

		step{"amount missing", raise, `{}`, "400 IR_06 missing field `amount`"},
		step{"amount null", raise, `{"amount":null}`, "400 IR_06 "},
		step{"amount no integer", raise, `{"amount":80.5}`, "400 IR_06 "},
		step{"amount a text", raise, `{"amount":"8000"}`, "400 IR_06 "},
		step{"reason a number", raise, `{"amount":8000,"reason":5}`, "400 IR_06 "},
		step{"payment unknown", "POST /payments/pay_unknown/incremental_authorization", `{"amount":8000}`, "404 HE_02 Payment does not exist in our records"},
		step{"publishable key", "publishable " + raise, `{"amount":8000}`, "401 IR_01 "},
		step{"amount = total", raise, `{"amount":6611}`, "400 IR_16 Amount should be greater than original authorized amount"},
		step{"a refused request counts nothing", "GET /payments/{payment_id}", "", `{"authorization_count":null,"incremental_authorizations":null}`},
		step{"success", raise, `{"amount":8000,"reason":"minibar","other":1}`, `{"status":"requires_capture","amount":7389,"net_amount":8000,"amount_capturable":8000,"amount_received":null,
			"authorization_count":1,"shipping_cost":500,"order_tax_amount":100,"incremental_authorizations":[{"authorization_id":"/^auth_[0-9A-Za-z]{20}_1$/","amount":8000,
			"status":"success","error_code":null,"error_message":null,"previously_authorized_amount":6611}]}`},
		step{"refusal", raise, `{"amount":900000501}`, `{"status":"requires_capture","amount":7389,"net_amount":8000,"amount_capturable":8000,"amount_received":null,"error_code":null,"error_message":null,
			"authorization_count":2,"incremental_authorizations":[{"authorization_id":"/_1$/"},{"authorization_id":"/^auth_[0-9A-Za-z]{20}_2$/","amount":900000501,"status":"failure",
			"error_code":"card_declined","error_message":"*","previously_authorized_amount":8000}]}`},
		step{"repeated", raise, `{"amount":9000}`, `{"amount":8389,"net_amount":9000,"amount_capturable":9000,"authorization_count":3}`},
		step{"GET: all, oldest first", "GET /payments/{payment_id}", "", `{"error_code":null,"error_message":null,"authorization_count":3,
			"incremental_authorizations":[{"authorization_id":"/_1$/"},{"authorization_id":"/_2$/"},{"authorization_id":"/_3$/","previously_authorized_amount":8000}]}`},
		step{"bound of a later capture", "POST /payments/{payment_id}/capture", `{"amount_to_capture":9001}`, "422 IR_06 amount_to_capture is greater than amount"},
		step{"a later capture", "POST /payments/{payment_id}/capture", `{"amount_to_capture":9000}`, `{"status":"succeeded","amount_received":9000,"amount_capturable":0,"incremental_authorization_allowed":true}`},
		step{"status", raise, `{"amount":10000}`, "400 IR_16 You cannot increment authorization this payment because it has status succeeded"},

		step{"6000 to 8000", "POST /payments", pay("stripe", asks, "true"), `{"amount_capturable":6000}`},
		step{"…", raise, `{"amount":8000}`, `{"amount":8000,"net_amount":8000,"amount_capturable":8000}`},
		step{"capture of 8000", "POST /payments/{payment_id}/capture", `{"amount_to_capture":8000}`, `{"status":"succeeded","amount":8000,"amount_received":8000}`},
		step{"capture of the default amount", "POST /payments", pay("stripe", asks, "true"), ``},
		step{"…", raise, `{"amount":8000}`, `{"amount_capturable":8000}`},
		step{"… takes the raised amount", "POST /payments/{payment_id}/capture", `{}`, `{"status":"succeeded","amount_received":8000}`},

		step{"pending", "POST /payments", pay("stripe", asks, "true"), ``},
		step{"…", raise, `{"amount":900000502}`, `{"status":"requires_capture","amount":6000,"net_amount":6000,"amount_capturable":6000,"authorization_count":1,
			"incremental_authorizations":[{"amount":900000502,"status":"processing","error_code":null,"error_message":null,"previously_authorized_amount":6000}]}`},

		step{"redacted customer", "POST /payments", pay("stripe", asks, "true", "customer_id", `"cus_gone"`), ``},
		step{"…", "DELETE /customers/cus_gone", "", ``},
		step{"… stops the call", raise, `{"amount":8000}`, "400 IR_11 Customer has already been redacted"},

		step{"paypal: the first four days", "POST /payments", pay("paypal", asks, "true"), ``},
		step{"…", raise, `{"amount":8000}`, `{"status":"requires_capture","amount_capturable":6000,
			"incremental_authorizations":[{"status":"failure","error_code":"REAUTHORIZATION_TOO_SOON","error_message":"REAUTHORIZATION_TOO_SOON"}]}`},
		step{"… capture of 8000", "POST /payments/{payment_id}/capture", `{"amount_to_capture":8000}`, "422 IR_06 amount_to_capture is greater than amount"},
		step{"four days later", "wait 5 days", "", ""},
		step{"…", raise, `{"amount":8000}`, `{"amount_capturable":8000,"authorization_count":2,"incremental_authorizations":[{"status":"failure"},{"status":"success","previously_authorized_amount":6000}]}`},
		step{"every other status: cancelled", "POST /payments/{payment_id}/cancel", `{}`, `{"status":"cancelled"}`},
		step{"…", raise, `{"amount":9000}`, "400 IR_16 You cannot increment authorization this payment because it has status cancelled"},
		step{"every other status: not confirmed", "POST /payments", pay("stripe", asks, "true", "confirm", "false"), `{"incremental_authorization_allowed":null}`},
		step{"…", raise, `{"amount":9000}`, "400 IR_16 You cannot increment authorization this payment because it has status requires_confirmation"},
	)
	mine := w.held("stripe", asks, "true")["payment_id"].(string)
	w.send("POST", "/payments/"+mine+"/incremental_authorization", other, `{"amount":8000}`).refused(404, "HE_02", "Payment does not exist in our records")
}

// Section 2.
func TestLifecycleExtendedAuthorization(t *testing.T) {
	t.Parallel()
	const (
		asks   = "request_extended_authorization"
		extend = "POST /payments/{payment_id}/extend_authorization"
		off    = "400 IR_16 You cannot extend the authorization for this payment because authorization extension is not enabled."
	)
	w := simulators(t, "paypal", "checkout")
	w.section(t, nil,
		step{"null until confirm", "POST /payments", pay("checkout", asks, "true", "confirm", "false"),
			`{"request_extended_authorization":null,"extended_authorization_applied":null,"extended_authorization_last_applied_at":null,"capture_before":null,"expires_on":"*"}`},
		step{"… GET", "GET /payments/{payment_id}", "", `{"request_extended_authorization":null}`},
		step{"status", extend, "", "400 IR_16 You cannot extend authorization this payment because it has status requires_confirmation"},
		step{"at confirm: the payment's value, at any connector", "POST /payments/{payment_id}/confirm", `{}`, `{"request_extended_authorization":true,"extended_authorization_applied":null}`},
		step{"… with automatic capture", "POST /payments", pay("checkout", asks, "true", "capture_method", `"automatic"`), `{"status":"succeeded","request_extended_authorization":true}`},
		step{"update", "POST /payments", pay("paypal", "confirm", "false"), ``},
		step{"… sets the value", "POST /payments/{payment_id}", `{"request_extended_authorization":true}`, `{"request_extended_authorization":null}`},
		step{"…", "POST /payments/{payment_id}/confirm", `{` + tableCard + `}`, `{"request_extended_authorization":true}`},
		step{"bool", "POST /payments", pay("paypal", asks, `"yes"`), "400 IR_06 expected a boolean"},
		step{"false", "POST /payments", pay("paypal", asks, "false"), `{"request_extended_authorization":false}`},
		step{"… not enabled", extend, `{}`, off},
		step{"neither set", "POST /payments", pay("paypal"), `{"request_extended_authorization":null}`},
		step{"… not enabled", extend, `{}`, off},

		step{"unknown", "POST /payments/pay_none/extend_authorization", "", "404 HE_02 Payment does not exist in our records"},
		step{"status before the switch", "POST /payments", pay("paypal", "capture_method", `"automatic"`), `{"status":"succeeded"}`},
		step{"…", extend, "", "400 IR_16 You cannot extend authorization this payment because it has status succeeded"},
		step{"connector without the operation", "POST /payments", pay("checkout", asks, "true"), ``},
		step{"…", extend, "", `400 IR_20 extend_authorization flow not supported + {"connector":"checkout"}`},
		step{"… changes nothing", "GET /payments/{payment_id}", "", `{"status":"requires_capture","amount_capturable":6000}`},

		step{"answers at once: paypal", "POST /payments", pay("paypal", asks, "true", "extended_authorization_days", "30"),
			`{"request_extended_authorization":true,"extended_authorization_applied":null,"extended_authorization_last_applied_at":null,"capture_before":null,"expires_on":"*"}`},
		step{"… no body", extend, "", `{"status":"requires_capture","amount":6000,"net_amount":6000,"amount_capturable":6000,"amount_received":null,"extended_authorization_applied":true,
			"extended_authorization_last_applied_at":"*","capture_before":"*","expires_on":"*"}`},
		step{"… any body", extend, `{"amount":"x"}`, `{"extended_authorization_applied":true}`},
		step{"publishable key", "publishable " + extend, "", "401 IR_01 "},
		step{"… capture after it", "POST /payments/{payment_id}/capture", `{}`, `{"status":"succeeded","amount_received":6000,"extended_authorization_applied":true}`},

		step{"answers later: adyen", "POST /payments", pay("adyen", asks, "true"), `{"request_extended_authorization":true,"extended_authorization_applied":null}`},
		step{"…", extend, "", `{"status":"processing","amount":6000,"amount_capturable":6000,"amount_received":null,"request_extended_authorization":true,"extended_authorization_applied":null}`},
		step{"… force_sync", "GET /payments/{payment_id}?force_sync=true", "", `{"status":"processing","amount":6000,"amount_capturable":6000,"amount_received":null,"request_extended_authorization":true}`},
		step{"… capture", "POST /payments/{payment_id}/capture", `{}`,
			"400 IR_14 This Payment could not be captured because it has a capture_method of manual. The expected state is manual_multiple"},
		step{"… extend again", extend, "", "400 IR_16 You cannot extend authorization this payment because it has status processing"},
		step{"the processor's event: applied", "open POST /webhooks/m1/adyen", `{"type":"extension.updated","applied":true,"transaction_id":"{connector_transaction_id}"}`, ""},
		step{"…", "GET /payments/{payment_id}", "", `{"status":"requires_capture","amount_capturable":6000,"extended_authorization_applied":true,"extended_authorization_last_applied_at":"*","capture_before":null}`},
		step{"once more", "POST /payments", pay("adyen", asks, "true"), ``},
		step{"…", extend, "", `{"status":"processing"}`},
		step{"the processor's event: not applied", "open POST /webhooks/m1/adyen", `{"type":"extension.updated","applied":false,"transaction_id":"{connector_transaction_id}"}`, ""},
		step{"…", "GET /payments/{payment_id}", "", `{"status":"requires_capture","amount_capturable":6000,"extended_authorization_applied":false,"extended_authorization_last_applied_at":null,"capture_before":null}`},

		step{"reported at confirm: stripe", "POST /payments", pay("stripe", asks, "true"), `{"extended_authorization_applied":true,"capture_before":"*"}`},
		step{"profile's switch: null", "GET /account/m1/business_profile/{profile}", "", `{"always_request_extended_authorization":null}`},
		step{"profile's switch", "POST /account/m1/business_profile/{profile}", `{"always_request_extended_authorization":true}`, `{"always_request_extended_authorization":true}`},
		step{"… no bool", "POST /account/m1/business_profile/{profile}", `{"always_request_extended_authorization":"on"}`, "400 IR_06 expected a boolean"},
		step{"… for a payment without a value", "POST /payments", pay("paypal"), `{"request_extended_authorization":true}`},
		step{"…", extend, "", `{"extended_authorization_applied":true}`},
		step{"the payment's value wins", "POST /payments", pay("paypal", asks, "false"), `{"request_extended_authorization":false}`},
		step{"profile's switch: false", "POST /account/m1/business_profile/{profile}", `{"always_request_extended_authorization":false}`, `{"always_request_extended_authorization":false}`},
		step{"…", "POST /payments", pay("paypal"), `{"request_extended_authorization":false}`},
		step{"a new profile", "POST /account/m1/business_profile", `{"profile_name":"p2","always_request_extended_authorization":true,"always_enable_overcapture":true}`,
			`{"always_request_extended_authorization":true,"always_enable_overcapture":true}`},
	)
}

// Section 3.
func TestLifecycleOvercapture(t *testing.T) {
	t.Parallel()
	const (
		over    = "enable_overcapture"
		capture = "POST /payments/{payment_id}/capture"
		manual  = "400 IR_16 Invalid overcapture request: supported only with manual capture"
		tooMuch = "422 IR_06 amount_to_capture is greater than amount"
	)
	w := simulators(t, "checkout")
	w.section(t, nil,
		step{"create: automatic", "POST /payments", pay("stripe", over, "true", "capture_method", `"automatic"`), manual},
		step{"create: absent is not manual", "POST /payments", pay("stripe", over, "true", "capture_method", "-"), manual},
		step{"create: manual_multiple", "POST /payments", pay("stripe", over, "true", "capture_method", `"manual_multiple"`), manual},
		step{"create: false with automatic", "POST /payments", pay("stripe", over, "false", "capture_method", `"automatic"`), `{"status":"succeeded"}`},
		step{"bool", "POST /payments", pay("stripe", over, `1`), "400 IR_06 expected a boolean"},
		step{"before the confirm", "POST /payments", pay("stripe", over, "true", "confirm", "false"), `{"enable_overcapture":true,"is_overcapture_enabled":null}`},
		step{"an update without it clears it", "POST /payments/{payment_id}", `{"description":"x"}`, `{"enable_overcapture":null}`},
		step{"an update with it, by the payment's capture method", "POST /payments/{payment_id}", `{"enable_overcapture":true}`, `{"enable_overcapture":true}`},
		step{"… automatic", "POST /payments", pay("stripe", "confirm", "false", "capture_method", `"automatic"`), ``},
		step{"…", "POST /payments/{payment_id}", `{"enable_overcapture":true}`, manual},
		step{"confirm does not read it", "POST /payments", pay("stripe", "confirm", "false"), ``},
		step{"…", "POST /payments/{payment_id}/confirm", `{"enable_overcapture":true}`, `{"enable_overcapture":null,"is_overcapture_enabled":null}`},
		step{"at confirm: connector without it", "POST /payments", pay("checkout", over, "true"), `{"enable_overcapture":null,"is_overcapture_enabled":null}`},
		step{"… capture", capture, `{"amount_to_capture":7000}`, tooMuch},
		step{"not true", "POST /payments", pay("stripe", over, "false"), `{"enable_overcapture":false,"is_overcapture_enabled":false}`},
		step{"… capture", capture, `{"amount_to_capture":7000}`, tooMuch},
		step{"never sent", "POST /payments", pay("stripe"), `{"enable_overcapture":null,"is_overcapture_enabled":null}`},
		step{"… capture", capture, `{"amount_to_capture":6001}`, tooMuch},

		step{"settled at once", "POST /payments", pay("stripe", over, "true"), `{"enable_overcapture":true,"is_overcapture_enabled":true}`},
		step{"… 0", capture, `{"amount_to_capture":0}`, "422 IR_05 amount contains invalid data. Expected format is positive integer"},
		step{"… highest amount", capture, `{"amount_to_capture":1000000000}`, "400 IR_16 amount should be less than or equal to 999999999"},
		step{"…", capture, `{"amount_to_capture":7000}`, `{"status":"succeeded","amount":6000,"net_amount":6000,"amount_capturable":0,"amount_received":7000}`},
		step{"refundable is what was captured", "POST /refunds", `{"payment_id":"{payment_id}","amount":7001}`, "400 IR_13 The refund amount exceeds the amount captured"},
		step{"…", "POST /refunds", `{"payment_id":"{payment_id}"}`, `{"status":"succeeded","amount":7000}`},
		step{"less than the total", "POST /payments", pay("stripe", over, "true"), ``},
		step{"…", capture, `{"amount_to_capture":5000}`, `{"status":"partially_captured","amount_capturable":0,"amount_received":5000}`},
		step{"settled later: adyen", "POST /payments", pay("adyen", over, "true"), `{"is_overcapture_enabled":true}`},
		step{"…", capture, `{"amount_to_capture":7000}`, `{"status":"processing","amount":6000,"amount_capturable":6000,"amount_received":null}`},
		step{"… force_sync", "GET /payments/{payment_id}?force_sync=true", "", `{"status":"processing","amount":6000,"amount_capturable":6000,"amount_received":null}`},
		step{"… the processor's message", "open POST /webhooks/m1/adyen",
			`{"type":"capture.updated","capture_id":"{connector_transaction_id}_c1","status":"captured","amount":7000,"currency":"USD","transaction_id":"{connector_transaction_id}"}`, ""},
		step{"…", "GET /payments/{payment_id}", "", `{"status":"succeeded","amount":6000,"amount_capturable":0,"amount_received":7000}`},

		step{"profile's switch: null", "GET /account/m1/business_profile/{profile}", "", `{"always_enable_overcapture":null}`},
		step{"profile's switch", "POST /account/m1/business_profile/{profile}", `{"always_enable_overcapture":true}`, `{"always_enable_overcapture":true}`},
		step{"… no bool", "POST /account/m1/business_profile/{profile}", `{"always_enable_overcapture":1}`, "400 IR_06 expected a boolean"},
		step{"… manual", "POST /payments", pay("stripe"), `{"enable_overcapture":true,"is_overcapture_enabled":true}`},
		step{"…", capture, `{"amount_to_capture":7000}`, `{"status":"succeeded","amount_received":7000}`},
		step{"… own value", "POST /payments", pay("stripe", over, "false"), `{"enable_overcapture":false,"is_overcapture_enabled":false}`},
		step{"… automatic", "POST /payments", pay("stripe", "capture_method", `"automatic"`), `{"enable_overcapture":null,"is_overcapture_enabled":null}`},
		step{"… connector without it", "POST /payments", pay("checkout"), `{"enable_overcapture":null,"is_overcapture_enabled":null}`},
		step{"manual_multiple never overcaptures", "POST /payments", pay("stripe", "capture_method", `"manual_multiple"`), `{"enable_overcapture":null,"is_overcapture_enabled":null}`},
		step{"…", capture, `{"amount_to_capture":7000}`, tooMuch},
	)
}

// Section 4.
func TestLifecyclePartialAuthorization(t *testing.T) {
	t.Parallel()
	const flag, capture = "enable_partial_authorization", "POST /payments/{payment_id}/capture"
	half := cardOf("5518207720770101", "12", "2027", "152")
	w := simulators(t, "checkout", "nuvei", "worldpay", "worldpayvantiv")
	held := `{"status":"partially_authorized_and_requires_capture","amount":6000,"net_amount":6000,"amount_capturable":3000,"amount_received":null}`
	part := func(connector string, changes ...string) string {
		return pay(connector, append([]string{flag, "true", "payment_method_data", half}, changes...)...)
	}
	w.section(t, nil,
		step{"null when never sent", "POST /payments", pay("checkout", "confirm", "false"), `{"enable_partial_authorization":null}`},
		step{"update overrides", "POST /payments/{payment_id}", `{"enable_partial_authorization":true}`, `{"enable_partial_authorization":true}`},
		step{"absent keeps", "POST /payments/{payment_id}", `{"description":"x"}`, `{"enable_partial_authorization":true}`},
		step{"confirm overrides", "POST /payments/{payment_id}/confirm", `{"enable_partial_authorization":false,` + tableCard + `}`, `{"status":"requires_capture","enable_partial_authorization":false}`},
		step{"bool", "POST /payments", pay("checkout", flag, `"x"`), "400 IR_06 expected a boolean"},

		step{"automatic, flag: checkout", "POST /payments", part("checkout", "capture_method", `"automatic"`),
			`{"status":"partially_captured","amount":6000,"net_amount":6000,"amount_received":3000,"amount_capturable":0,"attempt_count":1,"enable_partial_authorization":true}`},
		step{"… its attempt", "GET /payments/{payment_id}?expand_attempts=true", "", `{"attempts":[{"status":"partial_charged","amount":6000}]}`},
		step{"… terminal", "POST /payments/{payment_id}/cancel", `{}`, "400 IR_16 You cannot cancel this payment because it has status partially_captured"},
		step{"… refunds up to the approved amount", "POST /refunds", `{"payment_id":"{payment_id}","amount":3001}`, "400 IR_13 The refund amount exceeds the amount captured"},
		step{"…", "POST /refunds", `{"payment_id":"{payment_id}"}`, `{"status":"succeeded","amount":3000}`},
		step{"… half, rounded down", "POST /payments", part("checkout", "capture_method", `"automatic"`, "amount", "6001"), `{"status":"partially_captured","amount_received":3000}`},
		step{"automatic, flag: nuvei", "POST /payments", pay("nuvei", flag, "true", "capture_method", `"automatic"`, "payment_method_data", cardOf("4531739335817394", "12", "2030", "152")),
			`{"status":"partially_captured","attempt_count":1,"amount_received":3000}`},
		step{"automatic, flag: worldpay", "POST /payments", pay("worldpay", flag, "true", "capture_method", `"automatic"`, "amount", "1706"), `{"status":"partially_captured","amount_received":123}`},
		step{"automatic, flag: worldpayvantiv", "POST /payments", pay("worldpayvantiv", flag, "true", "capture_method", `"automatic"`, "amount", "5000",
			"payment_method_data", cardOf("4457010140000141", "12", "2030", "152")), `{"status":"partially_captured","amount_received":4000}`},
		step{"automatic, other card", "POST /payments", pay("checkout", flag, "true", "capture_method", `"automatic"`), `{"status":"succeeded","amount_received":6000}`},
		step{"automatic, no flag at checkout", "POST /payments", part("checkout", "capture_method", `"automatic"`, flag, "-"), `{"status":"succeeded","amount_received":6000}`},
		step{"automatic, approved in part without the flag", "POST /payments", pay("stripe", "capture_method", `"automatic"`, "amount", "900000008"),
			`{"status":"partially_captured","amount":900000008,"amount_received":450000004,"amount_capturable":0}`},
		step{"manual, approved in part without the flag", "POST /payments", pay("stripe", "amount", "900000008"), `{"status":"failed","amount_capturable":0}`},

		step{"manual, flag", "POST /payments", part("checkout"), held},
		step{"… its attempt", "GET /payments/{payment_id}?expand_attempts=true", "", `{"attempts":[{"status":"partially_authorized"}]}`},
		step{"… increment", "POST /payments/{payment_id}/incremental_authorization", `{"amount":9000}`,
			"400 IR_16 You cannot increment authorization this payment because it has status partially_authorized_and_requires_capture"},
		step{"… capture > approved", capture, `{"amount_to_capture":3001}`, "422 IR_06 amount_to_capture is greater than amount"},
		step{"… unchanged", "GET /payments/{payment_id}", "", held},
		step{"… capture of all approved, the default", capture, `{}`, `{"status":"partially_captured","amount":6000,"amount_received":3000,"amount_capturable":0}`},
		step{"… refund", "POST /refunds", `{"payment_id":"{payment_id}"}`, `{"status":"succeeded","amount":3000}`},
		step{"manual_multiple, flag", "POST /payments", part("checkout", "capture_method", `"manual_multiple"`), held},
		step{"… in parts", capture, `{"amount_to_capture":1000}`, `{"status":"partially_captured_and_capturable","amount_capturable":2000,"amount_received":1000}`},
		step{"… measured against the approved amount", capture, `{"amount_to_capture":2000}`, `{"status":"succeeded","amount_capturable":0,"amount_received":3000}`},
		step{"manual, then cancel", "POST /payments", part("checkout"), held},
		step{"…", "POST /payments/{payment_id}/cancel", `{}`, `{"status":"cancelled","amount_capturable":0,"amount_received":null}`},
		step{"manual, then extend: allowed", "POST /payments", part("checkout", "request_extended_authorization", "true"), held},
		step{"… past the check of the status", "POST /payments/{payment_id}/extend_authorization", "", "400 IR_20 extend_authorization flow not supported"},
	)
}

// Section 5.
func TestLifecycleMultipleCapture(t *testing.T) {
	t.Parallel()
	const (
		capture  = "POST /payments/{payment_id}/capture"
		rows     = "GET /payments/{payment_id}?expand_captures=true"
		later    = `"processing"`
		multiple = "capture_method"
	)
	w := simulators(t, "archipel", "checkout", "noon", "finix", "peachpayments", "braintree")
	pays := func(connector string, changes ...string) string {
		return pay(connector, append([]string{multiple, `"manual_multiple"`}, changes...)...)
	}
	held := `{"status":"requires_capture","capture_method":"manual_multiple","amount_capturable":6000,"amount_received":null,"captures":"-"}`
	w.section(t, nil,
		step{"connectors: archipel", "POST /payments", pays("archipel"), held},
		step{"connectors: checkout", "POST /payments", pays("checkout"), held},
		step{"connectors: adyen", "POST /payments", pays("adyen"), held},
		step{"connectors: noon", "POST /payments", pays("noon"), held},
		step{"connectors: finix", "POST /payments", pays("finix"), held},
		step{"connectors: peachpayments", "POST /payments", pays("peachpayments"), held},
		step{"others refuse at confirm", "POST /payments", pays("braintree", "connector", `["braintree"]`), `400 IR_19 Payment method type not supported + {"reason":"manual_multiple is not supported by braintree"}`},
		step{"… not at create", "POST /payments", pays("braintree", "confirm", "false"), `{"status":"requires_confirmation"}`},
		step{"status first", capture, `{"amount_to_capture":0}`,
			"400 IR_14 This Payment could not be captured because it has a payment.status of requires_confirmation. The expected state is requires_capture, partially_captured_and_capturable, processing"},

		step{"6000 where captures settle at once", "POST /payments", pays("stripe"), held},
		step{"amount 0", capture, `{"amount_to_capture":0}`, "422 IR_05 amount contains invalid data. Expected format is positive integer"},
		step{"amount > amount_capturable", capture, `{"amount_to_capture":6001}`, "422 IR_06 amount_to_capture is greater than amount"},
		step{"amount missing", capture, `{}`, "400 IR_04 Missing required param: amount_to_capture"},
		step{"nothing was tried", rows, "", `{"captures":"-"}`},
		step{"2000", capture, `{"amount_to_capture":2000}`, `{"status":"partially_captured_and_capturable","amount":6000,"amount_capturable":4000,"amount_received":2000,"captures":"-"}`},
		step{"7000 after the first", capture, `{"amount_to_capture":7000}`, "422 IR_06 amount_to_capture is greater than amount"},
		step{"… nothing changes", "GET /payments/{payment_id}", "", `{"status":"partially_captured_and_capturable","amount_capturable":4000,"amount_received":2000,"captures":"-"}`},
		step{"a refund between captures", "POST /refunds", `{"payment_id":"{payment_id}","amount":100}`,
			"400 IR_14 This Payment could not be refund because it has a status of partially_captured_and_capturable. The expected state is succeeded, partially_captured"},
		step{"2000", capture, `{"amount_to_capture":2000}`, `{"status":"partially_captured_and_capturable","amount_capturable":2000,"amount_received":4000}`},
		step{"2000", capture, `{"amount_to_capture":2000}`, `{"status":"succeeded","amount_capturable":0,"amount_received":6000}`},
		step{"captures[]", rows, "", `{"captures":[{"capture_id":"{payment_id}_1_1","status":"charged","amount":2000,"currency":"USD","connector":"stripe","authorized_attempt_id":"{payment_id}_1",
			"connector_capture_id":"*","capture_sequence":1,"error_message":null,"error_code":null,"error_reason":null,"reference_id":"*"},
			{"capture_id":"{payment_id}_1_2","capture_sequence":2},{"capture_id":"{payment_id}_1_3","capture_sequence":3}]}`},
		step{"refund, bound = charged sum", "POST /refunds", `{"payment_id":"{payment_id}","amount":6001}`, "400 IR_13 The refund amount exceeds the amount captured"},
		step{"refund by payment", "POST /refunds", `{"payment_id":"{payment_id}","amount":5000}`, `{"status":"succeeded"}`},
		step{"terminal", capture, `{"amount_to_capture":1}`, "400 IR_14 This Payment could not be captured because it has a payment.status of succeeded."},

		step{"a failed row", "POST /payments", pays("stripe", "amount", "900000300"), ``},
		step{"…", capture, `{"amount_to_capture":900000201}`, `{"status":"requires_capture","amount_capturable":900000300,"amount_received":null}`},
		step{"… its error", rows, "", `{"captures":[{"status":"failed","capture_sequence":1,"amount":900000201,"error_code":"*","error_message":"*","error_reason":"*","connector":"stripe"}]}`},
		step{"… it counts for the sequence", capture, `{"amount_to_capture":99}`, `{"status":"partially_captured_and_capturable","amount_received":99,"amount_capturable":900000201}`},
		step{"…", rows, "", `{"captures":[{"status":"failed"},{"status":"charged","capture_id":"{payment_id}_1_2","capture_sequence":2}]}`},
		step{"cancel releases the rest", "POST /payments/{payment_id}/cancel", `{}`, `{"status":"partially_captured","amount_capturable":0,"amount_received":99}`},
		step{"… refund, bound = charged sum", "POST /refunds", `{"payment_id":"{payment_id}","amount":100}`, "400 IR_13 The refund amount exceeds the amount captured"},
		step{"…", "POST /refunds", `{"payment_id":"{payment_id}"}`, `{"status":"succeeded","amount":99}`},

		step{"all pending: adyen", "POST /payments", pays("adyen"), held},
		step{"none charged", capture, `{"amount_to_capture":2000}`, `{"status":` + later + `,"amount_capturable":4000,"amount_received":2000}`},
		step{"allowed in processing", capture, `{"amount_to_capture":4000}`, `{"status":` + later + `,"amount_capturable":0,"amount_received":6000}`},
		step{"… attempt capture_initiated", "GET /payments/{payment_id}?expand_attempts=true&expand_captures=true", "", `{"attempts":[{"status":"capture_initiated"}],
			"captures":[{"status":"pending","connector_capture_id":"*"},{"status":"pending","capture_sequence":2}]}`},
		step{"… force_sync", "GET /payments/{payment_id}?force_sync=true", "", `{"status":` + later + `,"amount_capturable":0,"amount_received":6000}`},
		step{"… nothing left", capture, `{"amount_to_capture":1}`, "422 IR_06 amount_to_capture is greater than amount"},
		step{"force_sync asks for pending rows", "POST /payments", pays("stripe", "amount", "900000300"), ``},
		step{"…", capture, `{"amount_to_capture":900000202}`, `{"status":` + later + `,"amount_capturable":98,"amount_received":900000202}`},
		step{"… status recomputed", "GET /payments/{payment_id}?force_sync=true&expand_captures=true", "", `{"status":"partially_captured_and_capturable","amount_capturable":98,
			"amount_received":900000202,"captures":[{"status":"charged","amount":900000202}]}`},
	)
}
