package router

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"

	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/paylink"
	"payswitch/engine/request"
)

// This file reads the settings of hosted pages: payment_link_config of payments and profiles, pm_collect_link_config of accounts.

var (
	backgroundPositions = []string{"left", "top left", "top", "top right", "right", "bottom right", "bottom", "bottom left", "center"}
	detailsLayouts      = []string{"layout1", "layout2"}
	labelTypes          = []string{"above", "floating", "never"}
	cardTermsModes      = []string{"always", "auto", "never"}
	messageModes        = []string{"default_sdk_message", "custom_message", "hidden"}
)

var linkRows = records(record(false,
	must(member("key", text)), must(member("value", text)),
	member("ui_configuration", record(false, member("position", integer(math.MinInt8, math.MaxInt8)), member("is_key_bold", boolean), member("is_value_bold", boolean))),
))

var linkBackground = record(false,
	must(member("url", webURL)), member("position", oneOf(backgroundPositions)), member("size", parsedText(`Send "cover", "contain", or a size such as "50%" or "200px".`, checkSize)))

var linkMessages = records(record(false,
	must(member("payment_method", oneOf(paymentMethods))),
	must(member("payment_method_types", records(record(false,
		must(member("payment_method_type", oneOf(paymentMethodTypes))),
		must(member("message", record(false, must(member("value", text)), member("display_mode", oneOf(messageModes))))),
	)))),
))

// styleRules reads rules of CSS by selector: {selector: {property: value}}.
var styleRules = mapOf(mapOf(keptAs(text)))

// linkMembers are the fields of a page's settings.
var linkMembers = []field[account.Fields]{
	member("theme", text), member("logo", text), member("seller_name", text), member("sdk_layout", text), member("display_sdk_only", boolean),
	member("enabled_saved_payment_method", boolean), member("hide_card_nickname_field", boolean), member("show_card_form_by_default", boolean),
	member("show_merchant_name", boolean), member("enable_button_only_on_form_ready", boolean), member("transaction_details", linkRows),
	member("background_image", linkBackground), member("details_layout", oneOf(detailsLayouts)), member("payment_button_text", text),
	member("payment_button_colour", text), member("payment_button_text_colour", text), member("background_colour", text),
	member("custom_message_for_card_terms", text), member("payment_form_header_text", text), member("color_icon_card_cvc_error", text),
	member("custom_message_for_payment_method_types", linkMessages), member("skip_status_screen", boolean), member("sdk_ui_rules", styleRules),
	member("payment_link_ui_rules", styleRules), member("payment_form_label_type", oneOf(labelTypes)), member("show_card_terms", oneOf(cardTermsModes)),
	member("is_setup_mandate_flow", boolean),
}

// linkConfig reads payment_link_config of a payment.
var linkConfig = record(false, linkMembers...)

// profileLinkConfig reads payment_link_config of a profile. transaction_details are for payments alone.
var profileLinkConfig = record(false, append(slices.DeleteFunc(slices.Clone(linkMembers), func(f field[account.Fields]) bool { return f.key == "transaction_details" }),
	member("domain_name", text), member("allowed_domains", listOf(text)), member("business_specific_configs", mapOf(linkConfig)), member("branding_visibility", boolean))...)

// mapOf reads an object whose values parse reads, and keeps what parse returns.
func mapOf(parse func(*reader) (json.RawMessage, error)) func(*reader) (json.RawMessage, error) {
	return func(r *reader) (json.RawMessage, error) {
		if r.kind() != '{' {
			return nil, r.wrongType("an object", true)
		}
		w := new(writer).open()
		err := r.members(func(key []byte) error {
			name := string(key)
			raw, err := parse(r)
			w.raw(name, raw)
			return err
		})
		if err != nil {
			return nil, err
		}
		return w.close().bytes()
	}
}

// checkSize checks the size of a background picture.
func checkSize(s string) error {
	number := strings.TrimSuffix(strings.TrimSuffix(s, "%"), "px")
	if s == "cover" || s == "contain" || number != s && number != "" && len(number) < 8 && strings.Trim(number, "0123456789.") == "" {
		return nil
	}
	return errors.New("unknown size " + quoted([]byte(s)) + ", expected `cover`, `contain`, a percentage or pixels")
}

// checkLinkConfig checks the texts of payment_link_config in a profile. Error: IR_06 (422).
func checkLinkConfig(f account.Fields) error {
	raw := f["payment_link_config"]
	if raw == nil {
		return nil
	}
	var in struct {
		paylink.Config
		Entries map[string]paylink.Config `json:"business_specific_configs"`
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return fault.Internal(err, "read payment_link_config")
	}
	if in.Domain != "" {
		if err := paylink.CheckDomain(in.Domain); err != nil {
			return err
		}
	}
	if in.AllowedDomains != nil {
		if err := paylink.CheckFramers(*in.AllowedDomains); err != nil {
			return err
		}
	}
	if err := checkMessages(in.Messages); err != nil {
		return err
	}
	for _, entry := range in.Entries {
		if err := checkMessages(entry.Messages); err != nil {
			return err
		}
	}
	return nil
}

// checkMessages checks that each type of a message belongs to its payment method.
func checkMessages(list []paylink.MethodMessages) error {
	for _, m := range list {
		for _, t := range m.Types {
			if types := request.MethodTypes(m.Method); !slices.Contains(types, t.Type) {
				return fault.Unprocessable("payment_link_config.custom_message_for_payment_method_types",
					"payment_method_type "+t.Type+" does not belong to payment_method "+m.Method).WithHint("Send one of: " + strings.Join(types, ", ") + ".")
			}
		}
	}
	return nil
}

// collectConfig reads pm_collect_link_config of an account.
var collectConfig = record(false,
	member("domain_name", text), must(member("allowed_domains", listOf(text))), member("logo", webURL), member("merchant_name", text), member("theme", text),
	must(member("enabled_payment_methods", collectMethods)),
)

var collectMethods = records(record(false,
	must(member("payment_method", oneOf(paymentMethods))), must(member("payment_method_types", listOf(oneOf(paymentMethodTypes)))),
))

// checkCollectConfig checks the texts of pm_collect_link_config. Error: IR_06 (422).
func checkCollectConfig(f account.Fields) error {
	raw := f["pm_collect_link_config"]
	if raw == nil {
		return nil
	}
	var in struct {
		Domain  string   `json:"domain_name"`
		Framers []string `json:"allowed_domains"`
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return fault.Internal(err, "read pm_collect_link_config")
	}
	if in.Domain != "" {
		if err := paylink.CheckDomain(in.Domain); err != nil {
			return err
		}
	}
	return paylink.CheckFramers(in.Framers)
}
