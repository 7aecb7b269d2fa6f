package dashboard

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"payswitch/engine/account"
	"payswitch/engine/dispute"
	"payswitch/engine/disputed"
	"payswitch/engine/fault"
	"payswitch/engine/request"
	"payswitch/engine/staff"
	"payswitch/router"
	"payswitch/sdk"
)

// disputing is what the page of a dispute needs of the engine.
type disputing interface {
	DisputeWithAnswers(ctx context.Context, auth account.Auth, id string) (*disputed.Record, *dispute.Answers, error)
	RetrieveDispute(ctx context.Context, auth account.Auth, id string, forceSync bool) (*disputed.Record, error)
	AcceptDispute(ctx context.Context, auth account.Auth, in *request.AcceptInput) (*disputed.Record, error)
	SubmitEvidence(ctx context.Context, auth account.Auth, in *request.EvidenceInput) (*disputed.Record, error)
	AttachEvidence(ctx context.Context, auth account.Auth, in *request.EvidenceFileInput) (id string, err error)
	DeleteEvidence(ctx context.Context, auth account.Auth, id string, kind sdk.EvidenceType) error
}

// Bounds of posted forms, in bytes. A file may be larger than the API takes, so that the page can say so.
const (
	maxEvidence = 1 << 20
	maxUpload   = 4 << 20
)

// disputeForm names the form of a dispute's page that was refused, and why.
type disputeForm struct {
	name    string // accept, evidence or files
	problem error
}

func (s *Server) dispute(c *call) (response, error) {
	d, err := s.disputePage(c, disputeForm{})
	if err != nil {
		return nil, err
	}
	return show(d), nil
}

func (s *Server) disputePage(c *call, sent disputeForm) (*document, error) {
	ctx, end := c.reading()
	defer end()
	d, answers, err := s.Engine.DisputeWithAnswers(ctx, c.auth(), c.PathValue("id"))
	if err != nil {
		return nil, err
	}
	return c.disputeOf(d, answers, sent), nil
}

// disputeDid are the words for what a person has just done, by the mark in the address.
var disputeDid = map[string]string{
	"accept":   "The acceptance was sent. The status says what became of it.",
	"evidence": "The answer was sent. The status says what became of it.",
	"files":    "The processor has the file. It goes to the bank with your next answer.",
	"remove":   "The file is no longer part of your answer. The processor may keep it.",
	"ask":      "The processor was asked. The page shows its answer.",
}

// sayDispute returns a sentence about how a dispute stands.
func sayDispute(d *disputed.Record) string {
	amount := Money{d.Amount, d.Currency}.String()
	switch d.Status {
	case sdk.DisputeOpened:
		if d.Stage == sdk.StagePreDispute {
			return "The customer's bank asks about " + amount + ". A refund or a good answer may keep the question from becoming a dispute."
		}
		return "The customer disputes " + amount + " at the bank. Without an answer in time the customer keeps the money."
	case sdk.DisputeChallenged:
		return "You have disputed the claim of " + amount + ". The customer's bank decides."
	case sdk.DisputeAccepted:
		return "The claim of " + amount + " was accepted: the customer keeps the money."
	case sdk.DisputeWon:
		return "The bank decided for you: " + amount + " is yours."
	case sdk.DisputeLost:
		return "The bank decided for the customer, who keeps " + amount + "."
	case sdk.DisputeExpired:
		return "The time for an answer has ended. The customer keeps " + amount + "."
	case sdk.DisputeCancelled:
		return "The bank took the claim of " + amount + " back."
	}
	return "The processor reports a dispute of " + amount + "."
}

func (c *call) disputeOf(d *disputed.Record, answers *dispute.Answers, sent disputeForm) *document {
	here := c.at() + "/disputes/" + d.ID
	doc := &document{Heading: "Dispute of " + Money{d.Amount, d.Currency}.String(), Back: &Link{c.at() + "/disputes", "Disputes"}, Lead: sayDispute(d)}
	if done := disputeDid[c.URL.Query().Get("did")]; done != "" {
		doc.add(Block{Tone: "good", Text: []string{done}})
	}
	doc.add(c.disputeFacts(d, here))
	if d.Details.Refunded {
		doc.add(Block{Tone: "wait", Heading: "The money was refunded before", Text: []string{
			"The customer got this amount back before the dispute was opened. Answer with the refund as proof: else the customer gets it twice."}})
	}
	if a := d.Details.Answer; a != nil {
		doc.add(c.answerBlock(a))
	}
	if len(d.Details.Files) > 0 {
		doc.add(c.filesBlock(d, here, answers))
	}
	if c.may(staff.AnswerDisputes) {
		doc.add(c.answerForms(d, answers, here, sent)...)
	} else if d.TakesAnswer() {
		doc.add(Block{Text: []string{"Disputes are answered by support or by an admin of this merchant."}})
	}
	return doc
}

