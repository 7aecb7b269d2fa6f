package rank

import (
	"cmp"
	"math"
	"slices"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/routing/health"
)

// ContractConfig sends accounts the volumes that contracts promise them, as sent and as stored.
type ContractConfig struct {
	Config *struct {
		Constants []float64 `json:"constants,omitempty"` // kept without effect
		// TimeScale is day or month, "" for day: the share of a running day, or of 30 days, may be reached at its beginning.
		TimeScale *string `json:"time_scale,omitempty"`
	} `json:"config,omitempty"`
	Labels []Label `json:"label_info,omitempty"`
}

// Label is the contract of an account: so many attempts until a time.
type Label struct {
	Label       *string `json:"label"`
	TargetCount *int64  `json:"target_count"`
	TargetTime  *int64  `json:"target_time"` // Unix seconds
	Account     *string `json:"mca_id"`
}

// maxLabels is the number of contracts in a configuration.
const maxLabels = 100

func (c *ContractConfig) isEmpty() bool { return c.Config == nil && c.Labels == nil }

func (c *ContractConfig) check(owned func(string) bool) *fault.Error {
	if x := c.Config; x != nil {
		if s := x.TimeScale; s != nil && *s != "day" && *s != "month" {
			return fault.Malformed("config.time_scale", "time_scale: unknown variant `"+*s+"`, expected `day` or `month`").WithHint("Send \"day\" or \"month\".")
		}
		if len(x.Constants) > 10 {
			return fault.Unprocessable("config.constants", "constants must have at most 10 numbers").WithHint("Send at most 10 numbers.")
		}
	}
	if len(c.Labels) > maxLabels {
		return fault.Unprocessable("label_info", "label_info must have at most 100 entries").WithHint("Shorten the list.")
	}
	var seen []string
	for _, l := range c.Labels {
		for name, missing := range map[string]bool{"label": l.Label == nil, "target_count": l.TargetCount == nil, "target_time": l.TargetTime == nil, "mca_id": l.Account == nil} {
			if missing {
				return fault.Malformed("label_info", "label_info: missing field `"+name+"`").WithHint("Add the field to each entry.")
			}
		}
		switch {
		case *l.TargetCount < 0 || *l.TargetTime < 0 || *l.TargetTime > math.MaxInt32*1000:
			return fault.Unprocessable("label_info", "target_count must not be negative, and target_time must be a time in Unix seconds").WithHint("Send a number of 0 or more, and a time in Unix seconds.")
		case slices.Contains(seen, *l.Account):
			return fault.Unprocessable("label_info", "Duplicate mca configuration received").WithHint("Send each account once.")
		case !owned(*l.Account):
			return fault.Unprocessable("label_info", "Incorrect mca configuration received").WithHint("Name connector accounts of the profile.")
		}
		seen = append(seen, *l.Account)
	}
	return nil
}

// Order puts the accounts first that are behind the volume of their contract, the one with the largest missing share at the front. began is when the contracts
// began to count. behind is the number of accounts that were put first.
func (c *ContractConfig) Order(list []*account.Account, began, now time.Time, b Board) (out []*account.Account, behind int) {
	missing := map[*account.Account]float64{}
	for _, a := range list {
		for _, l := range c.Labels {
			if *l.Account == a.ID {
				if n := c.missing(l, b.Volume(health.Account{MerchantID: a.MerchantID, ID: a.ID}, began), began, now); n > 0 {
					missing[a] = n
				}
			}
		}
	}
	if len(missing) == 0 {
		return list, 0
	}
	out = slices.Clone(list)
	slices.SortStableFunc(out, func(x, y *account.Account) int { return cmp.Compare(missing[y], missing[x]) })
	return out, len(missing)
}

// missing returns the share of the target that an account with so many attempts is behind, 0 for none. Each day or month adds an even part of the target.
func (c *ContractConfig) missing(l Label, done int64, began, now time.Time) float64 {
	end := time.Unix(*l.TargetTime, 0)
	if done >= *l.TargetCount || !now.Before(end) || !end.After(began) {
		return 0
	}
	period := 24 * time.Hour
	if x := c.Config; x != nil && x.TimeScale != nil && *x.TimeScale == "month" {
		period *= 30
	}
	elapsed := (now.Sub(began)/period + 1) * period
	due := float64(*l.TargetCount) * min(1, float64(elapsed)/float64(end.Sub(began)))
	return max(0, due-float64(done)) / float64(*l.TargetCount)
}
