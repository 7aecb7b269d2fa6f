package dispute

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/disputed"
	"payswitch/engine/evidence"
	"payswitch/engine/fault"
	"payswitch/engine/ids"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// AttachEvidence gives a file to the dispute's processor, for a later SubmitEvidence. A file of the same type takes the place of an earlier one. payswitch
// keeps the file's name and size, and not its content. A failed upload has changed nothing: the caller may try again.
func (s *Disputes) AttachEvidence(ctx context.Context, auth account.Auth, in *request.EvidenceFileInput) (id string, err error) {
	d, err := s.own(ctx, auth, in.DisputeID)
	if err != nil {
		return "", err
	}
	w, err := s.Changes.Load(ctx, d.MerchantID, d.PaymentID)
	if err != nil {
		return "", err
	}
	w.Dispute = d
	if err := s.mayAnswer(ctx, w, sdk.OpAttachEvidence); err != nil {
		return "", err
	}
	now := s.Changes.Now().UTC().Truncate(time.Millisecond)
	s.Changes.Driver.Begin(&w.Run, sdk.OpAttachEvidence, d.Amount, now)
	w.Unstored, w.Fresh = true, true
	w.Request.Dispute.File = &sdk.EvidenceFile{Type: in.Type, Name: fileName(in.Name), ContentType: in.ContentType, Body: in.Body}
	v := s.Changes.Driver.Drive(ctx, &w.Run)
	s.Changes.Metrics.OperationDone(string(sdk.OpAttachEvidence), w.Operation.Connector, v.Status, w.Took)
	defer s.Changes.Driver.FlushJournal(context.WithoutCancel(ctx), &w.Run)
	if err := refusedFile(v, w); err != nil {
		return "", err
	}
	f := disputed.EvidenceFile{ID: ids.New("file_"), Type: in.Type, Name: in.Name, ContentType: in.ContentType, Size: len(in.Body),
		ProcessorID: sdk.Clip(v.Outcome.EvidenceID, disputed.MaxText), At: now}
	return f.ID, s.change(context.WithoutCancel(ctx), auth, in.DisputeID, func(d *disputed.Record) error { d.Attach(f); return nil })
}

// refusedFile returns the caller's error for an upload that the processor has not confirmed.
func refusedFile(v evidence.Verdict, w *change.Loaded) error {
	e := &fault.Error{Kind: fault.KindInvalid, Code: "CE_08", Message: "Dispute operation failed while processing with connector", Connector: w.Account.Connector}
	switch v.Status {
	case payment.OperationSucceeded:
		return nil
	case payment.OperationRejected:
		e.Param, e.Reason = v.Reject.Parameter, v.Reject.Message
		return e
	case payment.OperationDeclined:
		if r := v.Outcome.Decline; r != nil {
			e.Reason = strings.TrimPrefix(r.Code+": "+r.Message, ": ")
		}
		return e
	}
	return &fault.Error{Kind: fault.KindUnavailable, Code: "HE_00", Message: "The processor has not confirmed the file: attach it again", Connector: w.Account.Connector,
		Err: errors.New(v.Text)}
}

// fileName returns a name that fits into a header of any processor's request.
func fileName(name string) string {
	clean := strings.Map(func(r rune) rune {
		if r == '.' || r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
	if len(clean) > 100 {
		clean = clean[len(clean)-100:]
	}
	return clean
}

// Evidence lists the files that are attached to a dispute, by type.
func (s *Disputes) Evidence(ctx context.Context, auth account.Auth, id string) ([]disputed.EvidenceFile, error) {
	d, err := s.own(ctx, auth, id)
	if err != nil {
		return nil, err
	}
	return d.Details.Files, nil
}

// DeleteEvidence takes a file from the next answer to a dispute. It is no error if there is no file of the type. The processor keeps what it has.
func (s *Disputes) DeleteEvidence(ctx context.Context, auth account.Auth, id string, kind sdk.EvidenceType) error {
	return s.change(ctx, auth, id, func(d *disputed.Record) error {
		if d.Status != sdk.DisputeOpened || d.Answering() {
			return wrongState("files of evidence can be deleted while the dispute is dispute_opened")
		}
		d.Detach(kind)
		return nil
	})
}

// change changes a dispute's record by compare-and-set.
func (s *Disputes) change(ctx context.Context, auth account.Auth, id string, f func(d *disputed.Record) error) error {
	for {
		d, err := s.own(ctx, auth, id)
		if err != nil {
			return err
		}
		if err := f(d); err != nil {
			return err
		}
		d.ModifiedAt = s.Changes.Now().UTC().Truncate(time.Millisecond)
		if err = s.Changes.Commit(ctx, &change.Change{Dispute: d}); !errors.Is(err, fault.ErrConflict) {
			return fault.FromStore(err, "change a dispute")
		}
	}
}

// attached returns the files that an answer hands in: those that it names by id, or all if it names none.
func attached(d *disputed.Record, in *request.EvidenceInput) ([]sdk.AttachedFile, error) {
	var out []sdk.AttachedFile
	for _, f := range d.Details.Files {
		if len(in.Files) == 0 || in.Files[f.Type] == f.ID {
			out = append(out, sdk.AttachedFile{Type: f.Type, ID: f.ProcessorID})
		}
	}
	for kind, id := range in.Files {
		if !slices.ContainsFunc(d.Details.Files, func(f disputed.EvidenceFile) bool { return f.Type == kind && f.ID == id }) {
			return nil, &fault.Error{Kind: fault.KindNotFound, Code: "HE_04", Message: "File does not exist in our records", Param: string(kind), Hint: "Attach the file first, and send the id from the answer."}
		}
	}
	if len(out) == 0 && len(in.Texts) == 0 {
		return nil, fault.Missing("evidence").WithHint("Send a text of evidence, or attach a file with PUT /disputes/evidence.")
	}
	return out, nil
}
