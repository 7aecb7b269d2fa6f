package rank

import (
	"cmp"
	"time"

	"payswitch/engine/fault"
	"payswitch/engine/routing/health"
)

// EliminationConfig moves accounts that fail to the end of the candidates, as sent and as stored.
type EliminationConfig struct {
	Params   []string `json:"params,omitempty"` // kept without effect: faults count per account
	Analyser *struct {
		Size *int `json:"bucket_size,omitempty"`                  // faults that make the bucket full, 1 to health.MaxFaultTimes; 5 without it
		Leak *int `json:"bucket_leak_interval_in_secs,omitempty"` // seconds after which one fault leaves the bucket; 60 without it
	} `json:"elimination_analyser_config,omitempty"`
	DecisionEngine *struct {
		Threshold float64 `json:"threshold"` // the share of recent attempts that the account must have answered, 0 to 1
	} `json:"decision_engine_configs,omitempty"`
}

// bucket returns the size of the bucket and the time in which one fault leaves it.
func (c *EliminationConfig) bucket() (size int, leak time.Duration) {
	size, seconds := 5, 60
	if n := c.Analyser.Size; n != nil {
		size = *n
	}
	if n := c.Analyser.Leak; n != nil {
		seconds = *n
	}
	return size, time.Duration(seconds) * time.Second
}

func (c *EliminationConfig) isEmpty() bool {
	return c.Params == nil && c.Analyser == nil && c.DecisionEngine == nil
}

func (c *EliminationConfig) check(func(string) bool) *fault.Error {
	if bad := checkParams(c.Params); bad != nil {
		return bad
	}
	if c.Analyser != nil {
		if size, leak := c.bucket(); size < 1 || size > health.MaxFaultTimes {
			return fault.Unprocessable("elimination_analyser_config.bucket_size", "bucket_size must be from 1 to 100").WithHint("Send a number from 1 to 100.")
		} else if leak < time.Second || leak > 24*time.Hour {
			return fault.Unprocessable("elimination_analyser_config.bucket_leak_interval_in_secs", "bucket_leak_interval_in_secs must be from 1 to 86400").WithHint("Send a number from 1 to 86400.")
		}
	}
	if d := c.DecisionEngine; d != nil && !(d.Threshold >= 0 && d.Threshold <= 1) {
		return fault.Unprocessable("decision_engine_configs.threshold", "threshold must be from 0 to 1").WithHint("Send a number from 0 to 1.")
	}
	return nil
}

// Eliminates reports whether an account goes to the end of the candidates: its bucket of faults is full, or it has answered too few of its recent attempts.
// Half a fault less than the bucket's size is enough, because time takes a part of each.
func (c *EliminationConfig) Eliminates(a health.Account, b Board) bool {
	if c.Analyser != nil {
		if size, leak := c.bucket(); b.Faults(a, leak) >= float64(size)-0.5 {
			return true
		}
	}
	if c.DecisionEngine == nil {
		return false
	}
	good, bad := b.Recent(a)
	return good+bad >= health.MinFaults-0.5 && cmp.Less(good/(good+bad), c.DecisionEngine.Threshold)
}
