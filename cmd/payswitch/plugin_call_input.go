package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"payswitch/sdk"
)

// Fields of a case's input that are not texts; "." leads into an object. Other fields are texts, or unknown and ignored.
var (
	inputObjects = []string{"card", "billing", "shipping", "customer", "browser", "three_ds_result", "mandate", "metadata", "connector_data",
		"redirect_result", "redirect_result.form", "customer_acceptance"}
	inputIntegers = []string{"amount", "payment_amount", "shipping_cost", "browser.color_depth", "browser.screen_height", "browser.screen_width",
		"browser.time_zone_offset"}
	inputFlags = []string{"request_3ds", "test", "browser.java_enabled", "browser.javascript_enabled"}
	inputTexts = []string{"reference", "currency", "capture", "card_token", "connector_transaction_id", "connector_refund_id", "access_token",
		"order_id", "description", "statement_descriptor", "statement_descriptor_suffix", "reason", "return_url", "webhook_url", "store_card",
		"mit_category", "card.*", "billing.*", "shipping.*", "three_ds_result.*", "mandate.*", "customer.id", "customer.connector_id",
		"customer.name", "customer.email", "customer.phone", "customer.phone_country_code", "redirect_result.query", "redirect_result.form.*"}
)

// Objects with the fields that are read, and fields of the format that no adapter uses.
var (
	inputFields = map[string][]string{
		"card":            {"number", "exp_month", "exp_year", "cvc", "holder", "network"},
		"billing":         inputAddress,
		"shipping":        inputAddress,
		"three_ds_result": {"eci", "cavv", "ds_trans_id", "server_trans_id", "acs_trans_id", "version", "status"},
		"mandate":         {"id", "payment_method_id", "network_transaction_id"},
		"browser":         {"ip", "user_agent", "accept_header", "accept_language", "language"},
	}
	inputAddress = []string{"first_name", "last_name", "line1", "line2", "line3", "city", "state", "postal_code", "country", "email", "phone", "phone_country_code"}
	inputUnused  = []string{"complete_url", "session_token", "connector_order_id", "customer_acceptance", "off_session", "payment_method_type", "order_category",
		"stored_card", "refund_metadata", "customer.document"}
)

// unread returns the fields of an input that a case does not have: they are probably misspelt.
func unread(prefix string, in map[string]any) (paths []string) {
	object := strings.TrimSuffix(prefix, ".")
	for _, name := range slices.Sorted(maps.Keys(in)) {
		path := prefix + name
		inner, isObject := in[name].(map[string]any)
		switch {
		case slices.Contains(inputUnused, path):
		case isObject && path != "metadata" && path != "connector_data" && slices.Contains(inputObjects, path):
			paths = append(paths, unread(path+".", inner)...)
		case slices.Contains(inputObjects, path), slices.Contains(inputIntegers, path), slices.Contains(inputFlags, path), slices.Contains(inputTexts, path),
			slices.Contains(inputFields[object], name), inputFields[object] == nil && prefix != "" && slices.Contains(inputTexts, prefix+"*"):
		default:
			paths = append(paths, path)
		}
	}
	return paths
}

// checkInput refuses values that would otherwise count as missing, or as another value.
func checkInput(in map[string]any) error {
	if err := checkKinds("", in); err != nil {
		return err
	}
	if c, ok := in["currency"].(string); ok {
		if _, known := sdk.Currency(c).Exponent(); !known {
			return fmt.Errorf("input.currency: must be an ISO 4217 code, as USD")
		}
	}
	if c, ok := in["capture"].(string); ok && c != string(sdk.CaptureAutomatic) && c != string(sdk.CaptureManual) {
		return fmt.Errorf("input.capture: must be automatic or manual")
	}
	for _, words := range [][]string{{"store_card", "off_session", "on_session"}, {"mit_category", "recurring", "unscheduled", "installment", "resubmission"}} {
		if v, ok := in[words[0]].(string); ok && v != "" && !slices.Contains(words[1:], v) {
			return fmt.Errorf("input.%s: must be one of %s", words[0], strings.Join(words[1:], ", "))
		}
	}
	card, ok := in["card"].(map[string]any)
	if !ok {
		return nil
	}
	if text := inputText(card["number"]); len(text) < 12 || len(text) > 19 || !digits(text) {
		return fmt.Errorf("input.card.number: must be 12 to 19 digits")
	}
	if n, err := strconv.Atoi(inputText(card["exp_month"])); err != nil || n < 1 || n > 12 {
		return fmt.Errorf("input.card.exp_month: must be 1 to 12")
	}
	if text := inputText(card["exp_year"]); len(text) != 4 || !digits(text) {
		return fmt.Errorf("input.card.exp_year: must be four digits")
	}
	return nil
}

func checkKinds(prefix string, in map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(in)) {
		path, v := prefix+name, in[name]
		is := func(all []string) bool {
			return slices.Contains(all, path) || slices.Contains(all, prefix+"*") && prefix != ""
		}
		switch {
		case v == nil:
		case slices.Contains(inputObjects, path):
			m, ok := v.(map[string]any)
			if !ok {
				return fmt.Errorf("input.%s: must be an object", path)
			}
			if err := checkKinds(path+".", m); err != nil {
				return err
			}
		case slices.Contains(inputIntegers, path):
			bits, what := 64, "a whole number, not negative"
			if strings.HasPrefix(path, "browser.") {
				bits, what = 32, "a whole number of at most 32 bits"
			}
			if n, err := strconv.ParseInt(inputText(v), 10, bits); err != nil || n < 0 && bits == 64 {
				return fmt.Errorf("input.%s: must be %s", path, what)
			}
		case slices.Contains(inputFlags, path):
			if _, ok := v.(bool); !ok {
				return fmt.Errorf("input.%s: must be true or false", path)
			}
		case is(inputTexts):
			switch v.(type) {
			case string, json.Number:
			default:
				return fmt.Errorf("input.%s: must be a text", path)
			}
		}
	}
	return nil
}

// inputNames are the fields of a case, by what stands first in the names of a merchant's API call, which adapters use.
var inputNames = [][2]string{{"payment_method_data.card", "card"}, {"three_ds_data", "three_ds_result"}, {"authentication_type", "request_3ds"},
	{"recurring_details", "mandate"}, {"billing.", "billing"}, {"browser_info", "browser"}, {"customer", "customer"}}

// inCase returns the name in a case of a field of a merchant's API call; or "" if both names are equal or a case has no such field.
func inCase(parameter string) string {
	if setting, ok := strings.CutPrefix(parameter, "metadata."); ok { // a setting of the account
		return ": in a case, credentials." + setting
	}
	for _, name := range inputNames {
		if strings.HasPrefix(parameter, name[0]) {
			return ": in a case, input." + name[1]
		}
	}
	return ""
}

// inputText returns a text, or a number as it was written.
func inputText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

func digits(s string) bool { return strings.Trim(s, "0123456789") == "" }
