package account

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/secret"
)

// A profile knows which key and headers it had at each time, of its last earlierKept changes.
func TestWebhookHeadersAt(t *testing.T) {
	start := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	set := func(p *Profile, key int) {
		before := p.Private
		p.Private = map[string]secret.Value{fieldResponseHash: secret.JSONOf(fmt.Sprint("key ", key)),
			fieldWebhookHeaders: secret.New(fmt.Sprintf(`{"X-Shop":"%d"}`, key)), fieldEarlierHeaders: before[fieldEarlierHeaders]}
		require.NoError(t, p.rememberHeaders(before))
		p.takePrivate()
	}
	p := &Profile{CreatedAt: start, ModifiedAt: start}
	set(p, 0)
	for i := 1; i <= 2*earlierKept; i++ {
		p.ModifiedAt = start.Add(time.Duration(i) * time.Hour)
		set(p, i)
		set(p, i) // changes nothing
	}
	require.Len(t, p.earlierHeaders(), earlierKept)
	for hour, want := range map[int]int{-1: earlierKept, 2*earlierKept - 2: 2*earlierKept - 2, 2*earlierKept - 1: 2*earlierKept - 1, 2 * earlierKept: 2 * earlierKept} {
		key, own := p.WebhookHeadersAt(start.Add(time.Duration(hour)*time.Hour + time.Minute))
		require.Equal(t, []string{fmt.Sprint("key ", want), fmt.Sprint(want)}, []string{key.Reveal(), own["X-Shop"].Reveal()}, "hour %d", hour)
	}
	key, _ := p.WebhookHeadersAt(start.Add(2 * earlierKept * time.Hour))
	require.Equal(t, fmt.Sprint("key ", 2*earlierKept-1), key.Reveal(), "in the millisecond of the change")
	require.NotContains(t, p.Fields(), fieldEarlierHeaders, "the API does not show it")
}
