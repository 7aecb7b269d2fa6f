package dashboard

import (
	"strconv"
	"strings"
	"sync"

	"payswitch/engine/account"
	"payswitch/engine/staff"
	"payswitch/router"
	"payswitch/router/checkout"
)

func (s *Server) checkoutRoutes() []route {
	return []route{{method: "GET", pattern: "/m/{m}/checkout", needs: staff.SeeSettings, handle: s.checkoutPage}}
}

// checkoutFiles are the checkout's files, read when a person first asks for them.
var checkoutFiles = sync.OnceValues(checkout.New)

// checkoutPage shows how a shop takes cards: the ways by their effort, the script with its integrity value, the inventory of scripts, and what is not safe yet.
func (s *Server) checkoutPage(c *call) (response, error) {
	ctx, end := c.reading()
	defer end()
	profiles, err := s.Engine.Profiles(ctx, c.auth())
	if err != nil {
		return nil, err
	}
	files, err := checkoutFiles()
	if err != nil {
		return nil, err
	}
	api := s.opts.APIURL
	scripts := files.Inventory(api)
	d := &document{Heading: "Checkout", Lead: "The card form for your shop's page. Card data stays in payswitch's own frame."}
	open := Table{Caption: "Pages that may show the form", Columns: columns("Profile", "Origins")}
	unsafe := 0
	for _, p := range profiles {
		cell := Cell{Text: strings.Join(router.CheckoutOrigins(p), ", ")}
		if cell.Text == "" {
			unsafe++
			cell = Cell{Text: "every page", Chip: &Chip{"open", "wait", marks["wait"]}}
		}
		open.Rows = append(open.Rows, Row{URL: c.at() + "/profiles/" + p.ID + "#checkout", Cells: []Cell{{Text: p.Name}, cell}})
	}
	pages := Block{ID: "origins", Heading: "Pages that may show the form", Table: &open}
	if unsafe > 0 {
		pages.Tone = "wait"
		pages.Text = []string{"checkout_origins is empty at " + plural(unsafe, "profile", "profiles") + ": any page may frame your form. Name your shop's origins before you go live."}
	}
	inventory := Table{Caption: "Scripts", Columns: []Column{{Name: "Script"}, {Name: "Runs in"}, {Name: "What for"}, {Name: "Bytes", Class: "num"}, {Name: "Integrity"}}}
	for _, x := range scripts {
		inventory.Rows = append(inventory.Rows, Row{Cells: []Cell{{Text: x.Name, Note: x.Address}, {Text: x.RunsIn}, {Text: x.Purpose}, {Text: strconv.Itoa(x.Bytes)}, {ID: x.Integrity}}})
	}
	d.add(Block{Heading: "Three ways, by effort", Cards: []Card{
		{URL: c.at() + "/links", Heading: "Payment link", Text: "Least effort. Your customer pays on payswitch's page. Your shop has no page to protect (PCI SAQ A)."},
		{URL: "#script", Heading: "Embedded form", Text: "Your page, payswitch's fields. Load the script with its integrity value, set the policy, and keep the inventory below (PCI SAQ A, 6.4.3 and 11.6.1)."},
		{URL: c.at() + "/keys", Heading: "Own form", Text: "Most effort. Your server takes the card and sends it to the API. All of PCI DSS is yours (SAQ D)."}}},
		Block{ID: "script", Heading: "The script, pinned", Text: []string{"A new version of payswitch has another address, and the old one answers 404: change your page when you upgrade. " +
			"The address " + api + "/HyperLoader.js always has the version that runs, without an integrity value."},
			Facts: []Named{fact("Address", ident(scripts[0].Address)), fact("Integrity", ident(scripts[0].Integrity))},
			Code:  `<script src="` + scripts[0].Address + "\"\n  integrity=\"" + scripts[0].Integrity + `" crossorigin="anonymous"></script>`},
		Block{Heading: "Your page's Content-Security-Policy", Text: []string{"The form needs these two words, and nothing more."}, Code: "script-src " + api + "; frame-src " + api},
		Block{ID: "inventory", Heading: "Script inventory", Text: []string{"PCI DSS 6.4.3 asks for the scripts of a payment page, what each is for, and proof that it is unchanged. Your page runs the first one alone. " +
			"GET " + api + "/checkout/integrity answers the same list."}, Table: &inventory}, pages,
		Block{ID: "consent", Heading: "The save box", Text: []string{"The box \"Save this card\" starts without a tick. The option savedPaymentMethodsCheckboxCheckedByDefault ticks it before: " +
			"consent by such a box does not hold in the European Union. Leave the option out there."}})
	return show(d), nil
}

// originStep returns the line about the pages that may show the checkout.
func (c *call) originStep(profiles []*account.Profile) Step {
	st := Step{Done: true, Text: "The pages that may show the checkout", Note: "Every profile names its shop's origins.", Link: &Link{c.at() + "/checkout", "Checkout"}}
	for _, p := range profiles {
		if len(router.CheckoutOrigins(p)) == 0 {
			return Step{Text: st.Text, Note: "Profile " + p.Name + " names none: any page may frame the card form.", Link: &Link{c.at() + "/profiles/" + p.ID + "#checkout", "Enter the origins"}}
		}
	}
	return st
}
