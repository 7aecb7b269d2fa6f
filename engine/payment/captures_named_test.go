package payment

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// A report that states our reference of a capture is about that capture alone, also if the answers to several captures were lost.
func TestNameCapture(t *testing.T) {
	t.Parallel()
	a := &Attempt{ID: "pay_1_1"}
	ops := []*Operation{{ID: "op_1", AttemptID: a.ID, Kind: sdk.OpCapture, Status: OperationUnknown}, {ID: "op_2", AttemptID: a.ID, Kind: sdk.OpCapture, Status: OperationUnknown}}
	for _, op := range ops {
		c := a.AddCapture(op.ID, 700, time.Unix(1, 0))
		c.Reference = c.ID
	}
	report := &sdk.Outcome{Status: sdk.StatusCaptured, CaptureID: "CAP2"}
	require.Len(t, a.ReportedOperations(ops, report), 2, "the report may be about either")
	a.NameCapture("", "CAP2")
	a.NameCapture("another", "CAP2")
	a.NameCapture("pay_1_1_2", "")
	require.Len(t, a.ReportedOperations(ops, report), 2)
	a.NameCapture("pay_1_1_2", "CAP2")
	require.Equal(t, ops[1:], a.ReportedOperations(ops, report))
	a.NameCapture("pay_1_1_1", "CAP2") // the id is another capture's
	require.Empty(t, a.Details.Captures[0].Stated)
	a.Details.Captures[0].Status = CaptureFailed
	a.NameCapture("pay_1_1_1", "CAP1")
	require.Equal(t, "CAP1", a.Details.Captures[0].Stated, "so the report is not about the other one, which is open")
	require.Empty(t, a.ReportedOperations(ops, &sdk.Outcome{Status: sdk.StatusCaptured, CaptureID: "CAP1"}))
}
