package dashboard

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/staff"
	"payswitch/engine/webhook"
	"payswitch/router"
)

func (s *Server) webhookRoutes() []route {
	const one = "/m/{m}/webhooks/{p}/{id}"
	return []route{
		{method: "GET", pattern: "/m/{m}/webhooks", needs: staff.ManageURLs, handle: s.webhooks},
		{method: "POST", pattern: "/m/{m}/webhooks/{p}", needs: staff.ManageURLs, handle: s.formOnce(s.createEndpoint)},
		{method: "GET", pattern: one, needs: staff.ManageURLs, handle: s.endpoint},
		{method: "POST", pattern: one, needs: staff.ManageURLs, handle: s.changeEndpoint},
		{method: "POST", pattern: one + "/{act}", needs: staff.ManageURLs, handle: s.formOnce(s.endpointAct)},
	}
}

// endpointsOf is a profile with its endpoints.
type endpointsOf struct {
	profile *account.Profile
	list    []*webhook.EndpointView
}

func (s *Server) webhooks(c *call) (response, error) {
	d, err := s.webhooksPage(c, "", nil)
	if err != nil {
		return nil, err
	}
	return show(d), nil
}

func (s *Server) webhooksPage(c *call, sent string, problem error) (*document, error) {
	ctx, end := c.reading()
	defer end()
	profiles, err := s.Engine.Profiles(ctx, c.auth())
	if err != nil {
		return nil, err
	}
	only := c.URL.Query().Get("profile")
	var all []endpointsOf
	for _, p := range profiles {
		if only != "" && only != p.ID && sent == "" {
			continue
		}
		list, err := s.Events.Endpoints(ctx, c.auth(), p.ID)
		if err != nil {
			return nil, err
		}
		all = append(all, endpointsOf{p, list})
	}
	return c.webhookList(all, sent, problem), nil
}

// endpointState returns the state of an endpoint in one word, with what is known of it.
func (c *call) endpointState(e *webhook.EndpointView) (Chip, string) {
	switch {
	case e.Disabled:
		return Chip{"off", "quiet", marks["quiet"]}, ""
	case !e.FailingSince.IsZero():
		return Chip{"failing", "bad", marks["bad"]}, "since " + c.time(e.FailingSince).String()
	case !e.OldestUndelivered.IsZero():
		return Chip{"waiting", "wait", marks["wait"]}, "oldest event of " + c.time(e.OldestUndelivered).String()
	}
	return Chip{"on", "good", marks["good"]}, ""
}

func (c *call) webhookList(all []endpointsOf, sent string, problem error) *document {
	d := &document{Heading: "Webhooks", Lead: "payswitch posts each event to your endpoints, signed, until they answer 2xx.", Links: []Link{{c.at() + "/events", "Events"}}}
	d.add(c.guard(staff.ManageURLs, false)...)
	for _, x := range all {
		t := &Table{Caption: "Endpoints of " + x.profile.Name, Columns: columns("URL", "State", "Events", "Description")}
		for _, e := range x.list {
			state, note := c.endpointState(e)
			kinds := "all"
			if len(e.Types) > 0 {
				kinds = plural(len(e.Types), "type", "types")
			}
			t.Rows = append(t.Rows, Row{URL: c.at() + "/webhooks/" + x.profile.ID + "/" + e.ID, Cells: []Cell{{Text: e.URL}, {Chip: &state, Note: note}, {Text: kinds}, {Text: e.Description}}})
		}
		b := Block{Bare: true, Heading: "Profile " + x.profile.Name, Table: t}
		if len(x.list) == 0 {
			b.Table, b.Empty = nil, &Empty{Heading: "No endpoint yet", Text: "Add the address of your shop that takes events."}
		}
		f := Form{ID: x.profile.ID + "-", Fold: "Add an endpoint", Action: c.at() + "/webhooks/" + x.profile.ID, Submit: "Add the endpoint", Tone: "go", Fields: endpointFields(nil), Open: len(x.list) == 0}
		if sent == x.profile.ID {
			c.refill(&f, problem)
		}
		b.Forms = []Form{f}
		d.add(b)
	}
	d.add(Block{Heading: "While you develop", Text: []string{listenWords}, Code: c.listenCommand("YOUR_KEY")})
	return d
}

