package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"payswitch/engine/drive"
	"payswitch/engine/port"
	"payswitch/plugins"
)

// replayReport is the result of plugin replay, also in its JSON form.
type replayReport struct {
	Plugin    *replayedBuild `json:"plugin,omitempty"` // the build that ran; absent: the recorded builds
	Same      int            `json:"same"`
	Different int            `json:"different"`
	Failed    int            `json:"failed"` // could not be replayed
	// Operations are all drives of one operation, or the drives among many that are not the same, oldest first.
	Operations []*replayedOperation `json:"operations"`

	whole bool // Operations holds every drive
}

type replayedBuild struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	SHA256  string `json:"sha256"`
}

// replayedOperation is one drive of an operation. An operation that was sent again has several.
type replayedOperation struct {
	Operation   string               `json:"operation_id"`
	Payment     string               `json:"payment_id,omitempty"`
	Connector   string               `json:"connector"`
	Kind        string               `json:"kind"`
	At          time.Time            `json:"at"`
	Recorded    string               `json:"recorded_sha256"`
	Replayed    string               `json:"replayed_sha256,omitempty"`
	Result      string               `json:"result"` // same, different, failed
	Error       string               `json:"error,omitempty"`
	Note        string               `json:"note,omitempty"` // a remark about the recording
	Steps       []replayedStep       `json:"steps,omitempty"`
	Differences []plugins.Difference `json:"differences,omitempty"`
}

// replayedStep is the adapter's result of a step, and the processor's answer at the time.
type replayedStep struct {
	Made     string `json:"made"`
	Same     bool   `json:"same"`
	Answer   string `json:"answer,omitempty"`    // HTTP status, or the failure
	AnswerUS int64  `json:"answer_us,omitempty"` // microseconds from the request to the whole answer
}

// Results of a replay.
const (
	replaySame      = "same"
	replayDifferent = "different"
	replayFailed    = "failed"
)

// keptReports limits the operations in a report: a build with one difference usually differs everywhere.
const keptReports = 1000

func (r *replayReport) add(record *drive.JournalRecord, rec *port.Recording, replayed *plugins.Replayed, err error) {
	o := &replayedOperation{Operation: record.OperationID, Payment: record.PaymentID, Connector: record.Connector, Kind: string(record.Kind), At: record.At,
		Recorded: record.AdapterHash}
	switch {
	case err != nil:
		o.Result, o.Error = replayFailed, err.Error()
		r.Failed++
	case replayed.Same():
		o.Result = replaySame
		r.Same++
	default:
		o.Result, o.Differences = replayDifferent, replayed.Differences()
		r.Different++
	}
	if replayed != nil {
		o.Replayed = replayed.Hash
		o.steps(rec, replayed)
	}
	if r.whole || o.Result != replaySame && len(r.Operations) < keptReports {
		r.Operations = append(r.Operations, o)
	}
}

func (o *replayedOperation) steps(rec *port.Recording, replayed *plugins.Replayed) {
	for i := range replayed.Steps {
		s := &replayed.Steps[i]
		step := replayedStep{Made: s.String(), Same: s.Same}
		if i < len(rec.Step.Exchanges) {
			x := &rec.Step.Exchanges[i]
			switch {
			case x.Verified != nil:
				step.Answer = fmt.Sprintf("verified: %v", *x.Verified)
			case x.Failure != "":
				step.Answer = x.Failure
			default:
				step.Answer = fmt.Sprint(x.Status)
			}
			if n := i - rec.Resumed; n >= 0 {
				step.AnswerUS = rec.Steps[n].Exchange.Microseconds()
			}
		}
		o.Steps = append(o.Steps, step)
	}
	var notes []string
	if rec.Altered {
		notes = append(notes, "a secret in the adapter's input was blanked before the input was stored")
	}
	if rec.Error != "" {
		notes = append(notes, "the recorded drive had failed: "+rec.Error)
	}
	o.Note = strings.Join(notes, "; ")
}

// verdict returns the command's error, or nil if every operation was the same.
func (r *replayReport) verdict() error {
	switch all := r.Same + r.Different + r.Failed; {
	case r.Failed > 0:
		return fmt.Errorf("%d of %d could not be replayed", r.Failed, all)
	case r.Different > 0:
		return fmt.Errorf("%d of %d are %w", r.Different, all, errDifferent)
	}
	return nil
}

