package storage

import (
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/account"
	"payswitch/engine/authentication"
	"payswitch/engine/disputed"
	"payswitch/engine/method"
	"payswitch/engine/paylink"
	"payswitch/engine/payment"
	"payswitch/engine/relay"
)

var updateGolden = flag.Bool("update", false, "write the golden files anew")

// documents are the types of the documents in the tables.
var documents = []struct {
	column string
	kind   reflect.Type
}{
	{"payments.details", reflect.TypeFor[payment.Details]()},
	{"attempts.details", reflect.TypeFor[payment.AttemptDetails]()},
	{"operations.resolution", reflect.TypeFor[payment.Resolution]()},
	{"decision_proposals.details", reflect.TypeFor[payment.ProposalDetails]()},
	{"refunds.details", reflect.TypeFor[payment.RefundDetails]()},
	{"disputes.details", reflect.TypeFor[disputed.Details]()},
	{"relays.details", reflect.TypeFor[relay.Details]()},
	{"links.details", reflect.TypeFor[paylink.Details]()},
	{"authentications.details", reflect.TypeFor[authentication.Details]()},
	{"account_versions.details", reflect.TypeFor[account.VersionDetails]()},
	{"payment_methods.details", reflect.TypeFor[method.Details]()},
	{"mandates.details", reflect.TypeFor[method.MandateDetails]()},
	{"profiles.settings", reflect.TypeFor[account.ProfileSettings]()},
}

// TestDocuments shows a change in the form of a stored document to the reviewer. If a name disappears or changes its type, stored values can
// no longer be read: add a new name, or migrate.
func TestDocuments(t *testing.T) {
	var b strings.Builder
	for _, d := range documents {
		describe(&b, d.column, d.kind)
	}
	const golden = "testdata/documents.golden"
	if *updateGolden {
		require.NoError(t, os.WriteFile(golden, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String(), "run with -update if stored documents can still be read")

	requireDocumentsMigration(t, fmt.Sprintf("%x", sha256.Sum256(want))[:12])
}

// requireDocumentsMigration requires that the last migration of its kind names the form of the stored documents. A node of an earlier release drops names
// that it does not know from the documents that it writes, also those that protect money. The migration keeps it from running at the same time.
func requireDocumentsMigration(t *testing.T, hash string) {
	migrations, err := readMigrations(os.DirFS("."))
	require.NoError(t, err)
	named := ""
	for _, m := range migrations {
		if _, line, found := strings.Cut(m.text, "\n-- documents: "); found {
			named = strings.TrimSpace(line)
		}
	}
	if *updateGolden && named != hash {
		last, err := strconv.Atoi(migrations[len(migrations)-1].version)
		require.NoError(t, err)
		text := "-- Stored documents have further names. Nodes of earlier releases would drop them: none may run while this is applied.\n-- documents: " + hash + "\n"
		require.NoError(t, os.WriteFile(fmt.Sprintf("migrations/%04d_documents.sql", last+1), []byte(text), 0o644))
		named = hash
	}
	require.Equal(t, hash, named, "the names of stored documents have changed: -update adds a migration, so that no node of an earlier release runs at the same time")
}

func describe(b *strings.Builder, path string, t reflect.Type) {
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		fmt.Fprintln(b, path, "JSON")
	case t == reflect.TypeFor[time.Time]():
		fmt.Fprintln(b, path, "time")
	case t.Kind() == reflect.Pointer:
		describe(b, path, t.Elem())
	case t.Kind() == reflect.Slice:
		describe(b, path+"[]", t.Elem())
	case t.Kind() == reflect.Map:
		describe(b, path+"{}", t.Elem())
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			if name == "" {
				name = t.Field(i).Name
			}
			if name != "-" {
				describe(b, path+"."+name, t.Field(i).Type)
			}
		}
	default:
		fmt.Fprintln(b, path, t.Kind())
	}
}

// TestDecode: decode reads documents as encoding/json does, which wrote them.
func TestDecode(t *testing.T) {
	for _, d := range documents {
		full := reflect.New(d.kind)
		fill(full.Elem(), 4)
		text, err := encode(full.Interface())
		require.NoError(t, err)
		for _, text := range []string{text, "{}", "null", `{"a":[{"b":null}],"a":1}`, "", "{", `{}{}`, `[]`, `"text"`, "{\"a\":\"\xff\"}"} {
			want, got := reflect.New(d.kind).Interface(), reflect.New(d.kind).Interface()
			wantErr, err := json.Unmarshal([]byte(text), want), decode([]byte(text), got)
			require.Equal(t, wantErr == nil, err == nil, "%s: %.80q: %v", d.column, text, err)
			if wantErr == nil {
				require.Equal(t, want, got, "%s: %.80q", d.column, text)
			}
		}
	}
}

// fill sets everything in v that JSON shows, down to the given depth.
func fill(v reflect.Value, depth int) {
	if depth == 0 {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("text <&> \u2028 é")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(41)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(42)
	case reflect.Float64:
		v.SetFloat(0.25)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), depth)
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]byte(`{"a":[1,null]}`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(1), depth-1)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, depth-1)
		fill(value, depth-1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.UnixMilli(1_800_000_000_123).UTC()))
			return
		}
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i), depth)
			}
		}
	}
}
