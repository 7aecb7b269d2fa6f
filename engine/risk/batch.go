package risk

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/fault"
	"payswitch/engine/ids"
)

// Limits of a file of entries.
const (
	MaxFile     = 5 << 20 // bytes
	maxRows     = 100_000
	maxMetadata = 1024 // bytes of a row's metadata
	// partRows is how many entries one transaction adds, so that other writers wait for a few milliseconds.
	partRows = 500
)

// header is the first line of a file.
var header = []string{"type", "data", "metadata"}

// line is an entry of a Part in its stored form.
type line struct {
	Kind     Kind   `json:"k"`
	Data     string `json:"d"`
	Metadata string `json:"m,omitempty"`
}

// rowError is the message about the first bad row of a file.
type rowError struct {
	Row    int    `json:"row_index"` // from 0, without the header
	Kind   string `json:"data_kind"`
	Data   string `json:"data"`
	Reason string `json:"reason"`
}

// BlockFile reads a CSV file of entries and stores them as a job. RunJobs adds them soon. One bad row refuses the whole file. Errors: IR_06 (422).
func (s *Risk) BlockFile(ctx context.Context, a account.Auth, file []byte) (*Job, error) {
	list, err := readFile(file)
	if err != nil {
		return nil, err
	}
	j := &Job{MerchantID: a.MerchantID, ID: ids.New("blkbatch_"), Status: JobInitiated, Total: len(list)}
	err = s.Store.Update(ctx, func(tx Tx) error {
		j.CreatedAt, j.ModifiedAt, j.Parts = tx.Now(), tx.Now(), 0
		for part := range slices.Chunk(list, partRows) {
			text, err := json.Marshal(part)
			if err != nil {
				return fault.Internal(err, "encode entries")
			}
			if err := tx.InsertBlockPart(&Part{MerchantID: j.MerchantID, JobID: j.ID, Number: j.Parts, Entries: string(text), CreatedAt: tx.Now()}); err != nil {
				return err
			}
			j.Parts++
		}
		return tx.InsertBlockJob(j)
	})
	return j, fault.FromStore(err, "store a file of the block list")
}

// readFile reads and checks all rows. A byte order mark, blank lines and spaces around cells do no harm.
func readFile(file []byte) ([]line, error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(file, []byte("\ufeff"))))
	r.FieldsPerRecord, r.ReuseRecord, r.TrimLeadingSpace = -1, true, true
	first, err := r.Read()
	if err == nil {
		for i := range first {
			first[i] = strings.ToLower(strings.TrimSpace(first[i]))
		}
	}
	if errors.Is(err, io.EOF) {
		return nil, noRows()
	}
	if err != nil || !slices.Equal(first, header) {
		return nil, fault.Unprocessable("file", "CSV must begin with the header type,data,metadata").WithHint("Put type,data,metadata in the first line.")
	}
	var list []line
	var bad error
	n := 0
	for ; ; n++ {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fault.Unprocessable("file", (&rowError{Row: n, Reason: "the row is no CSV: " + reasonOf(err)}).text()).WithHint("Mend the row, and send the file again.")
		}
		if bad != nil || n >= maxRows { // the count of rows is part of the message
			continue
		}
		l, err := readRow(n, record)
		if err != nil {
			bad = err
			continue
		}
		list = append(list, l)
	}
	switch {
	case n > maxRows:
		return nil, fault.Unprocessable("file", fmt.Sprintf("CSV exceeds maximum allowed rows (%d); got %d", maxRows, n)).WithHint("Split the file.")
	case bad != nil:
		return nil, bad
	case n == 0:
		return nil, noRows()
	}
	return list, nil
}

func noRows() *fault.Error {
	return fault.Unprocessable("file", "CSV must contain at least one valid data row").WithHint("Add a row.")
}

// reasonOf returns the cause of a CSV error without the text of the file.
func reasonOf(err error) string {
	if p := (*csv.ParseError)(nil); errors.As(err, &p) {
		return p.Err.Error()
	}
	return "it cannot be read"
}

// text returns the error as JSON. It shows no card number.
func (e *rowError) text() string {
	e.Data = card.MaskCards(e.Data)
	if len(e.Data) > maxData {
		e.Data = strings.ToValidUTF8(e.Data[:maxData], "")
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		return e.Reason
	}
	return strings.TrimSpace(b.String())
}

