package router_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/relay"
	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/sdk"
)

// No query can show what became of a relay at this processor. Operators see the relay among the open operations, and end it with one call.
func TestOperatorEndsARelay(t *testing.T) {
	t.Parallel()
	present := time.Now()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(present))
		never := simulator.Adapter()
		never.Manifest.Resolve.By = []sdk.ResolveBy{sdk.ResolveByProcessorID, sdk.ResolveByIdempotentResend}
		w := newWorldWith(t, plugins.NativeConnectors(map[string]*sdk.Adapter{"stripe": never, "adyen": simulator.Adapter()}))
		lost := func(of string) string {
			r := w.relayOf(of, "stripe", "refund", `{"amount":900000404,"currency":"USD"}`).ok()
			require.Equal(t, "pending", r["status"])
			return r["id"].(string)
		}
		made, not, refused := lost("made"), lost("not"), lost("refused")
		resolve := func(id, body string) response { return w.admin("POST", "/operations/"+id+"/resolve", body) }
		resolve(made, `{"outcome":"succeeded","by":"Ada","why":"dashboard"}`).refused(503, "HE_00", "may be under way")
		time.Sleep(3 * time.Minute)

		list := w.admin("GET", "/operations?status=unknown", "").ok()
		require.EqualValues(t, 3, list["count"])
		first := list["data"].([]any)[0].(map[string]any)
		require.Equal(t, []any{made, "refund", "unknown", 900000404.0, "USD", "", nil}, []any{first["operation_id"], first["kind"], first["status"], first["amount"], first["currency"],
			first["payment_id"], first["resolution"]})
		require.Contains(t, first["last_answer"], "transaction ")
		require.Equal(t, made, w.admin("GET", "/operations/"+made, "").ok()["operation_id"])

		resolve(made, `{"outcome":"succeeded","by":"Ada","why":"dashboard","amount":900000405}`).refused(422, "IR_06", "between 1 and 900000404")
		resolve(made, `{"outcome":"succeeded","by":"Ada"}`).refused(400, "IR_06", "why")
		said := resolve(made, `{"outcome":"succeeded","by":"Ada","why":"dashboard","reference":"re_7"}`).ok()
		require.Equal(t, "succeeded", said["status"])
		require.Equal(t, "Ada", said["resolution"].(map[string]any)["by"])
		resolve(made, `{"outcome":"declined","by":"Ada","why":"dashboard"}`).refused(404, "HE_02", "")
		require.Equal(t, "not_acted", resolve(not, `{"outcome":"not_done","by":"Ada","why":"statement"}`).ok()["status"])
		require.Equal(t, "declined", resolve(refused, `{"outcome":"declined","by":"Ada","why":"statement"}`).ok()["status"])
		get := func(id string) map[string]any { return w.get("/relay/" + id).ok() }
		require.Equal(t, []any{"success", "re_7"}, []any{get(made)["status"], get(made)["connector_reference_id"]})
		require.Equal(t, string(relay.Failure), get(not)["status"])
		require.Equal(t, "not_processed", get(not)["error"].(map[string]any)["code"])
		require.Equal(t, "declined", get(refused)["error"].(map[string]any)["code"])
		require.EqualValues(t, 0, w.admin("GET", "/operations", "").ok()["count"])
	})
}
