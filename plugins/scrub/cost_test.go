package scrub

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The largest answer, in the form that is slowest to mask, takes a moment.
func TestMaskingTakesBoundedTime(t *testing.T) {
	const size = 1 << 20
	inner := strings.Repeat("number 4111111234561881 ", 64<<10)[:size/3]
	for name, unit := range map[string]string{"words": "payment_method_options_", "fields": `"cvc":`, "names": `"name":"cvc",`, "schemes": "authorization:", "elements": "<cvc>", "marks": ">>>>=", "open strings": `password:"x `,
		"numbers": "4111111234561881,", "firsts": "411111", "digits": "4,1,1,1,1,1,", "JSON": `[4,1,1,1,1,1],`, "escapes": `\u0034`, "escapes of escapes": "%2525", "backslashes": `\\`, "entities": "&amp;#52;", "base64": base64.StdEncoding.EncodeToString([]byte(inner)),
		"base64 of base64": base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(inner)))), "hex": "34313131", "lines": strings.Repeat("NDExMTEx", 8) + "\n", "keys": testKey + " ", "prefixes": "sk_live_", "full-width": "４１"} {
		t.Run(name, func(t *testing.T) {
			c := classScrubber("411111", "1881", 16)
			text := strings.Repeat(unit, size/len(unit)+1)[:size]
			for _, s := range []string{text, `{"a":"` + text + `"}`} {
				start := time.Now()
				c.Text(s, nil)
				require.Less(t, time.Since(start), 5*time.Second, name)
				t.Log(time.Since(start))
			}
		})
	}
}
