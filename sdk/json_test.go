package sdk

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// Each byte, at each place within and between the words of eight bytes.
func TestQueryEscapeEachByte(t *testing.T) {
	for c := range 256 {
		for at := range 20 {
			text := strings.Repeat("aZ09-_.~", 3)[:at] + string([]byte{byte(c)}) + "tail"
			require.Equal(t, url.QueryEscape(text), QueryEscape(text))
			form := NewForm().Add(text, text)
			require.Equal(t, url.Values{text: {text}}.Encode(), form.String())
			name := strings.NewReplacer("%5B", "[", "%5D", "]").Replace(url.QueryEscape(text))
			require.Equal(t, name+"="+url.QueryEscape(text), string(form.Bytes()))
		}
	}
	for _, n := range []int64{0, 9, 10, 1<<63 - 1, -1, -1 << 63} {
		require.Equal(t, "a="+strconv.FormatInt(n, 10), NewForm().Int("a", n).String())
	}
	require.Equal(t, "a[b+c]=d&e[f]=g", string(NewForm().OptIn("a", "b c", "d").OptIn("a", "z", "").OptIn("e", "f", "g").Bytes()))
}

func TestJSON(t *testing.T) {
	j, err := ParseJSON([]byte(` {"id" : "pi_1", "n":-12, "f":10.50, "big":9223372036854775808, "t":true, "z":null, "o":{"a":[ {"b":"x"}, {"b":"y\u00e9\ud800"} ]},
		"a.b":"dot", "k\u0065y":"escaped", "s":"1050", "e":{}, "l":[], "amount":6540, "dup":1, "dup":2} `))
	require.NoError(t, err)
	require.Equal(t, "pi_1", j.Str("id"))
	require.Equal(t, int64(-12), j.Int("n"))
	require.Equal(t, "10.50", j.Number("f"))
	require.Equal(t, "10.50", j.Text("f"))
	require.Empty(t, j.Str("f"))
	require.Zero(t, j.Int("f"))
	require.Zero(t, j.Int("big"))
	require.Equal(t, "9223372036854775808", j.Number("big"))
	require.True(t, j.Bool("t"))
	require.Equal(t, "true", j.Text("t"))
	require.True(t, j.Get("z").IsNull())
	require.True(t, j.Get("z").Exists())
	require.False(t, j.Has("z"))
	require.True(t, j.Has("n"))
	require.Equal(t, "yé\uFFFD", j.Str("o.a.1.b"))
	require.Empty(t, j.Str("o.a.2.b"))
	require.Empty(t, j.Str("o.a.x.b"))
	require.Empty(t, j.Str("o.a..b"))
	require.Empty(t, j.Str("id.more"))
	require.Equal(t, "dot", j.Key("a.b").Str(""))
	require.Equal(t, "escaped", j.Str("key"))
	require.Equal(t, int64(1), j.Int("dup"), "the first of two")
	require.Equal(t, 2, j.Get("o.a").Len())
	require.Equal(t, 15, j.Len())
	require.Zero(t, j.Get("e").Len())
	require.True(t, j.Get("l").IsArray())
	require.Zero(t, j.Get("l").Len())
	require.Equal(t, &Money{6540, "USD"}, j.Money("amount", "USD"))
	require.Equal(t, &Money{1050, "USD"}, j.Money("s", "USD"))
	require.Nil(t, j.Money("f", "USD"))
	require.Nil(t, j.Money("missing", "USD"))
	require.Equal(t, &Money{1050, "USD"}, j.Major("f", "USD"))
	require.Nil(t, j.Major("f", "JPY"))
	require.Nil(t, j.Major("missing", "USD"))
	require.Equal(t, `{"b":"x"}`, j.Raw("o.a.0"))
	for k := range j.Members() {
		require.Equal(t, "id", k)
		break
	}
	for v := range j.Get("o.a").All() {
		require.Equal(t, "x", v.Str("b"))
		break
	}
	for _, bad := range []string{"", " ", "<html>", `{"a":1`, `{"a":1}}`, `{"a":01}`, `{"a":1,}`, `[1,]`, `{'a':1}`, `{"a":tru}`, `{"a" 1}`, `{a:1}`, "\"\n\"", `"\u12"`, `-`, `1.`, `1e`, `{"a":}`} {
		_, err := ParseJSON([]byte(bad))
		require.ErrorIs(t, err, ErrJSON, bad)
		require.False(t, (&Response{Body: []byte(bad)}).JSON().Exists())
	}
	require.Empty(t, JSON{}.Str("a.b"))
	require.Zero(t, JSON{}.Len())
}

func TestResponse(t *testing.T) {
	r := Response{Status: 204, Headers: []Header{H("X-A", "1"), H("x-a", "2")}}
	require.Equal(t, "1", r.Header("x-A"))
	require.Empty(t, r.Header("x-b"))
	require.True(t, r.OK())
	require.False(t, (&Response{Status: 300}).OK())
}

