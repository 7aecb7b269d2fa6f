package dashboard

import (
	"context"
	"net/http"
	"strings"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/secret"
	"payswitch/engine/staff"
	"payswitch/router"
)

func (s *Server) keyRoutes() []route {
	return []route{
		{method: "GET", pattern: "/m/{m}/keys", needs: staff.ManageKeys, handle: s.keys},
		{method: "POST", pattern: "/m/{m}/keys", needs: staff.ManageKeys, handle: s.formOnce(s.createKey)},
		{method: "POST", pattern: "/m/{m}/keys/{id}/revoke", needs: staff.ManageKeys, handle: s.revokeKey},
	}
}

// keys lists the merchant's keys.
func (s *Server) keys(c *call) (response, error) {
	d, err := s.keysPage(c, nil)
	if err != nil {
		return nil, err
	}
	return show(d), nil
}

// periods are the lives of keys that the form offers, in days; 0 is no end.
var periods = []Option{{Value: "90", Text: "90 days"}, {Value: "365", Text: "1 year", Chosen: true}, {Value: "30", Text: "30 days"}, {Value: "1", Text: "1 day"}, {Value: "never", Text: "No end"}}

// keysPage returns the page with its form, and with the problem of the form that was sent.
func (s *Server) keysPage(c *call, problem error) (*document, error) {
	ctx, end := c.reading()
	defer end()
	list, err := s.Engine.APIKeys(ctx, c.auth(), 0, 0)
	if err != nil {
		return nil, err
	}
	_, profiles, err := c.profileNames(ctx)
	if err != nil {
		return nil, err
	}
	d := &document{Heading: "Keys", Lead: "Your shop's server sends its API key with each request. Browsers get the publishable key."}
	may := c.Session.MayOn(staff.ManageKeys, c.Merchant.ID, s.opts.Live)
	d.add(c.guard(staff.ManageKeys, false)...)
	t := &Table{Caption: "API keys", Columns: columns("Name", "Begins with", "Made", "Ends", "Action")}
	now := s.Now()
	for _, k := range list {
		ends := Cell{Text: "never"}
		if !k.ExpiresAt.IsZero() {
			at := c.time(k.ExpiresAt)
			ends = Cell{Time: &at}
			if left := k.ExpiresAt.Sub(now); left <= 0 {
				ends.Chip = &Chip{"ended", "bad", marks["bad"]}
			} else if left < keyEndsSoon {
				ends.Chip = &Chip{"ends soon", "wait", marks["wait"]}
			}
		}
		made, row := c.time(k.CreatedAt), Cell{}
		if may {
			row.Form = &Form{Fold: "Revoke", Action: c.at() + "/keys/" + k.ID + "/revoke", Text: "Requests with this key are refused from now on. It does not come back.", Submit: "Revoke the key",
				Tone: "danger"}
		}
		t.Rows = append(t.Rows, Row{Cells: []Cell{{Text: k.Name, Note: k.Description}, {Text: k.Prefix + "…"}, {Time: &made}, ends, row}})
	}
	b := Block{Heading: "API keys", Bare: true, Table: t}
	if len(list) == 0 {
		b.Table, b.Empty = nil, &Empty{Heading: "No API key yet", Text: "Make one below. payswitch then shows the command of your first payment with it."}
	}
	d.add(b)
	if may {
		f := Form{ID: "key-", Action: c.at() + "/keys", Submit: "Make the key", Tone: "go", Fields: []Field{
			{Name: "name", Label: "Name", Kind: "text", Required: true, Max: 64, Autocomplete: "off", Hint: "Such as the program that uses it."},
			{Name: "description", Label: "Description", Kind: "text", Max: 256, Autocomplete: "off"},
			{Name: "expiration", Label: "Ends after", Kind: "select", Options: append([]Option(nil), periods...)}}}
		if problem != nil {
			c.refill(&f, problem)
		}
		d.add(Block{ID: "new", Heading: "Make a key", Text: []string{"The key is shown once, and payswitch keeps its hash. For a day, a second click on this form shows the same key again."}, Forms: []Form{f}})
	} else {
		d.add(Block{Text: []string{"Live keys are made by an admin of this merchant."}})
	}
	other := Block{Heading: "Other keys", Facts: []Named{fact("Publishable key", ident(c.Merchant.PublishableKey))}}
	for _, p := range profiles {
		if p.ResponseHash.IsZero() {
			continue
		}
		other.Facts = append(other.Facts, fact("Response hash key of "+p.Name, Cell{Text: "set", Note: "Signs what a payer's browser brings back. Read it with GET /account/{merchant_id}/business_profile/{profile_id}."}))
	}
	d.add(other)
	return d, nil
}

func (s *Server) createKey(c *call) (response, error) {
	if err := c.form(); err != nil {
		return nil, err
	}
	expiration := c.PostFormValue("expiration")
	if expiration != "never" {
		days, err := time.ParseDuration(expiration + "h")
		if err != nil || days <= 0 {
			days = 365 * time.Hour
		}
		expiration = s.Now().Add(24 * days).UTC().Format("2006-01-02T15:04:05Z")
	}
	values := map[string]any{"name": strings.TrimSpace(c.PostFormValue("name")), "expiration": expiration}
	if text := strings.TrimSpace(c.PostFormValue("description")); text != "" {
		values["description"] = text
	}
	in, err := router.ParseKey(body(values), true)
	if err == nil && *in.Name == "" {
		err = missing("name", "Give the key a name")
	}
	var key *account.APIKey
	var text secret.Value
	if err == nil {
		err = c.perform(Act{Needs: staff.ManageKeys, Live: s.opts.Live, Action: "key.create", Details: map[string]string{"name": *in.Name}}, func(ctx context.Context) (err error) {
			key, text, err = s.Engine.CreateAPIKey(ctx, c.auth(), in)
			return err
		})
	}
	if shownInForm(err) {
		d, failed := s.keysPage(c, err)
		return shown{http.StatusUnprocessableEntity, d}, failed
	}
	if err != nil {
		return nil, err
	}
	return show(c.newKeyPage(key.Name, text.Reveal())), nil
}

// newKeyPage shows a key, the only time that it is shown.
func (c *call) newKeyPage(name, key string) *document {
	at := c.at()
	return &document{Heading: "Your new key", Back: &Link{at + "/keys", "Keys"}, Blocks: []Block{
		{Tone: "good", Heading: name, Text: []string{"Copy the key now: payswitch keeps its hash alone, and cannot show it again."}, Once: key},
		{Heading: "Your first payment with it", Text: []string{"Keep the key on your server. A key in a page or an app is everybody's."}, Code: firstPayment(c.server.opts.APIURL, key),
			Links: []Link{{at + "/payments", "See the payment"}}},
		{Heading: "Your first event", Text: []string{listenWords}, Code: c.listenCommand(key), Links: []Link{{at + "/setup", "Go on with the set-up"}}}}}
}

func (s *Server) revokeKey(c *call) (response, error) {
	id := c.PathValue("id")
	err := c.perform(Act{Needs: staff.ManageKeys, Live: s.opts.Live, Action: "key.revoke", Target: id}, func(ctx context.Context) error {
		return s.Engine.RevokeAPIKey(ctx, c.auth(), id)
	})
	if err != nil {
		return nil, err
	}
	return seeOther(c.at() + "/keys"), nil
}