func (c *call) disputeFacts(d *disputed.Record, here string) Block {
	state, made := chip(string(d.Status)), c.time(d.CreatedAt)
	b := Block{Facts: []Named{fact("Status", Cell{Chip: &state, Note: either(d.Details.ConnectorStatus == "" || d.Details.ConnectorStatus == string(d.Status), "",
		"the processor's word: "+d.Details.ConnectorStatus)}), fact("Stage", Cell{Text: words(string(d.Stage))})}}
	if reason := strings.TrimSpace(d.Details.Reason + " " + d.Details.ReasonCode); reason != "" {
		b.Facts = append(b.Facts, fact("Reason", Cell{Text: reason}))
	}
	if until := d.Details.RespondBy; !until.IsZero() {
		at, note := c.time(until), ""
		if c.late(d) {
			note = "this time has passed"
		} else if d.Status == sdk.DisputeOpened {
			note = "in " + shortly(until.Sub(c.server.Now()))
		}
		b.Facts = append(b.Facts, fact("Answer until", Cell{Time: &at, Note: note}))
	}
	b.Facts = append(b.Facts, fact("Payment", linked(d.PaymentID, c.at()+"/payments/"+d.PaymentID)), fact("Processor", Cell{Text: c.server.connectorName(d.Connector)}),
		fact("Processor's id", ident(d.ProcessorID)), fact("Dispute", ident(d.ID)), fact("Reported", Cell{Time: &made}))
	if d.MayMove() {
		b.Forms = []Form{{Action: here + "/ask", Submit: "Ask the processor now"}}
	}
	return b
}

// late reports whether a dispute waits for an answer whose time has passed.
func (c *call) late(d *disputed.Record) bool {
	return d.Status == sdk.DisputeOpened && !d.Details.RespondBy.IsZero() && !d.Details.RespondBy.After(c.server.Now())
}

// answerBlock shows the latest answer.
func (c *call) answerBlock(a *disputed.Answer) Block {
	at := c.time(a.At)
	b := Block{Heading: "Your latest answer", Facts: []Named{fact("Answer", Cell{Text: either(a.Kind == sdk.OpAcceptDispute, "accepted", "disputed, with evidence")}), fact("Sent", Cell{Time: &at})}}
	switch a.Status {
	case disputed.AnswerProcessing:
		b.Tone, b.Chip = "doubt", &Chip{"unknown", "doubt", marks["doubt"]}
		b.Text = []string{"The processor has not said yet whether it took the answer. payswitch asks until it is known: do not answer at the processor as well."}
	case disputed.AnswerDone:
		b.Chip = &Chip{"taken", "good", marks["good"]}
	case disputed.AnswerFailed:
		b.Tone, b.Chip = "bad", &Chip{"refused", "bad", marks["bad"]}
		b.Facts = append(b.Facts, fact("In the processor's words", Cell{Text: strings.TrimPrefix(a.ErrorCode+": "+a.ErrorText, ": ")}))
	}
	return b
}

// filesBlock lists the files of the next answer.
func (c *call) filesBlock(d *disputed.Record, here string, answers *dispute.Answers) Block {
	t := &Table{Caption: "Files of the answer", Columns: columns("What it shows", "File", "Size", "Attached")}
	remove := c.may(staff.AnswerDisputes) && answers.Attach == ""
	if remove {
		t.Columns = append(t.Columns, Column{Name: "Change"})
	}
	for _, f := range d.Details.Files {
		at := c.time(f.At)
		row := Row{Cells: []Cell{{Text: words(string(f.Type))}, {Text: f.Name}, {Text: sdk.Decimal(int64(max(1, f.Size>>10)), 0) + "\u00a0KiB"}, {Time: &at}}}
		if remove {
			row.Cells = append(row.Cells, Cell{Form: &Form{Action: here + "/files/remove", Submit: "Remove", Fields: []Field{hidden("evidence_type", string(f.Type))}}})
		}
		t.Rows = append(t.Rows, row)
	}
	return Block{Bare: true, Heading: "Attached files", Table: t}
}

