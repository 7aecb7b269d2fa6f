package rank

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"payswitch/engine/fault"
	"payswitch/engine/routing/health"
)

// Kind is a kind of dynamic routing. Its value is the name of the kind's configurations, as answers show it.
type Kind string

// The kinds.
const (
	Success     Kind = "Success rate based dynamic routing algorithm"
	Elimination Kind = "Elimination based dynamic routing algorithm"
	Contract    Kind = "Contract based dynamic routing algorithm"
)

// Config is a configuration of one kind: *SuccessConfig, *EliminationConfig or *ContractConfig.
type Config interface {
	// isEmpty reports whether the request named no part of the configuration.
	isEmpty() bool
	// check returns what is wrong, and in which field. owned reports whether the profile has an account.
	check(owned func(account string) bool) *fault.Error
}

// Board has the statistics of accounts. *health.Board implements it.
type Board interface {
	Rates(a health.Account, of health.Slice) (approved, total float64)
	Recent(a health.Account) (good, bad float64)
	Faults(a health.Account, leak time.Duration) float64
	Volume(a health.Account, since time.Time) int64
}

// percent reports whether a number that may be absent is from 0 to 100.
func percent(n *float64) bool { return n == nil || *n >= 0 && *n <= 100 }

// defaults are the configurations that a switch without a body stores.
var defaults = map[Kind]string{
	Success: `{"params":["PaymentMethod","PaymentMethodType","AuthenticationType","Currency","Country","CardNetwork","CardBin"],"config":{"min_aggregates_size":5,` +
		`"max_aggregates_size":8,"default_success_rate":100,"current_block_threshold":{"max_total_count":5},"exploration_percent":20,"specificity_level":"merchant"}}`,
	Elimination: `{"elimination_analyser_config":{"bucket_size":5,"bucket_leak_interval_in_secs":60}}`,
	Contract:    `{"config":{"constants":[0.7,0.35],"time_scale":"day"}}`,
}

// Default returns the default configuration of a kind as JSON.
func Default(k Kind) json.RawMessage { return json.RawMessage(defaults[k]) }

// Read reads a stored configuration.
func Read(k Kind, raw json.RawMessage) (Config, error) {
	c := empty(k)
	return c, json.Unmarshal(raw, c)
}

func empty(k Kind) Config {
	switch k {
	case Elimination:
		return &EliminationConfig{}
	case Contract:
		return &ContractConfig{}
	}
	return &SuccessConfig{}
}

// Check reads a configuration as sent, and checks it against the profile's accounts. It returns the configuration without the parts that are null. Errors:
// IR_06: 400 for what cannot be read, and 422 for a value that is out of range.
func Check(k Kind, raw json.RawMessage, owned func(account string) bool) (json.RawMessage, *fault.Error) {
	c := empty(k)
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(c); err != nil {
		return nil, malformed(err)
	}
	if c.isEmpty() {
		return nil, fault.Unprocessable("config", "The configuration is empty: send at least one of its parts").WithHint("Send at least one part of the configuration.")
	}
	if bad := c.check(owned); bad != nil {
		return nil, bad
	}
	kept, err := json.Marshal(c)
	if err != nil {
		return nil, fault.Internal(err, "encode the configuration")
	}
	return kept, nil
}

// malformed describes why a configuration cannot be read.
func malformed(err error) *fault.Error {
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		return fault.Malformed(wrong.Field, wrong.Field+": invalid type: "+wrong.Value).WithHint("Send the type that the API describes for this field.")
	}
	return fault.Malformed("config", strings.ReplaceAll(strings.TrimPrefix(err.Error(), "json: "), `"`, "`")).WithHint("Send the configuration as /openapi.yaml describes it.")
}

// Merge returns a stored configuration with the parts of another one in their place. A part that is null or absent stays. Labels of contracts are merged by
// account, and every other list is replaced. changes must be an object.
func Merge(stored, changes json.RawMessage) (json.RawMessage, error) {
	var old, more map[string]any
	if err := json.Unmarshal(stored, &old); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(changes, &more); err != nil {
		return nil, err
	}
	return json.Marshal(merged(old, more))
}

func merged(old, more map[string]any) map[string]any {
	if old == nil {
		old = map[string]any{}
	}
	for key, value := range more {
		below, ok := value.(map[string]any)
		before, had := old[key].(map[string]any)
		switch {
		case value == nil:
		case ok && had:
			old[key] = merged(before, below)
		case key == "label_info":
			old[key] = mergedLabels(old[key], value)
		default:
			old[key] = value
		}
	}
	return old
}

// mergedLabels replaces the labels of accounts that have new ones, and adds the labels of other accounts.
func mergedLabels(old, more any) any {
	list, _ := old.([]any)
	added, ok := more.([]any)
	if !ok {
		return more
	}
	account := func(label any) any {
		fields, _ := label.(map[string]any)
		return fields["mca_id"]
	}
	kept := slices.DeleteFunc(slices.Clone(list), func(x any) bool {
		return slices.ContainsFunc(added, func(y any) bool { return account(x) == account(y) })
	})
	return append(kept, added...)
}
