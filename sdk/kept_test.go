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

func TestCheckCodes(t *testing.T) {
	codes := CheckCodes{CVC: Results{{CheckPass, "M"}, {CheckFail, "N"}}, Line1: Results{{CheckPass, "Y A"}, {CheckFail, "Z"}}, PostalCode: Results{{CheckPass, "Y Z"}, {CheckFail, "A"}},
		Other: CheckUnavailable}
	require.Equal(t, &Checks{CVC: CheckFail, AddressLine1: CheckPass, PostalCode: CheckFail}, codes.Read("N", "A"))
	require.Equal(t, &Checks{CVC: CheckUnavailable}, codes.Read("X", ""))
	require.Equal(t, &Checks{AddressLine1: CheckFail, PostalCode: CheckPass}, codes.Read("", "Z"))
	require.Nil(t, codes.Read("", ""))
	codes.Other = ""
	require.Nil(t, codes.Read("X", "X"))
}

func TestLinesTotal(t *testing.T) {
	total := func(lines ...Line) any {
		n, ok := (&Request{Lines: lines}).LinesTotal()
		if !ok {
			return nil
		}
		return n
	}
	require.EqualValues(t, 2100, total(Line{Name: "a", Quantity: 2, UnitPrice: 900}, Line{Name: "b", Quantity: 1, UnitPrice: 300, Tax: 50}))
	require.EqualValues(t, 0, total(Line{Name: "a gift", Quantity: 1}))
	for _, lines := range [][]Line{{}, {{Quantity: 1, UnitPrice: 1}}, {{Name: "a", UnitPrice: 1}}, {{Name: "a", Quantity: 1, UnitPrice: -1}}, {{Name: "a", Quantity: 1e6 + 1}}} {
		require.Nil(t, total(lines...))
	}
	many := make([]Line, 1000)
	for i := range many {
		many[i] = Line{Name: "a", Quantity: 1e6, UnitPrice: 1e12}
	}
	require.Nil(t, total(many...), "more than fits")
}

func TestOnly(t *testing.T) {
	j, err := ParseJSON([]byte(`[{"r":"a","id":1},{"r":"b","id":2},{"r":"b","id":3}]`))
	require.NoError(t, err)
	only := func(r string) JSON { return j.Only(func(v JSON) bool { return v.Str("r") == r }) }
	require.EqualValues(t, 1, only("a").Int("id"))
	require.False(t, only("c").Exists())
	require.False(t, JSON{}.Only(func(JSON) bool { return true }).Exists())
	require.PanicsWithError(t, errSeveral.Error(), func() { only("b") })
}

func TestObjectTexts(t *testing.T) {
	o := NewObject().StrOrNull("a", "").StrOrNull("b", "x").Texts(Sorted(map[string]string{"z": "1", "y": ""}))
	require.Equal(t, `{"a":null,"b":"x","y":"","z":"1"}`, o.String())
	require.Equal(t, "{}", NewObject().Texts(nil).String())
}
