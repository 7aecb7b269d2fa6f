package storage

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
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

// TestDocuments shows a change in the form of a stored document to the reviewer. If a name disappears or changes its type, stored values can
// no longer be read: add a new name, or migrate.
func TestDocuments(t *testing.T) {
	var b strings.Builder
	describe(&b, "payments.details", reflect.TypeFor[payment.Details]())
	describe(&b, "attempts.details", reflect.TypeFor[payment.AttemptDetails]())
	describe(&b, "operations.resolution", reflect.TypeFor[payment.Resolution]())
	describe(&b, "decision_proposals.details", reflect.TypeFor[payment.ProposalDetails]())
	describe(&b, "refunds.details", reflect.TypeFor[payment.RefundDetails]())
	describe(&b, "disputes.details", reflect.TypeFor[disputed.Details]())
	describe(&b, "relays.details", reflect.TypeFor[relay.Details]())
	describe(&b, "links.details", reflect.TypeFor[paylink.Details]())
	describe(&b, "authentications.details", reflect.TypeFor[authentication.Details]())
	describe(&b, "account_versions.details", reflect.TypeFor[account.VersionDetails]())
	describe(&b, "payment_methods.details", reflect.TypeFor[method.Details]())
	describe(&b, "mandates.details", reflect.TypeFor[method.MandateDetails]())
	describe(&b, "profiles.settings", reflect.TypeFor[account.ProfileSettings]())
	const golden = "testdata/documents.golden"
	if *updateGolden {
		require.NoError(t, os.WriteFile(golden, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String(), "run with -update if stored documents can still be read")
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
