package port

import (
	"context"
	"time"

	"payswitch/sdk"
)

// Bundle is a bundle of an adapter that payswitch keeps: one that an operator gave and has not installed, or one that was installed.
type Bundle struct {
	SHA256      string // of the bundle's file; names the bundle
	Name        string // of the adapter
	Version     string
	GivenAt     time.Time
	GivenBy     string
	InstalledAt time.Time // zero: not installed yet
	InstalledBy string
}

// BundleView is a bundle with what an operator has to know before it is installed.
type BundleView struct {
	Bundle
	Module   string // SHA-256 of the adapter's module; AdapterInfo.Hash while it is in use
	Size     int    // bytes of the module
	Manifest *sdk.Manifest
	Signer   string // id of the trusted key that signed it
	Replaces string // the build in use, in words; "" for none
	InUse    bool   // it is the build in use
	Older    bool   // its version is older than the one in use
	BuiltIn  bool   // it would replace a built-in adapter
	Further  string // what it asks for beyond the build in use, in words; "" for nothing
	Refused  string // why it cannot be installed here; "" if it can
}

// Bundles keeps and installs bundles of adapters, for all nodes. Implementations are safe for concurrent use. Errors that an operator can mend are
// fault.Errors. An error of kind KindNotFound says that no such bundle is kept.
type Bundles interface {
	// Give examines a bundle as strictly as an installation does, and keeps it for a day. by is the name of the person who uploads the bundle.
	Give(ctx context.Context, file []byte, by string) (*BundleView, error)
	// Bundles lists the kept bundles of an adapter, or with "" of all: the latest installed first, and then those that wait.
	Bundles(ctx context.Context, adapter string) ([]Bundle, error)
	Bundle(ctx context.Context, sha256 string) (*BundleView, error)
	// Install examines a kept bundle again and installs it, with its module pinned by hash. All nodes take it up within seconds. It refuses a version
	// older than the one in use, and a bundle with the name of a built-in adapter, unless may says otherwise.
	Install(ctx context.Context, sha256, by string, may Replacing) (*BundleView, error)
}

// Replacing is what an installation may replace because the operator allows it. The zero value refuses both.
type Replacing struct {
	Older   bool // a newer version by an older one
	BuiltIn bool // a built-in adapter by a bundle of its name
}
