package paylink

import (
	"strings"

	"payswitch/engine/fault"
	"payswitch/engine/paylink"
)

// Check refuses settings that Render leaves out: a text that is no colour, a button's text that the payer could not read, an address that is not of the web.
// plain says that pictures may be on http. The API takes such settings, and the page is drawn without them. Error: IR_06 (422).
func Check(c *paylink.Config, plain bool) error {
	for _, f := range []struct{ name, value string }{{"theme", c.Theme}, {"background_colour", c.BackgroundColour}, {"payment_button_colour", c.ButtonColour},
		{"payment_button_text_colour", c.ButtonTextColour}, {"color_icon_card_cvc_error", c.CVCErrorColour}} {
		if f.value != "" && colour(f.value) == "" {
			return refused(f.name, "the page cannot show this colour").WithHint("Send it as #RRGGBB, such as #2F4BD8.")
		}
	}
	if text, on := colour(c.ButtonTextColour), colour(c.ButtonColour); text != "" && on == "" {
		return refused("payment_button_text_colour", "the colour of the button's text has no effect without the button's own").WithHint("Send payment_button_colour, too.")
	} else if text != "" && !readable(text, on) {
		return refused("payment_button_text_colour", "this text is hard to read on the button").WithHint("Choose colours with a contrast of 4.5 or more, or none for the text.")
	}
	if strings.TrimSpace(c.Logo) == "" {
		return nil
	}
	if src, _ := picture(c.Logo, plain); src == "" {
		return refused("logo", "this is not the address of a picture that the page can show").WithHint("Send an address with https.")
	}
	return nil
}

func refused(field, text string) *fault.Error {
	return fault.Unprocessable("payment_link_config."+field, text).WithHint("Mend the field, or leave it out.")
}