func (r *replayReport) print(w io.Writer) {
	if r.whole {
		for _, o := range r.Operations {
			o.print(w)
		}
		return
	}
	with := "their own builds"
	if p := r.Plugin; p != nil {
		with = fmt.Sprintf("%s %s (%.12s)", p.Name, p.Version, p.SHA256)
	}
	fmt.Fprintf(w, "%d operations, run again with %s:\n", r.Same+r.Different+r.Failed, with)
	fmt.Fprintf(w, "%8d same\n%8d different\n%8d could not be replayed\n", r.Same, r.Different, r.Failed)
	for _, g := range r.groups() {
		fmt.Fprintf(w, "\n%d × %s\n", len(g.all), g.what)
		var ids []string
		for _, o := range g.all[:min(len(g.all), 5)] {
			ids = append(ids, o.Operation)
		}
		if len(ids) < len(g.all) {
			ids = append(ids, "…")
		}
		fmt.Fprintf(w, "  %s\n", strings.Join(ids, " "))
		if first := g.all[0]; first.Result == replayDifferent {
			fmt.Fprintln(w, "  the first:")
			printDifferences(w, first.Differences)
		}
	}
	if n := r.Different + r.Failed; n > keptReports {
		fmt.Fprintf(w, "\nOnly the first %d of %d are shown.\n", keptReports, n)
	}
}

// replayGroup is operations that differ in the same places, or failed for the same reason.
type replayGroup struct {
	what string
	all  []*replayedOperation
}

// groups returns the groups, largest first.
func (r *replayReport) groups() (groups []*replayGroup) {
	by := map[string]*replayGroup{}
	for _, o := range r.Operations {
		what := o.Error
		if o.Result == replayDifferent {
			var where []string
			for _, d := range o.Differences {
				where = append(where, d.Where)
			}
			what = o.Kind + ": " + strings.Join(where, ", ")
		}
		if by[what] == nil {
			by[what] = &replayGroup{what: what}
			groups = append(groups, by[what])
		}
		by[what].all = append(by[what].all, o)
	}
	slices.SortStableFunc(groups, func(a, b *replayGroup) int { return len(b.all) - len(a.all) })
	return groups
}

func (o *replayedOperation) print(w io.Writer) {
	of := ""
	if o.Payment != "" {
		of = " of " + o.Payment
	}
	fmt.Fprintf(w, "%s: %s%s at %s, %s\n", o.Operation, o.Kind, of, o.Connector, o.At.Format(time.RFC3339Nano))
	if o.Error != "" {
		fmt.Fprintf(w, "  could not be replayed: %s\n", o.Error)
		return
	}
	build := fmt.Sprintf("build %.12s", o.Recorded)
	if o.Replayed != o.Recorded {
		build += fmt.Sprintf(", run again with %.12s", o.Replayed)
	}
	fmt.Fprintf(w, "  %s: %s\n", build, o.Result)
	if o.Note != "" {
		fmt.Fprintf(w, "  %s\n", o.Note)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i, s := range o.Steps {
		was := replaySame
		if !s.Same {
			was = strings.ToUpper(replayDifferent)
		}
		answer := ""
		if s.Answer != "" {
			answer = "answered " + s.Answer
			if s.AnswerUS > 0 {
				answer += " in " + (time.Duration(s.AnswerUS) * time.Microsecond).Round(100*time.Microsecond).String()
			}
		}
		fmt.Fprintf(t, "  %d\t%s\t%s\t%s\n", i+1, onLine(s.Made), was, answer)
	}
	t.Flush()
	printDifferences(w, o.Differences)
}

func printDifferences(w io.Writer, all []plugins.Difference) {
	for _, d := range all {
		fmt.Fprintf(w, "    %s\n", d.Where)
		if d.Recorded != "" {
			fmt.Fprintf(w, "      - %s\n", onLine(d.Recorded))
		}
		if d.Replayed != "" {
			fmt.Fprintf(w, "      + %s\n", onLine(d.Replayed))
		}
	}
}

// onLine returns a text of a processor or an adapter without characters that control a terminal.
func onLine(s string) string {
	if strings.ContainsFunc(s, func(c rune) bool { return !unicode.IsPrint(c) }) {
		return strconv.Quote(s)
	}
	return s
}
