package sandbox

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGoGuest(t *testing.T) {
	m := loadGo(t, Options{})
	manifest, err := m.Manifest(context.Background())
	require.NoError(t, err)
	require.JSONEq(t, `{"name":"guest"}`, string(manifest))
	require.Equal(t, "hello", step(t, m, "ehello"))
	require.Len(t, step(t, m, string(workMessage)), 1024)
	require.Equal(t, `1 ""`, step(t, m, "kcard"))
	require.Equal(t, `1 ""`, step(t, m, "k"))
	require.Equal(t, "30000000", step(t, m, "c"))
	var debug bytes.Buffer
	c := call("dtext")
	c.Debug = &debug
	_, err = m.Step(context.Background(), c)
	require.NoError(t, err)
	require.Equal(t, "debug: text and println\n", debug.String())
	for input, kind := range map[string]TrapKind{
		"l": TrapFuel, "r": TrapFuel, "p": TrapExit, "x": TrapExit, "s": TrapBlocked, "b2000000": TrapOutput, "h": TrapExit,
	} {
		_, err := m.Step(context.Background(), call(input))
		var trapped *TrapError
		require.ErrorAs(t, err, &trapped, input)
		require.Equal(t, kind, trapped.Kind, "%s: %v", input, err)
	}
	require.Equal(t, "hello", step(t, m, "ehello"))
	t.Logf("%+v", m.Stats())
}