// evidenceTexts are the texts of an answer, in the order in which people need them, with their labels.
var evidenceTexts = [][2]string{{"uncategorized_text", "What happened, in your own words"}, {"product_description", "What the customer bought"}, {"customer_name", "Customer's name"},
	{"customer_email_address", "Customer's e-mail address"}, {"customer_purchase_ip", "IP address of the purchase"}, {"billing_address", "Billing address"},
	{"shipping_address", "Shipping address"}, {"shipping_carrier", "Carrier"}, {"shipping_date", "Shipped on"}, {"shipping_tracking_number", "Tracking number"},
	{"service_date", "Service rendered on"}, {"access_activity_log", "What the customer used or opened, and when"}, {"refund_policy_disclosure", "How the customer was shown the refund policy"},
	{"refund_refusal_explanation", "Why a refund was refused"}, {"cancellation_policy_disclosure", "How the customer was shown the cancellation policy"},
	{"cancellation_rebuttal", "Why the purchase was not cancelled"}}

// short are the texts that fit into one line.
var short = map[string]bool{"customer_name": true, "customer_email_address": true, "customer_purchase_ip": true, "shipping_carrier": true, "shipping_date": true,
	"shipping_tracking_number": true, "service_date": true}

// answerForms returns the forms of the answers that the engine allows now, or why it allows none.
func (c *call) answerForms(d *disputed.Record, answers *dispute.Answers, here string, sent disputeForm) (out []Block) {
	refill := func(f Form, name string) Form {
		if sent.name == name {
			c.refill(&f, sent.problem)
		}
		return f
	}
	name := c.server.connectorName(d.Connector)
	var same []Fold // the answers as commands
	if answers.Attach == "" {
		var kinds []Option
		for _, kind := range sdk.EvidenceTypes() {
			kinds = append(kinds, Option{Value: string(kind), Text: words(string(kind))})
		}
		out = append(out, Block{ID: "files", Heading: "Attach files", Text: []string{name + " gets each file at once, and the bank gets it with your answer. A file takes the place of an earlier one that shows the same."},
			Forms: []Form{refill(Form{ID: "file-", Action: here + "/files", File: true, Submit: "Attach the file", Fields: []Field{
				{Name: "evidence_type", Label: "What the file shows", Kind: "select", Options: kinds},
				{Name: "file", Label: "File", Kind: "file", Required: true, Accept: strings.Join(request.EvidenceContents, ","), Hint: "A PDF, a JPEG or a PNG of at most 640 KiB."}}}, "files")}})
		same = append(same, Fold{"Attach a file with curl", "curl -X PUT " + c.server.opts.APIURL + "/disputes/evidence -H 'api-key: YOUR_KEY' \\\n  -F dispute_id=" + d.ID +
			" -F evidence_type=receipt -F 'file=@receipt.pdf;type=application/pdf'"})
	}
	if answers.Submit == "" {
		f := Form{ID: "evidence-", Fold: "Answer with evidence", Action: here + "/evidence", Submit: "Send the answer", Tone: "go", Fields: []Field{hidden("key", rand.Text())},
			Text: name + " gives these texts and the attached files to the customer's bank, which decides. Many banks read one answer alone: send everything at once."}
		for _, t := range evidenceTexts {
			f.Fields = append(f.Fields, Field{Name: t[0], Label: t[1], Kind: either(short[t[0]], "text", "textarea"), Max: 20_000, Autocomplete: "off"})
		}
		out = append(out, Block{ID: "evidence", Heading: "Dispute the claim", Forms: []Form{refill(f, "evidence")}})
		same = append(same, Fold{"Answer with curl", c.server.post("/disputes/evidence", `{"dispute_id": "`+d.ID+`", "uncategorized_text": "The customer has the goods."}`)})
	}
	if answers.Accept == "" {
		out = append(out, Block{ID: "accept", Heading: "Give in", Forms: []Form{refill(Form{ID: "accept-", Fold: "Accept the dispute", Action: here + "/accept", Submit: "Accept: the customer keeps " +
			Money{d.Amount, d.Currency}.String(), Tone: "danger", Fields: []Field{hidden("key", rand.Text())},
			Text: "The customer keeps " + Money{d.Amount, d.Currency}.String() + ", and the dispute ends. This cannot be taken back. Refund nothing besides: the customer would get the money twice."}, "accept")}})
		same = append(same, Fold{"Accept with curl", c.server.post("/disputes/accept/"+d.ID, "")})
	}
	if len(out) == 0 && d.TakesAnswer() && !d.Answering() {
		out = append(out, Block{Heading: "No answer is possible from here now", Text: []string{strings.ToUpper(answers.Submit[:1]) + answers.Submit[1:] + "."}})
	}
	if len(same) > 0 {
		out = append(out, Block{Bare: true, Folds: same})
	}
	return out
}

