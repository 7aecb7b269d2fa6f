package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// faultyBinary is the program with the defects that CHAOS_FAULTS names.
var faultyBinary = sync.OnceValues(func() (string, error) {
	path := filepath.Join(scratch, "payswitch-faulty")
	return path, goBuild(nil, "-tags", "chaosfaults,compileonce", "-o", path, "./cmd/payswitch")
})

// plantedFaults are defects of earlier releases and others of their kind, each with what the check of the books must say of it. A run has the
// faults of the world that bring the defect out.
var plantedFaults = []struct {
	defect string // for fault.Planted, with commas
	faults []string
	mute   bool
	turns  int // see chaosOptions
	want   string
	crowd  bool // see chaosOptions
}{
	{"believe not found,no remedy", []string{"kill", "none"}, false, 0, "money of a payment that is shown without", false}, // A2
	{"cancel locally,no remedy", []string{"none"}, false, 0, "money of a payment that is shown without", false},            // A1
	{"send again only", []string{"outage of keyed"}, true, 0, "not settled in time", false},                                // A4
	{"send again only", []string{"outage of keyed"}, true, 0, "authorized 2 times", false},                                 // without keys: as A3
	{"present credentials,no remedy", slices.Repeat([]string{"credentials"}, 5), true, 0, "authorized 2 times", false},     // A3
	{"one queue", []string{"outage of keyed"}, true, 0, "not settled in time", true},                                       // A5
	{"record without a turn", []string{"outage of keyed"}, false, 1, "recorded as done", false},                            // A6
	{"freeze captures", []string{"none"}, true, 0, "capture is unknown", false},                                            // A7
	{"charge late", []string{"outage of keyed", "outage of keyed"}, true, 0, "after the customer's last request", false},   // A8
	{"forget releases", slices.Repeat([]string{"none"}, 4), false, 0, "money is still held", false},
	{"refund more", []string{"none"}, false, 0, "refunded of", false},
	{"forget keys", []string{"kill", "none"}, false, 0, "answered in another way", false},
}

// TestChaosFindsPlantedFaults runs the crash test on a switch with a defect: its check must find it. make chaos tries all defects, make test one.
func TestChaosFindsPlantedFaults(t *testing.T) {
	faulty := plantedFaults
	if os.Getenv("CHAOS_KILLS") == "" {
		costly(t)
		t.Parallel()
		faulty = faulty[:1]
	}
	program, err := faultyBinary()
	require.NoError(t, err)
	for i, f := range faulty {
		t.Run(f.defect+": "+f.want, func(t *testing.T) {
			t.Parallel()
			for try := range uint64(3) { // a run may miss the moment that the defect needs
				seed := uint64(i+1) + 100*try
				r := newChaos(t, chaosOptions{seed: seed, program: program, planted: f.defect, mute: f.mute, settle: 20 * time.Second, turns: f.turns, crowd: f.crowd})
				all := r.live(f.faults)
				wrong := r.audit(all)
				found := 0
				for _, list := range wrong {
					if strings.Contains(strings.Join(list, "\n"), f.want) {
						found++
					}
				}
				t.Logf("CHAOS_SEED=%d: %d of %d payments are wrong, %d as expected", seed, len(wrong), len(all), found)
				if found > 0 {
					return
				}
				for id, list := range wrong {
					t.Logf("%s: %s", id, strings.Join(list, "; "))
				}
			}
			t.Errorf("the defect is not found: no payment has %q", f.want)
		})
	}
}
