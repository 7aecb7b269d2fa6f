package payment

import (
	"fmt"
	"net/http"
	"strings"

	"payswitch/sdk"
)

// NoteAnswer returns the text of an open operation with the latest answer of one way of resolution: a line for each way, the operation's own
// first.
func NoteAnswer(text, way, answer string) string {
	lines := strings.Split(text, "\n")
	line := way + ": " + strings.ReplaceAll(answer, "\n", " ")
	for i := range lines {
		if i > 0 && strings.HasPrefix(lines[i], way+": ") {
			lines[i] = line
			return strings.Join(lines, "\n")
		}
	}
	return strings.Join(append(lines, line), "\n")
}

// NoteResend is NoteAnswer for an operation that was sent again. answered says that the processor answered, though without a decision: these
// answers are counted.
func NoteResend(text, answer string, answered bool) string {
	n := answeredResends(text)
	if answered {
		n++
	}
	if n > 0 {
		answer = fmt.Sprintf(answeredTimes+": %s", n, answer)
	}
	return NoteAnswer(text, string(sdk.ResolveByIdempotentResend), answer)
}

// answeredTimes begins the answer of resends in the text of an operation.
const answeredTimes = "answered %d times without a decision"

// answeredResends returns how often the processor answered an operation that was sent again, from the operation's text.
func answeredResends(text string) (n int) {
	for line := range strings.SplitSeq(text, "\n") {
		if rest, ok := strings.CutPrefix(line, string(sdk.ResolveByIdempotentResend)+": "); ok {
			_, _ = fmt.Sscanf(rest, answeredTimes, &n) // 0 for another text
		}
	}
	return n
}

// NotDone reports whether the answers prove that a capture or void was not done: the processor refused its one request with HTTP 429, before it
// looked at the request. first is false if the request was sent before: then the refusal says nothing of the earlier send.
func NotDone(kind sdk.Operation, exchanges []sdk.Exchange, first bool) bool {
	if kind != sdk.OpCapture && kind != sdk.OpVoid || !first {
		return false
	}
	sends, refused := 0, false
	for i := range exchanges {
		if x := &exchanges[i]; x.Verified == nil {
			sends++
			refused = x.Status == http.StatusTooManyRequests && x.Failure == ""
		}
	}
	return sends == 1 && refused
}