// post returns a request of the API as a command.
func (s *Server) post(path, body string) string {
	text := "curl -X POST " + s.opts.APIURL + path + " -H 'api-key: YOUR_KEY'"
	if body != "" {
		text += " \\\n  -H 'Content-Type: application/json' -d '" + body + "'"
	}
	return text
}

// refusedForm answers with the page of the dispute, with the problem at the form that was sent. An error of payswitch itself goes on to the page of errors.
func (s *Server) refusedForm(c *call, name string, problem error) (response, error) {
	var known *fault.Error
	if !errors.As(problem, &known) || known.Kind == fault.KindInternal || known.Kind == fault.KindNotFound {
		return nil, problem
	}
	d, err := s.disputePage(c, disputeForm{name, problem})
	return shown{http.StatusUnprocessableEntity, d}, err
}

// disputeAct returns what a person does about a dispute, as the audit has it.
func disputeAct(name, id string, details map[string]string) Act {
	return Act{Needs: staff.AnswerDisputes, Action: "dispute." + name, Target: id, Details: details}
}

// answered performs an answer to a dispute, once for the key of a form.
func (s *Server) answered(c *call, name string, details map[string]string, do func(ctx context.Context, auth account.Auth) error) (response, error) {
	id := c.PathValue("id")
	about := []string{c.URL.Path}
	for _, field := range slices.Sorted(maps.Keys(c.PostForm)) {
		about = append(about, field, c.PostForm.Get(field))
	}
	done := seeOther(c.at() + "/disputes/" + id + "?did=" + name)
	if _, err := c.once(done, about, func(auth account.Auth) error {
		return c.perform(disputeAct(name, id, details), func(ctx context.Context) error { return do(ctx, auth) })
	}); err != nil {
		return s.refusedForm(c, name, err)
	}
	return done, nil
}

// acceptDispute gives a dispute up. It gives money away, so that the limit of refunds binds it.
func (s *Server) acceptDispute(c *call) (response, error) {
	if err := c.form(); err != nil {
		return nil, err
	}
	d, err := s.Engine.RetrieveDispute(c.Context(), c.auth(), c.PathValue("id"), false)
	if err != nil {
		return nil, err
	}
	v, err := s.Engine.RetrievePayment(c.Context(), c.auth(), d.PaymentID, request.RetrieveInput{})
	if err != nil {
		return nil, err
	}
	moved := sdk.Money{Minor: d.Amount, Currency: d.Currency}
	if d.Currency == v.Payment.Currency { // all that is given back of a payment counts together
		moved.Minor += v.Payment.Refunded + v.Payment.GivenUp(d.AttemptID, d.ProcessorID)
	}
	switch c.Session.MayMove(c.Merchant.ID, moved, s.opts.Live, s.Now()) {
	case staff.Refused:
		return s.refusedForm(c, "accept", aboveRole(moved.Minor > d.Amount))
	case staff.StepUp:
		return nil, &needsStepUp{c.URL.Path}
	}
	in := &request.AcceptInput{DisputeID: d.ID} // a refund that was decided after this request has read the payment counts as well
	if most, bounded := c.Session.Bound(c.Merchant.ID, d.Currency, s.opts.Live, s.Now()); bounded {
		in.Most = &most
	}
	return s.answered(c, "accept", map[string]string{"amount": Money{d.Amount, d.Currency}.String(), "payment_id": d.PaymentID}, func(ctx context.Context, auth account.Auth) error {
		_, err := s.Engine.AcceptDispute(ctx, auth, in)
		if errors.Is(err, request.ErrAboveMost) {
			return aboveRole(true)
		}
		return err
	})
}

