package plugins

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"payswitch/plugins/sandbox"
)

// A description says what a built-in module is, so that a first start need not compile every adapter to find out. It holds the module's
// hash, a new line, and its manifest message. `make plugins` packs one with each module. The host ignores a description with another
// module's hash. It refuses a module whose manifest, once compiled, differs from its description.

// DescriptionName returns the name of the file of a module's description: acme.wasm → acme.manifest.
func DescriptionName(module string) string { return strings.TrimSuffix(module, ".wasm") + ".manifest" }

// Describe compiles a module and returns its description.
func Describe(ctx context.Context, wasm []byte, o sandbox.Options) ([]byte, error) {
	return describeAfter(ctx, wasm, WarmUp(), o)
}

// describeAfter is Describe with a warm-up, nil for none.
func describeAfter(ctx context.Context, wasm, warm []byte, o sandbox.Options) (_ []byte, err error) {
	rt, err := sandbox.New(ctx, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rt.Close(ctx)) }()
	m, err := rt.Load(wasm, warm)
	if err != nil {
		return nil, err
	}
	message, err := m.Manifest(ctx)
	if err != nil {
		return nil, err
	}
	return append([]byte(m.Hash()+"\n"), message...), nil
}

// Described reports whether a description belongs to the module.
func Described(wasm, description []byte) bool {
	_, ok := described(hashOf(wasm), description)
	return ok
}

func described(hash string, description []byte) (message []byte, ok bool) {
	of, message, ok := bytes.Cut(description, []byte("\n"))
	return message, ok && string(of) == hash
}
