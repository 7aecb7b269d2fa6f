package paylink

import (
	"errors"
	"html/template"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"payswitch/engine/paylink"
)

// ErrEmptySelector is the error of Render for a rule without a selector.
var ErrEmptySelector = errors.New("a rule of payment_link_ui_rules or sdk_ui_rules has an empty selector")

// properties are the CSS properties that rules of merchants may set. None of them loads anything, moves a part over another, or hides one.
var properties = []string{"color", "background", "background-color", "border", "border-color", "border-width", "border-style", "border-radius", "border-top", "border-right",
	"border-bottom", "border-left", "border-top-left-radius", "border-top-right-radius", "border-bottom-left-radius", "border-bottom-right-radius", "font-family",
	"font-size", "font-style", "font-weight", "letter-spacing", "line-height", "text-align", "text-decoration", "text-transform", "padding", "padding-top",
	"padding-right", "padding-bottom", "padding-left", "margin", "margin-top", "margin-right", "margin-bottom", "margin-left", "gap", "row-gap", "column-gap",
	"box-shadow", "width", "max-width", "min-width", "height", "max-height", "min-height", "outline-color", "accent-color", "fill", "stroke", "object-fit",
	"align-items", "justify-content", "flex-direction", "flex-wrap"}

var (
	selector = regexp.MustCompile(`^[A-Za-z0-9_#. >:,*\-]{1,200}$`)
	// value has no bracket but those of colours and calculations, no quote that could stay open, no backslash and no at sign.
	value    = regexp.MustCompile(`^[A-Za-z0-9_#.,%() +\-*/!]{1,200}$`)
	function = regexp.MustCompile(`([A-Za-z\-]*)\(`)
	hex      = regexp.MustCompile(`^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$`)
	size     = regexp.MustCompile(`^(cover|contain|[0-9]{1,4}(\.[0-9]{1,3})?(%|px))$`)
)

// functions are the CSS functions that a value may call.
var functions = []string{"rgb", "rgba", "hsl", "hsla", "calc", "min", "max", "clamp", ""}

// rules writes the rules of a merchant. A rule with another property, or with a value that could leave its place, is left out.
func rules(b *strings.Builder, of map[string]paylink.Styles) error {
	for _, s := range sorted(of) {
		if strings.TrimSpace(s) == "" {
			return ErrEmptySelector
		}
		if !selector.MatchString(s) || strings.Contains(s, "::") {
			continue
		}
		var list strings.Builder
		for _, name := range sorted(of[s]) {
			property, v := kebab(name), of[s][name]
			if slices.Contains(properties, property) && safeValue(v) {
				list.WriteString(property + ":" + v + ";")
			}
		}
		if list.Len() > 0 {
			b.WriteString(s + "{" + list.String() + "}\n")
		}
	}
	return nil
}

func safeValue(v string) bool {
	if !value.MatchString(v) || strings.Contains(v, "/*") || strings.Contains(v, "*/") || strings.Count(v, "(") != strings.Count(v, ")") {
		return false
	}
	for _, f := range function.FindAllStringSubmatch(v, -1) {
		if !slices.Contains(functions, strings.ToLower(f[1])) {
			return false
		}
	}
	return true
}

// kebab returns a name in camelCase as CSS writes it.
func kebab(name string) string {
	var b strings.Builder
	for _, r := range name {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('-')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// colour returns a colour in the form #rrggbb, "" for anything else.
func colour(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	switch s {
	case "white":
		return "#ffffff"
	case "black":
		return "#000000"
	}
	if !hex.MatchString(s) {
		return ""
	}
	if len(s) == 4 {
		return "#" + strings.Repeat(s[1:2], 2) + strings.Repeat(s[2:3], 2) + strings.Repeat(s[3:4], 2)
	}
	return s
}

// ink is black or white, whichever is easier to read on a colour.
func ink(on string) string {
	if luminance(on) > 0.179 {
		return "#000000"
	}
	return "#ffffff"
}

// readable reports whether text in the one colour has a contrast of 4.5 on the other (WCAG 2.2, 1.4.3).
func readable(a, b string) bool {
	x, y := luminance(a), luminance(b)
	return (max(x, y)+0.05)/(min(x, y)+0.05) >= 4.5
}

func luminance(c string) float64 {
	part := func(at int) float64 {
		n, _ := strconv.ParseUint(c[at:at+2], 16, 8)
		v := float64(n) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*part(1) + 0.7152*part(3) + 0.0722*part(5)
}

// picture returns the address of a merchant's picture and its origin, "" for an address that is not of the web.
func picture(address string, plain bool) (src, origin string) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && !(plain && u.Scheme == "http") || u.Hostname() == "" || u.User != nil || strings.ContainsAny(u.Host, " ;,'\"*()") {
		return "", ""
	}
	return u.String(), u.Scheme + "://" + u.Host
}

// style makes the CSS of a page from the merchant's settings.
func style(c *paylink.Config, background string) (template.CSS, error) {
	var b strings.Builder
	if theme := colour(c.Theme); theme != "" {
		b.WriteString(":root{--go:" + theme + ";--go-ink:" + ink(theme) + ";--ring:var(--ink)}\n")
	}
	if go1 := colour(c.ButtonColour); go1 != "" {
		b.WriteString(":root{--go:" + go1 + ";--go-ink:" + ink(go1) + ";--ring:var(--ink)}\n")
		if text := colour(c.ButtonTextColour); text != "" && readable(text, go1) {
			b.WriteString(":root{--go-ink:" + text + "}\n")
		}
	}
	if ground := colour(c.BackgroundColour); ground != "" {
		b.WriteString("html{background:" + ground + "}.foot,.foot a{color:" + ink(ground) + "}\n")
	}
	if bad := colour(c.CVCErrorColour); bad != "" {
		b.WriteString("#card_cvc[aria-invalid]{border-color:" + bad + "}\n")
	}
	if background != "" {
		at, large := "center", "cover"
		if p := c.Background.Position; slices.Contains([]string{"left", "top left", "top", "top right", "right", "bottom right", "bottom", "bottom left"}, p) {
			at = p
		}
		if size.MatchString(c.Background.Size) {
			large = c.Background.Size
		}
		// The address is percent-encoded where CSS or HTML would read a character of its own.
		b.WriteString(`html{background-image:url("` + cssURL.Replace(background) + `");background-repeat:no-repeat;background-position:` + at + ";background-size:" + large + "}.foot{background:var(--page)}.foot,.foot a{color:var(--soft)}\n")
	}
	if err := rules(&b, c.PageRules); err != nil {
		return "", err
	}
	if err := rules(&b, c.FormRules); err != nil {
		return "", err
	}
	return template.CSS(b.String()), nil // every part has passed a closed list
}

var cssURL = strings.NewReplacer(`"`, "%22", `'`, "%27", `\`, "%5C", "(", "%28", ")", "%29", "<", "%3C", ">", "%3E", "\n", "%0A", "\r", "%0D", "\f", "%0C")