// listenWords explain the command that listenCommand returns.
const listenWords = "This command shows the events on your machine, without a public address: make a payment while it runs. " +
	"With --forward-to http://localhost:3000/webhooks it passes them on to your program."

// listenCommand takes events on a developer's machine.
func (c *call) listenCommand(key string) string {
	return "API_KEY=" + key + " payswitch listen --url " + c.server.opts.APIURL + " --merchant " + c.Merchant.ID
}

func endpointFields(e *webhook.EndpointView) []Field {
	hint := "payswitch posts there from its server, by https."
	if e == nil {
		e = &webhook.EndpointView{Endpoint: &webhook.Endpoint{}}
		hint += " A program on your own machine receives events with the command at the end of this page."
	}
	return []Field{{Name: "url", Label: "URL", Kind: "url", Required: true, Max: 2048, Value: e.URL, Autocomplete: "off", Hint: hint},
		{Name: "description", Label: "Description", Kind: "text", Max: 255, Value: e.Description, Autocomplete: "off"},
		{Name: "event_types", Label: "Event types, one a line", Kind: "textarea", Value: strings.Join(e.Types, "\n"), Hint: "Empty: all. Such as payment_succeeded, refund_succeeded, dispute_opened."}}
}

// endpointInput reads the posted endpoint.
func (c *call) endpointInput() (webhook.EndpointInput, error) {
	types := strings.FieldsFunc(c.PostFormValue("event_types"), func(r rune) bool { return r <= ' ' || r == ',' })
	return router.ParseEndpoint(body(map[string]any{"url": strings.TrimSpace(c.PostFormValue("url")), "description": strings.TrimSpace(c.PostFormValue("description")),
		"event_types": append([]string{}, types...)}))
}

func (s *Server) createEndpoint(c *call) (response, error) {
	if err := c.form(); err != nil {
		return nil, err
	}
	profile := c.PathValue("p")
	in, err := c.endpointInput()
	var e *webhook.Endpoint
	if err == nil {
		err = c.perform(Act{Needs: staff.ManageURLs, Live: s.opts.Live, Action: "endpoint.create", Target: profile, Details: map[string]string{"url": *in.URL}}, func(ctx context.Context) (err error) {
			e, err = s.Events.CreateEndpoint(ctx, c.auth(), profile, in)
			return err
		})
	}
	if shownInForm(err) {
		d, failed := s.webhooksPage(c, profile, err)
		return shown{http.StatusUnprocessableEntity, d}, failed
	}
	if err != nil {
		return nil, err
	}
	return show(newSecretPage(c.at(), "Your new endpoint", e)), nil
}

// newSecretPage shows the secret of an endpoint, the only time that it is shown.
func newSecretPage(at, heading string, e *webhook.Endpoint) *document {
	return &document{Heading: heading, Back: &Link{at + "/webhooks/" + e.ProfileID + "/" + e.ID, "Endpoint"}, Blocks: []Block{{Tone: "good", Heading: e.URL,
		Text: []string{"Copy the signing secret now: no later page shows it. Your server checks the signature of each event with it."}, Once: e.Secrets[0].Key.Reveal()}}}
}

func (s *Server) endpoint(c *call) (response, error) {
	d, err := s.endpointPage(c, nil)
	if err != nil {
		return nil, err
	}
	return show(d), nil
}

func (s *Server) endpointPage(c *call, problem error, done ...Block) (*document, error) {
	ctx, end := c.reading()
	defer end()
	profile, id := c.PathValue("p"), c.PathValue("id")
	e, err := s.Events.Endpoint(ctx, c.auth(), profile, id)
	if err != nil {
		return nil, err
	}
	last, err := s.lastEvent(ctx, c.auth(), profile, id)
	if err != nil {
		return nil, err
	}
	return c.endpointOf(e, last, problem, done), nil
}