func TestBuilders(t *testing.T) {
	o := NewObject().Str("a", "x\"\n").OptStr("b", "").OptStr("c", "c").Int("d", -5).Bool("e", true).Number("f", "10.50").Number("g", "1,5").Null("h").
		Obj("i", NewObject()).Obj("j", nil).Arr("k", NewArray().Str("s").Int(1).Obj(NewObject().Int("x", 1)).Obj(nil).Raw("[]")).Arr("l", nil).Arr("m", NewArray())
	require.JSONEq(t, `{"a":"x\"\n","c":"c","d":-5,"e":true,"f":10.50,"g":null,"h":null,"i":{},"k":["s",1,{"x":1},[]],"m":[]}`, o.String())
	require.Equal(t, o.String(), string(o.Bytes()))
	require.Equal(t, "{}", new(Object).String())
	require.Equal(t, "[]", string(new(Array).Bytes()))
}

func TestForm(t *testing.T) {
	f := NewForm().Add("a[b]", "x y&z=ü").Opt("n", "").Opt("o", "1").Int("i", -7)
	require.Equal(t, "a%5Bb%5D=x+y%26z%3D%C3%BC&o=1&i=-7", f.String())
	require.Equal(t, "a[b]=x+y%26z%3D%C3%BC&o=1&i=-7", string(f.Bytes()))
	require.Equal(t, "a%20b", PathEscape("a b"))
	pairs, ok := ParseForm(f.String() + "&&k&bad=%zz&bad=%1")
	require.False(t, ok)
	require.Equal(t, []Header{H("a[b]", "x y&z=ü"), H("o", "1"), H("i", "-7"), H("k", "")}, pairs)
}

func FuzzJSON(f *testing.F) {
	for _, s := range []string{`{"a":[1,{"b":"\u00e9"}],"c":null}`, `[]`, `"\ud83d\ude00"`, `-0.5e+7`, `{"a":1`, "<html>"} {
		f.Add(s, "a.1.b")
	}
	f.Fuzz(func(t *testing.T, s, path string) {
		j, err := ParseJSON([]byte(s))
		if err == nil || !json.Valid([]byte(s)) {
			require.Equal(t, json.Valid([]byte(s)), err == nil)
		}
		_, _, _ = j.Str(path), j.Int(path), j.Len()
		var v any
		if !utf8.ValidString(s) || err != nil {
			return
		}
		d := json.NewDecoder(strings.NewReader(s))
		d.UseNumber()
		require.NoError(t, d.Decode(&v))
		switch v := v.(type) {
		case json.Number:
			require.Equal(t, string(v), j.Number(""))
		case string:
			require.Equal(t, v, j.Str(""))
		case []any:
			require.Equal(t, len(v), j.Len())
		case map[string]any:
			seen := map[string]bool{}
			for k, m := range j.Members() {
				seen[k] = true
				require.True(t, json.Valid([]byte(m.text())))
				require.True(t, j.Key(k).Exists())
			}
			require.Len(t, seen, len(v))
		}
	})
}

func FuzzForm(f *testing.F) {
	f.Add("a[b]", "x y&z=ü\xff%")
	f.Fuzz(func(t *testing.T, name, value string) {
		require.Equal(t, url.QueryEscape(value), QueryEscape(value))
		require.JSONEq(t, string(must(json.Marshal(map[string]string{"v": value}))), NewObject().Str("v", value).String())
		pairs, ok := ParseForm(NewForm().Add(name, value).String())
		require.True(t, ok)
		require.Equal(t, []Header{H(name, value)}, pairs)
	})
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

// Index and encoding/json accept the same texts, with any byte at any place of a word.
func TestIndexAgreesWithEncodingJSON(t *testing.T) {
	parts := []string{`"`, `\`, `\"`, `\u00e9`, "\x1f", " ", "é", "a", "{", "}", "[", "]", ":", ",", "0", "-1.5e3", "true", "null", `"abcdefgh"`, `"k":`, "\x00"}
	for i := range 4000 {
		var b []byte
		for n := i; n > 0; n /= len(parts) {
			b = append(b, parts[n%len(parts)]...)
		}
		for _, text := range []string{string(b), `"1234567` + string(b) + `"`, `{"a":[` + string(b) + `],"b":1}`} {
			_, err := ParseJSON([]byte(text))
			require.Equal(t, json.Valid([]byte(text)), err == nil, "%q", text)
		}
	}
}

func TestObjectTexts(t *testing.T) {
	o := NewObject().StrOrNull("a", "").StrOrNull("b", "x").Texts(Sorted(map[string]string{"z": "1", "y": ""}))
	require.Equal(t, `{"a":null,"b":"x","y":"","z":"1"}`, o.String())
	require.Equal(t, "{}", NewObject().Texts(nil).String())
}

// IsBool distinguishes a false from a missing member.
func TestIsBool(t *testing.T) {
	j, err := ParseJSON([]byte(`{"yes": true, "no": false, "text": "false", "none": null, "zero": 0}`))
	require.NoError(t, err)
	for name, want := range map[string]bool{"yes": true, "no": true, "text": false, "none": false, "zero": false, "missing": false} {
		require.Equal(t, want, j.Get(name).IsBool(), name)
	}
}
