package paylink

import (
	"encoding/json"
	"slices"
)

// Config are the settings of a link's page. "" and nil mean the default. The json names are the API's and the storage format.
type Config struct {
	Theme            string            `json:"theme,omitempty"`
	Logo             string            `json:"logo,omitempty"`
	SellerName       string            `json:"seller_name,omitempty"`
	Layout           string            `json:"sdk_layout,omitempty"`
	DetailsLayout    string            `json:"details_layout,omitempty"`
	FormOnly         bool              `json:"display_sdk_only,omitempty"`
	SavedMethods     bool              `json:"enabled_saved_payment_method,omitempty"`
	HideNickname     bool              `json:"hide_card_nickname_field,omitempty"`
	ShowForm         *bool             `json:"show_card_form_by_default,omitempty"`
	ShowMerchant     *bool             `json:"show_merchant_name,omitempty"`
	ButtonWhenReady  bool              `json:"enable_button_only_on_form_ready,omitempty"`
	Rows             []Row             `json:"transaction_details,omitempty"`
	Background       *Background       `json:"background_image,omitempty"`
	ButtonText       string            `json:"payment_button_text,omitempty"`
	ButtonColour     string            `json:"payment_button_colour,omitempty"`
	ButtonTextColour string            `json:"payment_button_text_colour,omitempty"`
	BackgroundColour string            `json:"background_colour,omitempty"`
	CardTerms        string            `json:"custom_message_for_card_terms,omitempty"`
	FormHeader       string            `json:"payment_form_header_text,omitempty"`
	CVCErrorColour   string            `json:"color_icon_card_cvc_error,omitempty"`
	Messages         []MethodMessages  `json:"custom_message_for_payment_method_types,omitempty"`
	SkipStatus       bool              `json:"skip_status_screen,omitempty"`
	FormRules        map[string]Styles `json:"sdk_ui_rules,omitempty"`
	PageRules        map[string]Styles `json:"payment_link_ui_rules,omitempty"`
	LabelType        string            `json:"payment_form_label_type,omitempty"`
	ShowCardTerms    string            `json:"show_card_terms,omitempty"`
	SetupMandate     bool              `json:"is_setup_mandate_flow,omitempty"`
	Domain           string            `json:"domain_name,omitempty"` // from the profile alone, as are the next two
	AllowedDomains   *[]string         `json:"allowed_domains,omitempty"`
	BrandingVisible  *bool             `json:"branding_visibility,omitempty"`
}

// Row is one further line of the details.
type Row struct {
	Key   string   `json:"key"`
	Value string   `json:"value"`
	Look  *RowLook `json:"ui_configuration,omitempty"`
}

// RowLook says where a Row stands and how it looks.
type RowLook struct {
	Position  *int `json:"position,omitempty"`
	BoldKey   bool `json:"is_key_bold,omitempty"`
	BoldValue bool `json:"is_value_bold,omitempty"`
}

// Background is the picture behind the page.
type Background struct {
	URL      string `json:"url"`
	Position string `json:"position,omitempty"`
	Size     string `json:"size,omitempty"`
}

// Styles are CSS declarations; the names are in camelCase.
type Styles map[string]string

// MethodMessages are the merchant's texts at the types of a payment method.
type MethodMessages struct {
	Method string        `json:"payment_method"`
	Types  []TypeMessage `json:"payment_method_types"`
}

// TypeMessage is the text at a type of payment method.
type TypeMessage struct {
	Type    string  `json:"payment_method_type"`
	Message Message `json:"message"`
}

// Message is a text and how it is shown: default_sdk_message, custom_message or hidden.
type Message struct {
	Value string `json:"value"`
	Mode  string `json:"display_mode,omitempty"`
}

// ofProfileAlone are the fields that a payment's own configuration cannot set.
var ofProfileAlone = []string{"domain_name", "allowed_domains", "branding_visibility"}

// MaxRows is the largest number of transaction_details of a link.
const MaxRows = 50

// Merge makes the configuration of a payment's link. profile is payment_link_config of the profile, own that of the payment; either may be nil. Both
// have passed the API's checks. id picks an entry of the profile's business_specific_configs; an unknown id picks the default.
func Merge(profile, own json.RawMessage, id string) (Config, error) {
	var top, chosen, sent map[string]json.RawMessage
	for _, f := range []struct {
		raw json.RawMessage
		to  *map[string]json.RawMessage
	}{{profile, &top}, {own, &sent}} {
		if len(f.raw) > 0 {
			if err := json.Unmarshal(f.raw, f.to); err != nil {
				return Config{}, err
			}
		}
	}
	if raw := top["business_specific_configs"]; id != "" && len(raw) > 0 {
		var entries map[string]map[string]json.RawMessage
		if err := json.Unmarshal(raw, &entries); err != nil {
			return Config{}, err
		}
		chosen = entries[id]
	}
	base := top
	if chosen != nil {
		base = chosen
	}
	merged := map[string]json.RawMessage{}
	add := func(from map[string]json.RawMessage, names func(string) bool) {
		for name, v := range from {
			if names(name) && string(v) != "null" {
				merged[name] = v
			}
		}
	}
	add(base, func(name string) bool { return name != "transaction_details" && !slices.Contains(ofProfileAlone, name) })
	add(sent, func(name string) bool { return !slices.Contains(ofProfileAlone, name) })
	add(top, func(name string) bool { return slices.Contains(ofProfileAlone, name) })
	delete(merged, "business_specific_configs")
	raw, err := json.Marshal(merged)
	if err != nil {
		return Config{}, err
	}
	var c Config
	if err := json.Unmarshal(raw, &c); err != nil {
		return Config{}, err
	}
	c.Rows = sortedRows(c.Rows)
	return c, nil
}

// sortedRows sorts by position, rows without one last, and keeps at most MaxRows.
func sortedRows(rows []Row) []Row {
	slices.SortStableFunc(rows, func(a, b Row) int {
		left, right := a.position(), b.position()
		switch {
		case left == nil && right == nil:
			return 0
		case left == nil:
			return 1
		case right == nil:
			return -1
		}
		return *left - *right
	})
	return rows[:min(len(rows), MaxRows)]
}

func (r *Row) position() *int {
	if r.Look == nil {
		return nil
	}
	return r.Look.Position
}
