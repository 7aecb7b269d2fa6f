package router

import (
	"bytes"
	"context"
	"io"
	"mime"
	"mime/multipart"
	"slices"
	"strconv"

	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/risk"
)

// riskAdmin are the engine's use cases of the block list. *engine.Engine implements them.
type riskAdmin interface {
	Block(ctx context.Context, a account.Auth, t risk.Type, data string) (*risk.Entry, error)
	Unblock(ctx context.Context, a account.Auth, t risk.Type, data string) (*risk.Entry, error)
	BlockList(ctx context.Context, a account.Auth, kind risk.Kind, limit, offset int) ([]*risk.Entry, int, error)
	ToggleBlocklist(ctx context.Context, a account.Auth, on bool) error
	BlockFile(ctx context.Context, a account.Auth, file []byte) (*risk.Job, error)
	BlockJob(ctx context.Context, a account.Auth, id string) (*risk.Job, error)
	BlockJobs(ctx context.Context, a account.Auth, limit, offset int) ([]*risk.Job, int, error)
	Eligible(ctx context.Context, a account.Auth, paymentID string, in risk.EligibilityInput) (string, error)
	Switch(ctx context.Context, merchantID, prefix string) (string, error)
	CreateIssuer(ctx context.Context, name string) (*risk.Issuer, error)
	UpdateIssuer(ctx context.Context, id, name string) (*risk.Issuer, error)
	DeleteIssuer(ctx context.Context, id string) error
	Issuers(ctx context.Context, prefix string, limit int) ([]*risk.Issuer, error)
}

// riskRoutes returns the routes of the block list and of eligibility.
func (s *Server) riskRoutes() []route {
	return []route{
		{method: "POST", pattern: "/blocklist", who: secretField, handle: s.block},
		{method: "DELETE", pattern: "/blocklist", who: secretField, handle: s.unblock, body: maxBlockBody},
		{method: "GET", pattern: "/blocklist", who: either, handle: s.listBlocked},
		{method: "POST", pattern: "/payments/{payment_id}/eligibility", who: either, handle: s.eligibility(true)},
		{method: "POST", pattern: "/payments/{payment_id}/eligibility_check", who: either, handle: s.eligibility(false)},
		{method: "POST", pattern: "/blocklist/toggle", who: secretField, handle: s.toggleBlocklist},
		{method: "POST", pattern: "/blocklist/batch", who: secretField, handle: s.blockFile, body: risk.MaxFile + maxFrame},
		{method: "GET", pattern: "/blocklist/batch", who: secretField, handle: s.listBlockJobs},
		{method: "GET", pattern: "/blocklist/batch/{job_id}", who: secretField, handle: s.retrieveBlockJob},
		{method: "POST", pattern: issuersPath, who: admin, handle: s.createIssuer},
		{method: "GET", pattern: issuersPath, who: secretField, handle: s.listIssuers},
		{method: "PUT", pattern: issuersPath + "/{issuer_id}", who: admin, handle: s.updateIssuer},
		{method: "DELETE", pattern: issuersPath + "/{issuer_id}", who: admin, handle: s.deleteIssuer},
	}
}

const (
	maxBlockBody = 32 << 10
	maxFrame     = 64 << 10 // of a multipart body around its file
	maxJobs      = 100      // in one list
)

// blockRequest is the body of a change of the block list.
type blockRequest struct {
	kind risk.Type
	data string
}

var blockFields = openObject(
	must(at("type", oneOf(risk.Types), func(b *blockRequest) *risk.Type { return &b.kind })),
	must(at("data", text, func(b *blockRequest) *string { return &b.data })),
)

func (s *Server) block(c *call) (answer, error) {
	var in blockRequest
	if err := decode(c, blockFields, &in); err != nil {
		return answer{}, err
	}
	return entryAnswer(s.Admin.Block(c.ctx(), c.auth, in.kind, in.data))
}

func (s *Server) unblock(c *call) (answer, error) {
	var in blockRequest
	if err := decode(c, blockFields, &in); err != nil {
		return answer{}, err
	}
	return entryAnswer(s.Admin.Unblock(c.ctx(), c.auth, in.kind, in.data))
}

func entryAnswer(e *risk.Entry, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	w := new(writer)
	writeBlocked(w, e)
	return w.answer(), nil
}

func writeBlocked(w *writer, e *risk.Entry) {
	w.open().str("fingerprint_id", e.Data).str("data_kind", string(e.Kind)).time("created_at", e.CreatedAt).close()
}

