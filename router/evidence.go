package router

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"payswitch/engine/card"
	"payswitch/engine/fault"
	"payswitch/engine/request"
	"payswitch/sdk"
)

func (s *Server) acceptDispute(c *call) (answer, error) {
	return disputeAnswer(s.Payments.AcceptDispute(c.ctx(), c.auth, &request.AcceptInput{DisputeID: c.param("dispute_id")}))
}

// evidenceFields are the fields of an answer with evidence: texts, and ids of attached files.
var evidenceFields = openObject(evidenceTable()...)

func evidenceTable() []field[request.EvidenceInput] {
	table := []field[request.EvidenceInput]{must(at("dispute_id", identifier, func(in *request.EvidenceInput) *string { return &in.DisputeID }))}
	for _, name := range sdk.EvidenceTexts() {
		table = append(table, field[request.EvidenceInput]{key: name, read: func(r *reader, in *request.EvidenceInput) error {
			value, err := text(r)
			if err != nil || value == "" {
				return err
			}
			if in.Texts == nil {
				in.Texts = map[string]string{}
			}
			in.Texts[name] = value
			return nil
		}})
	}
	for _, kind := range sdk.EvidenceTypes() {
		table = append(table, field[request.EvidenceInput]{key: string(kind), read: func(r *reader, in *request.EvidenceInput) error {
			id, err := identifier(r)
			if err != nil || id == "" {
				return err
			}
			if in.Files == nil {
				in.Files = map[sdk.EvidenceType]string{}
			}
			in.Files[kind] = id
			return nil
		}})
	}
	return table
}

func (s *Server) submitEvidence(c *call) (answer, error) {
	in := &request.EvidenceInput{}
	if err := decode(c, evidenceFields, in); err != nil {
		return answer{}, err
	}
	if err := in.Check(); err != nil {
		return answer{}, err
	}
	return disputeAnswer(s.Payments.SubmitEvidence(c.ctx(), c.auth, in))
}

// attachEvidence reads a multipart body: dispute_id, evidence_type and file.
func (s *Server) attachEvidence(c *call) (answer, error) {
	in, err := evidenceFile(c)
	if err != nil {
		return answer{}, err
	}
	id, err := s.Payments.AttachEvidence(c.ctx(), c.auth, in)
	if err != nil {
		return answer{}, err
	}
	return new(writer).open().str("file_id", id).close().answer(), nil
}

// badFile refuses an upload with one of the contract's codes.
func badFile(code, message, param string) error {
	return &fault.Error{Kind: fault.KindInvalid, Code: code, Message: message, Param: param, Hint: "Add the part to the form, with its Content-Type."}
}

func evidenceFile(c *call) (*request.EvidenceFileInput, error) {
	media, params, err := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	if err != nil || media != "multipart/form-data" || params["boundary"] == "" {
		return nil, fault.Malformed("Content-Type", "the request needs the header Content-Type: multipart/form-data with a boundary").WithHint("Send Content-Type: multipart/form-data with a boundary.")
	}
	in, kind := &request.EvidenceFileInput{}, ""
	form := multipart.NewReader(bytes.NewReader(c.body), params["boundary"])
	for {
		part, err := form.NextPart()
		if err == io.EOF {
			break
		}
		var value []byte
		if err == nil {
			value, err = io.ReadAll(part)
		}
		if err != nil {
			return nil, fault.Malformed("file", "the multipart body cannot be read").WithHint("Send each part whole.")
		}
		switch part.FormName() {
		case "dispute_id":
			in.DisputeID = string(value)
		case "evidence_type":
			kind = string(value)
		case "file":
			in.Name, in.Body, in.ContentType = card.MaskCards(part.FileName()), value, contentType(part.Header.Get("Content-Type"))
		}
	}
	return in, checkEvidenceFile(in, kind)
}

// contentType returns the type without its parameters.
func contentType(header string) string {
	media, _, _ := strings.Cut(header, ";")
	return strings.ToLower(strings.TrimSpace(media))
}

func checkEvidenceFile(in *request.EvidenceFileInput, kind string) error {
	switch {
	case in.DisputeID == "":
		return badFile("IR_34", "Dispute id not found in the request", "dispute_id")
	case checkID(in.DisputeID) != nil:
		return fault.InvalidValue("dispute_id").WithHint(idHint)
	case !slices.Contains(sdk.EvidenceTypes(), sdk.EvidenceType(kind)):
		return fault.Malformed("evidence_type", "unknown variant `"+sdk.Clip(card.MaskCards(kind), 40)+"`, expected one of "+strings.Join(textsOf(sdk.EvidenceTypes()), ", ")).WithHint("Send one of the values that the message lists.")
	case len(in.Body) == 0:
		return badFile("IR_33", "File not found in the request", "file")
	case in.ContentType == "":
		return badFile("IR_36", "File content type not found", "file")
	case !slices.Contains(request.EvidenceContents, in.ContentType), http.DetectContentType(in.Body) != in.ContentType:
		return fault.InvalidValue("file").WithHint("Send a PDF, a JPEG or a PNG, and name its type in the part's Content-Type.")
	case len(in.Body) > sdk.MaxEvidenceFile:
		return fault.Unprocessable("file", "the file must have at most "+strconv.Itoa(sdk.MaxEvidenceFile>>10)+" KiB: make it smaller").WithHint("Make the file smaller.")
	case len(in.Name) > 255 || !utf8.ValidString(in.Name) || strings.ContainsFunc(in.Name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return fault.InvalidValue("file").WithHint("Send a file name of at most 255 bytes without control characters.")
	}
	in.Type = sdk.EvidenceType(kind)
	return nil
}

func (s *Server) listEvidence(c *call) (answer, error) {
	list, err := s.Payments.Evidence(c.ctx(), c.auth, c.param("dispute_id"))
	if err != nil {
		return answer{}, err
	}
	w := new(writer).openList()
	for _, f := range list {
		w.open().str("evidence_type", string(f.Type)).key("file_metadata_response").open().str("file_id", f.ID).text("file_name", f.Name)
		w.int("file_size", int64(f.Size)).str("file_type", f.ContentType).bool("available", true).close().close()
	}
	return w.closeList().answer(), nil
}

// evidenceOf is the body of a deletion.
type evidenceOf struct{ id, kind string }

var evidenceOfFields = openObject(
	must(at("dispute_id", identifier, func(e *evidenceOf) *string { return &e.id })),
	must(at("evidence_type", oneOf(textsOf(sdk.EvidenceTypes())), func(e *evidenceOf) *string { return &e.kind })),
)

func (s *Server) deleteEvidence(c *call) (answer, error) {
	var in evidenceOf
	if err := decode(c, evidenceOfFields, &in); err != nil {
		return answer{}, err
	}
	return answer{}, s.Payments.DeleteEvidence(c.ctx(), c.auth, in.id, sdk.EvidenceType(in.kind))
}
