package plugins_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/secret"
	"payswitch/plugins"
	"payswitch/sdk"
)

// guestSpace is the address space that one guest's memory and its ledger take by default.
const guestSpace = 64<<20 + 2<<16

// guestMemories reads the memories of all guests from this process, as a core dump would hold them: the private mappings of a
// guest's size that are not part of the Go heap. Guard pages keep the kernel from joining them with their neighbours.
func guestMemories(t *testing.T) (out [][]byte) {
	t.Helper()
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		t.Skip("needs /proc")
	}
	defer maps.Close()
	mem, err := os.Open("/proc/self/mem")
	require.NoError(t, err)
	defer mem.Close()
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		f := strings.Fields(lines.Text())
		from, to, _ := strings.Cut(f[0], "-")
		start, err1 := strconv.ParseUint(from, 16, 64)
		end, err2 := strconv.ParseUint(to, 16, 64)
		require.NoError(t, err1)
		require.NoError(t, err2)
		if len(f) > 5 || f[1] != "rw-p" || end-start != guestSpace || strings.HasPrefix(from, "c0") {
			continue
		}
		b := make([]byte, 16<<20) // what a guest has of it
		_, err := io.ReadFull(io.NewSectionReader(mem, int64(start), int64(len(b))), b)
		require.NoError(t, err)
		out = append(out, b)
	}
	return out
}

// TestNothingIsLeftInAGuest looks for card, CVC, key and token in the memory of guests after payments that used them, with all
// kinds of answers.
func TestNothingIsLeftInAGuest(t *testing.T) {
	plugins.Sequential(t)
	dir := t.TempDir()
	for _, name := range []string{"stripe", "adyen"} {
		put(t, dir, name+".wasm", module(t, "payswitch/plugins/"+name+"/wasm"))
	}
	h := newHost(t, plugins.Options{Directory: dir, CacheDir: cacheDir()})
	p := newRecorder(t)
	sent := 0
	p.answer = func(w http.ResponseWriter, r recorded) {
		if strings.Contains(r.body, cardNumber) && (strings.Contains(r.header.Get("Authorization"), secretKey) || r.header.Get("X-API-Key") == secretKey) {
			sent++
		}
		w.Header().Set("X-Echo", r.header.Get("Authorization")+r.header.Get("X-Api-Key"))
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id":"pi_1","object":"payment_intent","amount":1050,"currency":"usd","status":"succeeded","pspReference":"P1","resultCode":"Authorised","echo":{"number":%q,"cvc":%q},"token":"tok_%s"}`,
			cardNumber, cardCVC, secretKey)
	}
	for range 3 {
		for _, name := range []string{"stripe", "adyen"} {
			d := authorize(name, p.URL)
			d.Account.Credentials["key1"] = secret.New("MerchantAccount")
			d.Request.Capture = sdk.CaptureAutomatic
			res, err := h.Drive(t.Context(), d)
			require.NoError(t, err)
			require.Len(t, res.Exchanges, 1, "%+v", res.Outcome)
			require.Equal(t, 200, res.HTTPStatus)
		}
	}
	require.Equal(t, 6, sent, "the processor got what guests must not have")

	guests := guestMemories(t)
	known := 0
	for _, memory := range guests {
		if bytes.Contains(memory, []byte("api.stripe.com")) || bytes.Contains(memory, []byte("checkout-test.adyen.com")) {
			known++
		}
		for _, secret := range []string{cardNumber, secretKey, `"` + cardCVC + `"`, "=" + cardCVC + "&", "411111******1111"} {
			require.NotContains(t, string(memory), secret)
		}
		require.NotRegexp(t, `[^0-9]`+cardCVC+`[^0-9]`, printable(memory))
	}
	require.GreaterOrEqual(t, known, 2, "these are not the guests' memories: %d", len(guests))
}

// printable returns the texts of at least eight printable characters in memory, as strings(1) finds them.
func printable(memory []byte) string {
	var all strings.Builder
	start := -1
	for i, c := range memory {
		switch printable := c >= ' ' && c < 0x7f; {
		case printable && start < 0:
			start = i
		case !printable && start >= 0:
			if i-start >= 8 {
				all.Write(memory[start:i])
				all.WriteByte('\n')
			}
			start = -1
		}
	}
	return all.String()
}
