package sdk

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestKeep(t *testing.T) {
	d := Keep("a.b", `x"y`, "none", "", "c", "z")
	require.Equal(t, &ConnectorData{Version: 1, Payment: `{"a.b":"x\"y","c":"z"}`}, d)
	r := &Request{ConnectorData: d}
	require.Equal(t, []string{`x"y`, "", "z"}, []string{r.KeptText("a.b"), r.KeptText("none"), r.KeptText("c")})
	require.Nil(t, Keep("a", "", "b", ""))
	require.Nil(t, Keep())
	require.Empty(t, (&Request{}).KeptText("a"))
	require.Empty(t, (&Request{ConnectorData: &ConnectorData{Payment: "pm_1"}}).KeptText("a"), "another adapter's, or an older one's")
}