// readRow checks one row.
func readRow(n int, record []string) (line, error) {
	cell := func(i int) string {
		if i >= len(record) {
			return ""
		}
		return strings.TrimSpace(record[i])
	}
	kind, data, metadata := cell(0), cell(1), cell(2)
	e := &rowError{Row: n, Kind: kind, Data: data}
	if slices.Contains(Types, Type(kind)) {
		known, _ := kindOf(Type(kind))
		e.Kind = string(known)
	}
	refuse := func(reason string) (line, error) {
		e.Reason = reason
		return line{}, fault.Unprocessable("file", e.text()).WithHint("Mend the row, and send the file again.")
	}
	switch {
	case len(record) > len(header):
		return refuse(fmt.Sprintf("the row has %d columns; the header has %d", len(record), len(header)))
	case !slices.Contains(Types, Type(kind)):
		if len(kind) > maxData {
			e.Kind = ""
		}
		e.Kind = card.MaskCards(e.Kind)
		return refuse("unknown type; expected card_bin, extended_card_bin or fingerprint")
	case data == "":
		return refuse("data is empty")
	}
	if err := checkData(Type(kind), data); err != nil {
		return refuse(err.Message)
	}
	if reason := checkMetadata(metadata); reason != "" {
		return refuse(reason)
	}
	return line{Kind(strings.Clone(e.Kind)), strings.Clone(data), strings.Clone(metadata)}, nil
}

// checkMetadata returns what is wrong with the metadata k=v;k=v of a row, "" for nothing.
func checkMetadata(text string) string {
	if text == "" {
		return ""
	}
	if len(text) > maxMetadata {
		return fmt.Sprintf("metadata must be at most %d characters long. Received %d characters", maxMetadata, len(text))
	}
	if card.HoldsCard(text) {
		return "metadata holds a card number"
	}
	if strings.ContainsRune(text, 0) {
		return "metadata has a control character"
	}
	for pair := range strings.SplitSeq(strings.TrimSuffix(text, ";"), ";") {
		if key, _, found := strings.Cut(pair, "="); !found || strings.TrimSpace(key) == "" {
			return "metadata must have the form key=value;key=value"
		}
	}
	return ""
}

// BlockJob reads a job. Errors: IR_37.
func (s *Risk) BlockJob(ctx context.Context, a account.Auth, id string) (j *Job, err error) {
	err = s.Store.View(ctx, func(r Reader) (err error) {
		j, err = r.BlockJob(a.MerchantID, id)
		return fault.IfMissing(err, &fault.Error{Kind: fault.KindNotFound, Code: "IR_37", Message: "Batch blocklist job `" + id + "` not found", Param: "job_id", Hint: fault.CheckID})
	})
	return j, fault.FromStore(err, "read a block list job")
}

// BlockJobs lists jobs, the newest first, and counts all of them.
func (s *Risk) BlockJobs(ctx context.Context, a account.Auth, limit, offset int) (list []*Job, total int, err error) {
	err = s.Store.View(ctx, func(r Reader) (err error) {
		if total, err = r.CountBlockJobs(a.MerchantID); err != nil {
			return err
		}
		list, err = r.BlockJobs(a.MerchantID, limit, offset)
		return err
	})
	return list, total, fault.FromStore(err, "list block list jobs")
}

// RunJobs adds the entries of all jobs, one part in each transaction. Two nodes may run it: a part is added once. It returns when no part is left, and
// at the end of ctx.
func (s *Risk) RunJobs(ctx context.Context) error {
	for ctx.Err() == nil {
		var parts []*Part
		// An altered row is left out of the list: it must not stop the jobs of others.
		if err := s.Store.View(ctx, func(r Reader) (err error) { parts, err = r.BlockParts(16); return err }); len(parts) == 0 {
			return err
		}
		err := s.Store.Update(ctx, func(tx Tx) error { return runPart(tx, parts[0]) })
		s.known.changed()
		if err != nil && !errors.Is(err, fault.ErrNotFound) { // another node was faster
			return err
		}
	}
	return ctx.Err()
}

// runPart adds the entries of a part. An entry that exists already stays as it is, and counts as added.
func runPart(tx Tx, p *Part) error {
	j, err := tx.BlockJob(p.MerchantID, p.JobID)
	if err != nil {
		return err
	}
	if err := tx.DeleteBlockPart(p.MerchantID, p.JobID, p.Number); err != nil {
		return err
	}
	var list []line
	if err := json.Unmarshal([]byte(p.Entries), &list); err != nil {
		return fmt.Errorf("read entries of %s: %w", p.JobID, err)
	}
	for _, l := range list {
		if err := tx.AddBlocked(&Entry{MerchantID: p.MerchantID, Data: l.Data, Kind: l.Kind, Metadata: l.Metadata, CreatedAt: tx.Now()}); err != nil {
			return err
		}
	}
	j.Succeeded, j.Parts, j.Status, j.ModifiedAt = j.Succeeded+len(list), j.Parts-1, JobProcessing, tx.Now().Truncate(time.Millisecond)
	if j.Parts == 0 {
		j.Status = JobCompleted
	}
	return tx.UpdateBlockJob(j)
}
