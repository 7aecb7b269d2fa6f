package plugins

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"payswitch/plugins/sandbox"
)

// A description spares the first start the compilation of every built-in adapter. `make plugins` writes it next to the module: the
// module's hash, a new line, and the manifest message. The host ignores a description with another hash, and refuses a module
// whose manifest differs from its description once it is compiled.

// DescriptionName is the file name of a module's description: acme.manifest for acme.wasm.
func DescriptionName(module string) string { return strings.TrimSuffix(module, ".wasm") + ".manifest" }

// Describe compiles a module and returns its description.
func Describe(ctx context.Context, wasm []byte, o sandbox.Options) (_ []byte, err error) {
	rt, err := sandbox.New(ctx, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rt.Close(ctx)) }()
	m, err := rt.Load(wasm, warmUp())
	if err != nil {
		return nil, err
	}
	message, err := m.Manifest(ctx)
	if err != nil {
		return nil, err
	}
	return append([]byte(m.Hash()+"\n"), message...), nil
}

// Described reports whether a description belongs to a module.
func Described(wasm, description []byte) bool {
	_, ok := described(hashOf(wasm), description)
	return ok
}

func described(hash string, description []byte) (message []byte, ok bool) {
	of, message, ok := bytes.Cut(description, []byte("\n"))
	return message, ok && string(of) == hash
}
