package plugins_test

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// tiny assembles an adapter of a few hundred bytes, which compiles at once. It authorizes with one POST to url whatever the answer
// is. Other words change only its hash.
func tiny(t testing.TB, name, url, words string) []byte {
	t.Helper()
	manifest := sdk.EncodeManifest(&sdk.Manifest{ABI: sdk.ABI, Name: name, Kind: sdk.KindProcessor, Version: "1.0.0", DisplayName: words, Description: "Tiny.",
		Operations: []sdk.Operation{sdk.OpAuthorize, sdk.OpSync}, Resolve: sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByReference}}})
	send := sdk.EncodeResult(&sdk.Result{Send: &sdk.Send{Method: "POST", URL: url + "/payments", SafeToRepeat: true,
		IdempotencyHeader: "Idempotency-Key", Body: []byte("{}")}})
	outcome := sdk.EncodeResult(&sdk.Result{Outcome: &sdk.Outcome{Status: sdk.StatusAuthorized, TransactionID: "t_1"}})
	const data, input = 1024, 65536
	at := func(offset int, b []byte) []byte { return i64(int64(data+offset)<<32 | int64(len(b))) } // address<<32 | length
	messages := append(append(append([]byte(nil), manifest...), send...), outcome...)
	require.Less(t, len(messages), input-data)

	exchanges := binary.LittleEndian.Uint64([]byte(`"exchang`))
	step := join([]byte{
		0x20, 0, 0x20, 1, 0x6A, 0x41, 8, 0x6B, 0x21, 1, // n = p + n - 8
		0x02, 0x40, 0x03, 0x40, // block, loop
		0x20, 0, 0x20, 1, 0x4F, 0x0D, 1, // leave it at the end
		0x20, 0, 0x29, 0, 0, // the eight bytes at p
	}, i64(int64(exchanges)), []byte{
		0x51, 0x04, 0x40, // if they are equal
	}, at(len(manifest)+len(send), outcome), []byte{
		0x0F, 0x0B, // return
		0x20, 0, 0x41, 1, 0x6A, 0x21, 0, 0x0C, 0, 0x0B, 0x0B, // p++, go on
	}, at(len(manifest), send), []byte{0x0B})
	export := func(name string, kind, index byte) []byte { return join(str(name), []byte{kind, index}) }
	return join([]byte("\x00asm\x01\x00\x00\x00"),
		section(1, 3, []byte{0x60, 1, 0x7F, 1, 0x7F}, []byte{0x60, 0, 1, 0x7E}, []byte{0x60, 2, 0x7F, 0x7F, 1, 0x7E}), // types
		section(3, 3, []byte{0, 1, 2}), // functions
		section(5, 1, []byte{0, 4}),    // memory: 4 pages
		section(7, 4, export("memory", 2, 0), export("payswitch_alloc", 0, 0), export("payswitch_manifest", 0, 1), export("payswitch_step", 0, 2)),
		section(10, 3, body(join([]byte{0x41}, signed(input), []byte{0x0B})), body(join(at(0, manifest), []byte{0x0B})), body(step)),
		section(11, 1, join([]byte{0, 0x41}, signed(data), []byte{0x0B}, unsigned(len(messages)), messages)),
	)
}

func section(id byte, count int, items ...[]byte) []byte {
	content := join(append([][]byte{unsigned(count)}, items...)...)
	return join([]byte{id}, unsigned(len(content)), content)
}

func body(code []byte) []byte { return join(unsigned(len(code)+1), []byte{0}, code) } // no locals
func str(s string) []byte     { return append(unsigned(len(s)), s...) }
func i64(v int64) []byte      { return append([]byte{0x42}, signed(v)...) } // i64.const

func join(parts ...[]byte) (all []byte) {
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

func unsigned(n int) []byte { return binary.AppendUvarint(nil, uint64(n)) } // LEB128

func signed(v int64) (b []byte) {
	for {
		c := byte(v & 0x7F)
		if v >>= 7; v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

func TestSignedNumbers(t *testing.T) {
	for range 1000 {
		v := rand.Int64() >> rand.IntN(64) * int64(1-2*rand.IntN(2))
		var got int64
		shift := 0
		encoded := signed(v)
		for _, c := range encoded {
			got |= int64(c&0x7F) << shift
			shift += 7
		}
		if shift < 64 && encoded[len(encoded)-1]&0x40 != 0 {
			got |= -1 << shift
		}
		require.Equal(t, v, got)
	}
}
