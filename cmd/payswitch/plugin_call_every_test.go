package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// notAsked are the recorded cases without a request, by the beginning of their names, each with the reason in its answer.
var notAsked = map[string]string{
	"authorizedotnet authorize_processor_3ds": "does not run 3-D Secure", "bluesnap authorize_processor_3ds": "does not run 3-D Secure",
	"globalpay authorize_processor_3ds": "does not run 3-D Secure", "nmi authorize_processor_3ds": "does not run 3-D Secure",
	"mollie authorize_external_3ds": "does not accept the result of an external 3-D Secure authentication", "paypal authorize_external_3ds": "does not accept the result of an external 3-D Secure authentication",
}

// TestCallEveryRecordedCase: each recorded case of the twelve adapters leads to a request, or to the reason why it has no request.
func TestCallEveryRecordedCase(t *testing.T) {
	costly(t)
	t.Parallel()
	unused := map[string]bool{}
	for k := range notAsked {
		unused[k] = true
	}
	for _, name := range calledAdapters {
		cases, requests := recordedCases(t, name)
		require.Greater(t, len(cases), 10, name)
		var names []string
		var lines []any
		for k, c := range cases {
			names, lines = append(names, k), append(lines, c)
		}
		for i, a := range callLines(t, lines...) {
			at, why := name+" "+names[i], ""
			for k, says := range notAsked {
				if strings.HasPrefix(at, k) {
					why = says
					delete(unused, k)
				}
			}
			if why != "" {
				require.Contains(t, a.Error, why, at)
				continue
			}
			require.NotNil(t, a.Request, "%s: %s", at, a.Error)
			require.NotEmpty(t, requests[names[i]].Method)
		}
	}
	require.Empty(t, unused, "cases that are not recorded")
}