func (c *call) endpointOf(e *webhook.EndpointView, last string, problem error, done []Block) *document {
	here := c.at() + "/webhooks/" + e.ProfileID + "/" + e.ID
	state, note := c.endpointState(e)
	made := c.time(e.CreatedAt)
	d := &document{Heading: "Endpoint", Back: &Link{c.at() + "/webhooks", "Webhooks"}}
	d.add(done...)
	d.add(Block{Facts: []Named{fact("URL", ident(e.URL)), fact("State", Cell{Chip: &state, Note: note}), fact("Id", ident(e.ID)), fact("Made", Cell{Time: &made})}})
	d.add(c.guard(staff.ManageURLs, false)...)
	test := Block{Heading: "Test", Forms: []Form{{Action: here + "/test", Submit: "Send a test event",
		Text: "The endpoint gets an event of the type endpoint_test, signed like every other. It should answer 2xx and do nothing. payswitch does not repeat it."}}}
	if last != "" {
		test.Forms = append(test.Forms, Form{Action: here + "/again", Submit: "Send the last event again", Text: "The endpoint gets the newest event of this profile once more. It should answer 2xx and change nothing."})
	}
	d.add(test, Block{Bare: true, Folds: []Fold{{"The test event with curl", "curl -X POST " + c.server.opts.APIURL + "/account/" + c.Merchant.ID + "/business_profile/" + e.ProfileID + "/webhook_endpoints/" + e.ID +
		"/test -H 'api-key: YOUR_KEY'"}}})
	f := Form{ID: "edit-", Action: here, Submit: "Save", Tone: "go", Fields: endpointFields(e)}
	own := e.ID != e.ProfileID
	if !own {
		f.Fields = f.Fields[:1]
		f.Fields[0].Required = false
		f.Text = "This is webhook_url of the profile. Empty switches it off. Its events are signed with the response hash key of the profile."
	}
	if problem != nil {
		c.refill(&f, problem)
	}
	d.add(Block{Heading: "Change", Forms: []Form{f}})
	if !own {
		return d
	}
	d.add(Block{Heading: "Signing secret", Forms: []Form{{ID: "rotate-", Action: here + "/rotate", Submit: "Make a new secret", Text: "The old secret goes on signing next to the new one for a while, so that your servers can change one after the other.",
		Fields: []Field{{Name: "overlap", Label: "The old secret signs for", Kind: "select", Options: slices.Clone(overlaps)}}}}})
	d.add(Block{Heading: either(e.Disabled, "Switch on or delete", "Switch off or delete"), Forms: []Form{
		{Action: here + "/switch", Fields: []Field{hidden("on", either(e.Disabled, "true", ""))}, Submit: either(e.Disabled, "Switch on", "Switch off"),
			Text: either(e.Disabled, "The endpoint gets new events again.", "Switched off, the endpoint gets no new event. Events under way are still delivered.")},
		{Fold: "Delete the endpoint", Action: here + "/delete", Tone: "danger", Submit: "Delete the endpoint", Text: "Events that it has not taken are given up."}}})
	return d
}

func (s *Server) changeEndpoint(c *call) (response, error) {
	if err := c.form(); err != nil {
		return nil, err
	}
	profile, id := c.PathValue("p"), c.PathValue("id")
	act := Act{Needs: staff.ManageURLs, Live: s.opts.Live, Action: "endpoint.change", Target: id, Details: map[string]string{"url": strings.TrimSpace(c.PostFormValue("url"))}}
	var err error
	if id == profile {
		var in account.ProfileInput
		if in, err = router.ParseProfile(body(map[string]any{"webhook_details": map[string]any{"webhook_url": strings.TrimSpace(c.PostFormValue("url"))}})); err == nil {
			in.Merge = true
			err = c.perform(act, func(ctx context.Context) error {
				_, err := s.Engine.UpdateProfile(ctx, c.auth(), profile, in)
				return err
			})
		}
	} else {
		var in webhook.EndpointInput
		if in, err = c.endpointInput(); err == nil {
			err = c.perform(act, func(ctx context.Context) error {
				_, err := s.Events.UpdateEndpoint(ctx, c.auth(), profile, id, in)
				return err
			})
		}
	}
	if shownInForm(err) {
		d, failed := s.endpointPage(c, err)
		return shown{http.StatusUnprocessableEntity, d}, failed
	}
	if err != nil {
		return nil, err
	}
	if id == profile && strings.TrimSpace(c.PostFormValue("url")) == "" {
		return seeOther(c.at() + "/webhooks"), nil
	}
	d, err := s.endpointPage(c, nil, Block{Tone: "good", Text: []string{"Saved."}})
	return show(d), err
}

