package threeds

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

var updateGolden = flag.Bool("update", false, "write the golden files anew")

// TestMatrix: POLICY.md shows the decision on every kind of answer, so that a review sees each change.
func TestMatrix(t *testing.T) {
	const file, begin, end = "POLICY.md", "<!-- matrix -->\n", "<!-- end of matrix -->\n"
	doc, err := os.ReadFile(file)
	require.NoError(t, err)
	head, rest, ok := strings.Cut(string(doc), begin)
	require.True(t, ok)
	_, tail, ok := strings.Cut(rest, end)
	require.True(t, ok)
	want := head + begin + matrix() + end + tail
	if *updateGolden {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(doc), "run with -update if the change is intended")
}

func matrix() string {
	const payer, mit = Browser, ThreeRI
	look := Run{Phase: Prepare, Channel: payer}
	areq := Run{Phase: Authenticate, Channel: payer}
	rreq := Run{Phase: Final, Channel: payer, Returned: true}
	ri := Run{Phase: Authenticate, Channel: mit}
	status := func(s string) Result {
		return Result{TransStatus: TransStatus(s), HasValue: strings.Contains("YA", s), ACSURL: "https://acs.issuer.example/c"}
	}
	bare := func(r Result) Result { r.HasValue, r.ACSURL = false, ""; return r }
	asked, decoupled := areq, areq
	decoupled.Decoupled = true
	asked.ChallengeInds = []string{"05"}
	var b bytes.Buffer
	b.WriteString("| Answer | default | strict |\n|---|---|---|\n")
	for _, row := range []struct {
		title string
		run   Run
		res   Result
	}{
		{"prepare: an allowed version", look, Result{Versions: []string{"2.2.0"}}},
		{"prepare: 2.1.0 alone", look, Result{Versions: []string{"2.1.0"}}},
		{"prepare: not enrolled", look, Result{Class: NotEnrolled}},
		{"prepare: no answer", look, Result{Class: Technical}},
		{"prepare: credentials refused", look, Result{Class: Credentials}},
		{"prepare: request refused", look, Result{Class: BadRequest}},
		{"ARes Y", areq, status("Y")},
		{"ARes Y without authentication value", areq, bare(status("Y"))},
		{"ARes A", areq, status("A")},
		{"ARes C", areq, status("C")},
		{"ARes C without a challenge page", areq, bare(status("C"))},
		{"ARes D, not asked for", areq, status("D")},
		{"ARes D, asked for and switched on", decoupled, status("D")},
		{"ARes I, exemption asked for", asked, status("I")},
		{"ARes I, not asked for", areq, status("I")},
		{"ARes S", areq, status("S")},
		{"ARes N", areq, status("N")},
		{"ARes R", areq, status("R")},
		{"ARes U", areq, status("U")},
		{"ARes without status, or another", areq, status("?")},
		{"authenticate: technical error, no answer", areq, Result{Class: Technical}},
		{"authenticate: request refused", areq, Result{Class: BadRequest}},
		{"authenticate: set up wrongly", areq, Result{Class: Misconfigured}},
		{"RReq Y", rreq, status("Y")},
		{"RReq Y without authentication value", rreq, bare(status("Y"))},
		{"RReq A", rreq, status("A")},
		{"RReq N", rreq, status("N")},
		{"RReq N, cancelled by the payer", rreq, Result{TransStatus: "N", ChallengeCancel: "01"}},
		{"RReq N, timed out", rreq, Result{TransStatus: "N", ChallengeCancel: "04"}},
		{"RReq R", rreq, status("R")},
		{"RReq U", rreq, Result{TransStatus: "U", TransStatusReason: "22"}},
		{"RReq U, challenge never begun", rreq, Result{TransStatus: "U", ChallengeCancel: "05"}},
		{"RReq C, D, I, S or another", rreq, status("C")},
		{"result: technical error to the end", rreq, Result{Class: Technical}},
		{"3RI Y", ri, status("Y")},
		{"3RI A", ri, status("A")},
		{"3RI U, or an error", ri, status("U")},
		{"3RI N", ri, status("N")},
		{"3RI R", ri, status("R")},
		{"3RI C", ri, status("C")},
	} {
		row.run.Scheme, row.run.MessageVersion = sdk.Visa, "2.2.0"
		if row.res.TransStatus != "" {
			row.res.DSTransID, row.res.ACSTransID = "d", "a"
		}
		standard, strict := Default(), strictPolicy()
		if row.run.Decoupled {
			standard.Decoupled, strict.Decoupled = RuleOn, RuleOn
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", row.title, cell(Decide(standard, row.run, row.res)), cell(Decide(strict, row.run, row.res)))
	}
	for _, e := range []Ending{PayerNeverCame, WindowClosed, ResultLate, DecoupledLate, ResultGone, ChallengeError} {
		fmt.Fprintf(&b, "| ended: %s | %s | %[2]s |\n", e, cell(End(e)))
	}
	return b.String()
}

func cell(d Decision) string {
	s := string(d.Action)
	switch {
	case d.Action == Fail:
		s += " `" + d.ErrorCode + "`"
	case d.Proof != nil:
		s += ", ECI " + d.Proof.ECI
		if d.Liability == ShiftExpected {
			s += ", shift"
		}
	}
	return s
}