// aboveRole refuses to give an amount back; together with what the payment gave back before, or alone.
func aboveRole(together bool) error {
	return fault.Unprocessable("amount", either(together, "Together with what this payment gave back before, the amount", "This amount")+" is above the limit of your role. Ask an administrator")
}

// submitEvidence answers a dispute with the texts of the form, and all attached files.
func (s *Server) submitEvidence(c *call) (response, error) {
	if err := c.form(); err != nil {
		return nil, err
	}
	values := map[string]any{"dispute_id": c.PathValue("id")}
	for _, name := range sdk.EvidenceTexts() {
		if text := strings.TrimSpace(c.PostForm.Get(name)); text != "" {
			values[name] = text
		}
	}
	in, err := router.ParseEvidence(body(values))
	if err != nil {
		return s.refusedForm(c, "evidence", err)
	}
	return s.answered(c, "evidence", map[string]string{"texts": plural(len(in.Texts), "text", "texts")}, func(ctx context.Context, auth account.Auth) error {
		_, err := s.Engine.SubmitEvidence(ctx, auth, in)
		return err
	})
}

// attachEvidence gives a file to the processor.
func (s *Server) attachEvidence(c *call) (response, error) {
	in := &request.EvidenceFileInput{DisputeID: c.PathValue("id")}
	err := c.upload(func(name, contentType string, content []byte) {
		in.Name, in.ContentType, in.Body = name, contentType, content
	})
	if err == nil {
		err = router.CheckEvidenceFile(in, c.PostFormValue("evidence_type"))
	}
	if err == nil {
		err = c.perform(disputeAct("attach", in.DisputeID, map[string]string{"file": in.Name, "shows": string(in.Type)}), func(ctx context.Context) error {
			_, err := s.Engine.AttachEvidence(ctx, c.auth(), in)
			return err
		})
	}
	if err != nil {
		return s.refusedForm(c, "files", err)
	}
	return seeOther(c.at() + "/disputes/" + in.DisputeID + "?did=files"), nil
}

// upload reads a form with one file, which has the name file, and calls got with it.
func (c *call) upload(got func(name, contentType string, content []byte)) error {
	err := c.ParseMultipartForm(maxBundleForm)
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return fault.Unprocessable("file", "the file is too large")
	}
	if err != nil {
		return fault.Malformed("file", "the form cannot be read: "+err.Error())
	}
	f, header, err := c.FormFile("file")
	if errors.Is(err, http.ErrMissingFile) {
		return missing("file", "Choose a file")
	}
	if err != nil {
		return fault.Malformed("file", "the file cannot be read")
	}
	defer f.Close()
	content, err := io.ReadAll(f)
	if err != nil {
		return fault.Malformed("file", "the file cannot be read")
	}
	if len(content) == 0 {
		return missing("file", "The file is empty: choose another")
	}
	got(header.Filename, header.Header.Get("Content-Type"), content)
	return nil
}

// removeEvidence takes a file from the next answer.
func (s *Server) removeEvidence(c *call) (response, error) {
	if err := c.form(); err != nil {
		return nil, err
	}
	id, kind := c.PathValue("id"), sdk.EvidenceType(c.PostFormValue("evidence_type"))
	if !slices.Contains(sdk.EvidenceTypes(), kind) {
		return nil, fault.InvalidValue("evidence_type")
	}
	err := c.perform(disputeAct("detach", id, map[string]string{"shows": string(kind)}), func(ctx context.Context) error { return s.Engine.DeleteEvidence(ctx, c.auth(), id, kind) })
	if err != nil {
		return nil, err
	}
	return seeOther(c.at() + "/disputes/" + id + "?did=remove"), nil
}

// askDispute asks the processor how a dispute stands. It may be repeated.
func (s *Server) askDispute(c *call) (response, error) {
	d, err := s.Engine.RetrieveDispute(c.Context(), c.auth(), c.PathValue("id"), true)
	if err != nil {
		return nil, err
	}
	return seeOther(c.at() + "/disputes/" + d.ID + "?did=ask"), nil
}
