package cover

// Native is false in a WASM module.
const Native = false

// On is false in a WASM module.
func On() bool { return false }

// Known does nothing in a WASM module.
func Known(any, []string) {}

// Hit does nothing in a WASM module.
func Hit(any, string, func() []string) {}

// Start does nothing in a WASM module.
func Start() bool { return false }

// Stop reports no rows.
func Stop() (all int, missed []string) { return 0, nil }
