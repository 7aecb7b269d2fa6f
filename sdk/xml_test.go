package sdk

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseXML(t *testing.T) {
	x, err := ParseXML([]byte("\xef\xbb\xbf<?xml version='1.0'?><!-- c --><a:r\n\tk='v'>\n <b>1 &amp; &#x32;</b><b><![CDATA[<3>]]></b><c><d> e </d></c><f/></a:r>\n"))
	require.NoError(t, err)
	require.Equal(t, "a:r", x.Name())
	require.Equal(t, "1 & 2", x.Text("b"))
	require.Equal(t, "e", x.Text("c/d"))
	require.Equal(t, "f", x.Get("f").Name())
	require.Empty(t, x.Text("c/x/y"))
	require.Empty(t, XML{}.Get("a").Name())
	require.Equal(t, x.Name(), x.Get("").Name())
	var texts []string
	for b := range x.All("b") {
		texts = append(texts, b.Text(""))
	}
	require.Equal(t, []string{"1 & 2", "<3>"}, texts)
	for range x.All("b") {
		break
	}
}

func TestParseXMLErrors(t *testing.T) {
	whole := `<a><b>1</b></a>`
	for n := range len(whole) {
		_, err := ParseXML([]byte(whole[:n]))
		require.ErrorIs(t, err, ErrXML, "cut after %d bytes", n)
	}
	for _, s := range []string{`<a></b>`, `<a/><a/>`, `x<a/>`, `<!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>`, `<a>&e;</a>`, `<a>&amp</a>`, `<a>&#x110000000;</a>`, `<a></a>x`, `</a>`, `<>`,
		strings.Repeat("<a>", 40) + strings.Repeat("</a>", 40)} {
		_, err := ParseXML([]byte(s))
		require.ErrorIs(t, err, ErrXML, s)
	}
}

func FuzzParseXML(f *testing.F) {
	f.Add([]byte(`<?xml version="1.0"?><a><b>1</b><c/>&lt;<![CDATA[x]]></a>`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if x, err := ParseXML(b); err == nil {
			require.NotEmpty(t, x.Name())
		} else {
			require.Equal(t, XML{}, x)
		}
	})
}
