// Package vector holds the cases of the rules of 3-D Secure, vectors.json, and runs them. Only tests import it.
package vector

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

//go:embed vectors.json
var text []byte

// Vectors are the cases of vectors.json.
type Vectors struct {
	KnobDefaults json.RawMessage `json:"knob_defaults"` // the profile's configuration that the cases assume
	IDs          struct {
		Server string `json:"server_trans_id"`
		ACS    string `json:"acs_trans_id"`
		DS     string `json:"ds_trans_id"`
	} `json:"ids"`
	Cases []Vector `json:"cases"`
}

// Vector is one case.
type Vector struct {
	ID     string          `json:"id"`
	Group  string          `json:"group"`
	Title  string          `json:"title"`
	Input  json.RawMessage `json:"input"`
	Expect json.RawMessage `json:"expect"`
}

// Read returns all cases.
func Read(t testing.TB) Vectors {
	t.Helper()
	var v Vectors
	require.NoError(t, json.Unmarshal(text, &v))
	return v
}

// Each runs a group's cases. Every key of input and expect must have a field, so that no key is ignored.
func Each[I, E any](t *testing.T, group string, check func(t *testing.T, v Vectors, in I, want E)) {
	t.Helper()
	all := Read(t)
	n := 0
	for _, c := range all.Cases {
		if c.Group != group {
			continue
		}
		n++
		t.Run(c.ID+" "+c.Title, func(t *testing.T) {
			var in I
			var want E
			require.NoError(t, strict(c.Input, &in))
			require.NoError(t, strict(c.Expect, &want))
			check(t, all, in, want)
		})
	}
	require.NotZero(t, n, "no cases of group %s", group)
}

func strict(raw []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	return d.Decode(to)
}
