package plugins

import (
	"payswitch/engine/port"
	"payswitch/sdk"
)

// AsEmbedded has the host treat Options.BuiltIn as part of this program.
func AsEmbedded(o Options) Options { o.embedded = true; return o }

// UnloadIdle frees replaced builds at once.
func (h *Host) UnloadIdle() { h.unload(0) }

// CompareCAVV returns the host's result for a verify outside webhooks. expr receives the step with its stand-ins.
func CompareCAVV(d *port.Drive, m *sdk.Manifest, expr func(*sdk.Step) sdk.Expr, equal string) (bool, error) {
	step, secrets := newStep(d, m, "")
	return verifyCAVV(&sdk.Verify{Expr: expr(step), Equal: equal}, secrets)
}
