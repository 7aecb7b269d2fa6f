package plugins

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"payswitch/plugins/sandbox"
)

// A description is what `make plugins` puts beside a built-in module, so that a first start need not compile every adapter to learn what
// it is: the module's hash, a new line, and its manifest message. One whose hash is another's is left unread; a module that says
// something else when it is compiled is refused.

// DescriptionName is the file of a module's description: acme.wasm → acme.manifest.
func DescriptionName(module string) string { return strings.TrimSuffix(module, ".wasm") + ".manifest" }

// Describe compiles a module and makes its description.
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

// Described says whether a description is the module's own.
func Described(wasm, description []byte) bool {
	_, ok := described(hashOf(wasm), description)
	return ok
}

func described(hash string, description []byte) (message []byte, ok bool) {
	of, message, ok := bytes.Cut(description, []byte("\n"))
	return message, ok && string(of) == hash
}
