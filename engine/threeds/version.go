package threeds

import (
	"slices"
	"strconv"
	"strings"

	"payswitch/engine/threeds/message"
)

type version string

func (v version) known() bool { return slices.Contains(message.Versions, string(v)) }

// number returns the version as major, minor and patch; ok is false for any other text.
func (v version) number() (n [3]int, ok bool) {
	parts := strings.Split(string(v), ".")
	if len(parts) != len(n) {
		return n, false
	}
	for i, p := range parts {
		d, err := strconv.ParseUint(p, 10, 16)
		if err != nil {
			return n, false
		}
		n[i] = int(d)
	}
	return n, true
}

// compare returns a negative number if v is older than w. A text that is not a version counts as the oldest.
func (v version) compare(w version) int {
	a, _ := v.number()
	b, _ := w.number()
	return slices.Compare(a[:], b[:])
}

// atLeast reports whether v is w or newer.
func (v version) atLeast(w version) bool { return v.compare(w) >= 0 }

// ChooseVersion returns the highest version that the card's range offers, the profile allows and the adapter supports (an empty list: any).
// It must be lower than below, unless below is "": that is the next lower version after Erro 102. 3RI needs 2.2. ChooseVersion returns "" if
// no version fits.
func ChooseVersion(cfg Config, channel Channel, offered, adapter []string, below string) string {
	best := ""
	for _, o := range offered {
		v := version(o)
		switch {
		case !v.known(), !cfg.allows(v), len(adapter) > 0 && !slices.Contains(adapter, o):
		case below != "" && v.atLeast(version(below)):
		case channel == ThreeRI && !v.atLeast("2.2.0"):
		case best == "" || v.compare(version(best)) > 0:
			best = o
		}
	}
	return best
}

func (c Config) allows(v version) bool {
	n, ok := v.number()
	return slices.Contains(c.AllowVersions, string(v)) || ok && n[0] == 2 && slices.Contains(c.AllowVersions, anyVersion)
}