// endpointAct performs the buttons of an endpoint's page.
func (s *Server) endpointAct(c *call) (response, error) {
	if err := c.form(); err != nil {
		return nil, err
	}
	profile, id, name := c.PathValue("p"), c.PathValue("id"), c.PathValue("act")
	act := Act{Needs: staff.ManageURLs, Live: s.opts.Live, Action: "endpoint." + name, Target: id}
	here := seeOther(c.at() + "/webhooks/" + profile + "/" + id)
	switch name {
	case "rotate":
		var e *webhook.Endpoint
		err := c.perform(act, func(ctx context.Context) (err error) {
			e, err = s.Events.RotateSecret(ctx, c.auth(), profile, id, overlap(c.PostFormValue("overlap")))
			return err
		})
		if err != nil {
			return nil, err
		}
		return show(newSecretPage(c.at(), "The new secret", e)), nil
	case "switch":
		off := c.PostFormValue("on") == ""
		return here, c.perform(act, func(ctx context.Context) error {
			_, err := s.Events.UpdateEndpoint(ctx, c.auth(), profile, id, webhook.EndpointInput{Disabled: &off})
			return err
		})
	case "delete":
		return seeOther(c.at() + "/webhooks"), c.perform(act, func(ctx context.Context) error { return s.Events.DeleteEndpoint(ctx, c.auth(), profile, id) })
	case "test":
		act.Needs = staff.Resend
		var v *webhook.Tested
		err := c.perform(act, func(ctx context.Context) (err error) {
			v, err = s.Events.TestEndpoint(ctx, c.auth(), profile, id)
			return err
		})
		if err != nil {
			return nil, err
		}
		d, err := s.endpointPage(c, nil, c.sentBlock(v.Attempt, v.Body))
		return show(d), err
	case "again":
		last, err := s.lastEvent(c.Context(), c.auth(), profile, id)
		if err != nil {
			return nil, err
		}
		if last == "" {
			return here, nil
		}
		act.Needs, act.Target = staff.Resend, last
		var at *webhook.AttemptView
		err = c.perform(act, func(ctx context.Context) (err error) {
			at, err = s.Events.Redeliver(ctx, c.auth(), last, id)
			return err
		})
		if err != nil {
			return nil, err
		}
		d, err := s.endpointPage(c, nil, c.sentBlock(at.Attempt, at.Body))
		return show(d), err
	}
	return nil, fault.NotFound("Page")
}

// sentBlock says what an endpoint answered to an event.
func (c *call) sentBlock(a *webhook.Attempt, sent []byte) Block {
	b := Block{Tone: "good", Heading: "The endpoint took the event", Text: []string{"The endpoint took the event within " + shortly(a.Took) + "."}}
	if a.Failure != "" {
		b.Tone, b.Heading, b.Text = "bad", "The endpoint did not take the event", []string{strings.ToUpper(a.Failure[:1]) + a.Failure[1:] + "."}
	}
	if a.Status != 0 {
		b.Facts = []Named{fact("Status", Cell{Text: strconv.Itoa(a.Status) + " " + http.StatusText(a.Status)})}
	}
	b.Folds = []Fold{{"What was sent", c.shownBody(string(sent))}}
	if a.Answer != nil && a.Answer.Body != "" {
		b.Folds = append(b.Folds, Fold{"What came back", c.shownBody(a.Answer.Body)})
	}
	return b
}