// listBlocked lists what the merchant does not accept. A payer's client may ask, too: with its payment's secret.
func (s *Server) listBlocked(c *call) (answer, error) {
	q := c.query()
	kind := risk.Kind(q.text("data_kind"))
	if kind == "" {
		q.fail("data_kind", "missing field `data_kind`", fault.ChoiceHint("", textsOf(risk.Kinds)))
	} else if !slices.Contains(risk.Kinds, kind) {
		q.fail("data_kind", "unknown variant `"+shownText([]byte(kind))+"`, expected "+oneOfText(textsOf(risk.Kinds)), fault.ChoiceHint(string(kind), textsOf(risk.Kinds)))
	}
	limit, offset := q.page(10, 65535)
	if q.err != nil {
		return answer{}, q.err
	}
	if c.auth.Publishable {
		if _, err := s.paymentBySecret(c, c.auth); err != nil {
			return answer{}, err
		}
	}
	list, total, err := s.Admin.BlockList(c.ctx(), c.auth, kind, limit, offset)
	if err != nil {
		return answer{}, err
	}
	w := new(writer).open().int("count", int64(len(list))).int("total_count", int64(total)).key("data")
	return listOfAnswers(w, list, writeBlocked).close().answer(), nil
}

// page reads limit and offset.
func (q *query) page(limit, most int64) (int, int) {
	n, given := q.int("limit")
	if !given {
		n = limit
	}
	offset, _ := q.int("offset")
	if n < 0 || n > most {
		q.fail("limit", "limit must be from 0 to "+strconv.FormatInt(most, 10), "Send a whole number from 0 to "+strconv.FormatInt(most, 10)+".")
	}
	if offset < 0 || offset > 65535 {
		q.fail("offset", "offset must be from 0 to 65535", "Send a whole number from 0 to 65535.")
	}
	return int(n), int(offset)
}

func (s *Server) toggleBlocklist(c *call) (answer, error) {
	q := c.query()
	if !q.has("status") {
		q.fail("status", "missing field `status`", "Send true or false.")
	}
	on := q.bool("status")
	if q.err != nil {
		return answer{}, q.err
	}
	if err := s.Admin.ToggleBlocklist(c.ctx(), c.auth, on); err != nil {
		return answer{}, err
	}
	status := "disabled"
	if on {
		status = "enabled"
	}
	return new(writer).open().str("blocklist_guard_status", status).close().answer(), nil
}

// blockFile reads a multipart body and takes the CSV of its field file.
func (s *Server) blockFile(c *call) (answer, error) {
	file, err := formFile(c, "file")
	if err != nil {
		return answer{}, err
	}
	if len(file) > risk.MaxFile {
		return answer{}, tooLarge(risk.MaxFile)
	}
	j, err := s.Admin.BlockFile(c.ctx(), c.auth, file)
	if err != nil {
		return answer{}, err
	}
	return new(writer).open().str("job_id", j.ID).int("total_rows", int64(j.Total)).str("status", string(j.Status)).close().answer(), nil
}

// formFile returns the bytes of one field of a multipart body.
func formFile(c *call, name string) ([]byte, error) {
	media, params, err := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	if err != nil || media != "multipart/form-data" || params["boundary"] == "" {
		return nil, fault.Malformed("Content-Type", "the request needs the header Content-Type: multipart/form-data with a boundary").WithHint("Send Content-Type: multipart/form-data with a boundary.")
	}
	form := multipart.NewReader(bytes.NewReader(c.body), params["boundary"])
	for {
		part, err := form.NextPart()
		if err == io.EOF {
			return nil, fault.Malformed(name, "missing field `"+name+"`").WithHint("Add the part to the form.")
		}
		if err != nil {
			return nil, fault.Malformed(name, "the multipart body cannot be read").WithHint("Send each part whole.")
		}
		if part.FormName() != name {
			continue
		}
		b, err := io.ReadAll(part)
		if err != nil {
			return nil, fault.Malformed(name, "the multipart body cannot be read").WithHint("Send each part whole.")
		}
		return b, nil
	}
}

func (s *Server) retrieveBlockJob(c *call) (answer, error) {
	j, err := s.Admin.BlockJob(c.ctx(), c.auth, c.param("job_id"))
	if err != nil {
		return answer{}, err
	}
	w := new(writer)
	writeBlockJob(w, j)
	return w.answer(), nil
}

func (s *Server) listBlockJobs(c *call) (answer, error) {
	q := c.query()
	limit, offset := q.page(10, maxJobs)
	if q.err != nil {
		return answer{}, q.err
	}
	list, total, err := s.Admin.BlockJobs(c.ctx(), c.auth, limit, offset)
	if err != nil {
		return answer{}, err
	}
	w := new(writer).open().int("count", int64(len(list))).int("total_count", int64(total)).key("data")
	return listOfAnswers(w, list, writeBlockJob).close().answer(), nil
}

func writeBlockJob(w *writer, j *risk.Job) {
	w.open().str("job_id", j.ID).str("merchant_id", j.MerchantID).str("status", string(j.Status)).int("total_rows", int64(j.Total))
	w.int("succeeded_rows", int64(j.Succeeded)).int("failed_rows", int64(j.Failed)).time("created_at", j.CreatedAt).time("updated_at", j.ModifiedAt).close()
}
