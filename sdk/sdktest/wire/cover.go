package wire

import (
	"fmt"
	"strings"

	"payswitch/sdk"
	"payswitch/sdk/internal/cover"
)

// coverage notes what the cases of a run exercise.
type coverage struct {
	operations map[sdk.Operation]bool
	places     map[string]bool
}

// begin starts the notes. The function that it returns ends them and returns the report.
func (c *coverage) begin() func(*sdk.Adapter, *Responses) string {
	c.operations, c.places = map[sdk.Operation]bool{}, map[string]bool{}
	counts := cover.Start()
	return func(a *sdk.Adapter, p *Responses) string {
		if p != nil && p.Webhooks.Sample != nil {
			c.operations[sdk.OpWebhook] = true
		}
		report := Uncovered(&a.Manifest, offered(a), c.operations, c.places)
		if counts {
			if all, missed := cover.Stop(); all > 0 {
				report = append(report, missedText("rows of tables", all, missed))
			}
		}
		return fmt.Sprintf("coverage of %s's cases:\n  %s\n", a.Manifest.Name, strings.Join(report, "\n  "))
	}
}

func offered(a *sdk.Adapter) []sdk.Operation {
	m, err := sdk.DecodeManifest(a.ManifestMessage())
	if err != nil {
		return nil
	}
	return m.Operations
}

func (c *coverage) operation(op sdk.Operation) {
	if c.operations != nil {
		c.operations[op] = true
	}
}

func (c *coverage) place(p *sdk.Placement, used bool) {
	if c.places != nil && used {
		c.places[PlacementText(p)] = true
	}
}

// PlacementText names a placement in a report.
func PlacementText(p *sdk.Placement) string {
	text := p.Secret + " in " + string(p.In) + " " + p.Field
	for _, more := range []string{string(p.Operation), p.Method, p.Path} {
		if more != "" {
			text += ", " + more
		}
	}
	return text
}

// Uncovered lists the operations and the placements of card data that no case exercises: one line for each kind.
func Uncovered(m *sdk.Manifest, offers []sdk.Operation, operations map[sdk.Operation]bool, places map[string]bool) []string {
	var ops, missed []string
	for _, op := range offers {
		if !operations[op] {
			ops = append(ops, string(op))
		}
	}
	all := 0
	for i := range m.Placements {
		p := &m.Placements[i]
		if p.In != sdk.InBody || p.Secret != "card_number" && p.Secret != "cvc" && p.Secret != "cavv" {
			continue
		}
		all++
		if !places[PlacementText(p)] {
			missed = append(missed, PlacementText(p))
		}
	}
	return []string{missedText("operations", len(offers), ops), missedText("placements of card data", all, missed)}
}

// missedShown limits the names in one line of a report.
const missedShown = 12

func missedText(what string, all int, missed []string) string {
	if len(missed) == 0 {
		return fmt.Sprintf("%s: all %d exercised", what, all)
	}
	text := fmt.Sprintf("%s: %d of %d never exercised: %s", what, len(missed), all, strings.Join(missed[:min(len(missed), missedShown)], "; "))
	if len(missed) > missedShown {
		text += "; …"
	}
	return text
}

// DeclineCodes returns the decline codes that the cases name: those of the list of codes, and those of expected outcomes.
func (f *Responses) DeclineCodes() map[string]bool {
	all := map[string]bool{}
	if f == nil {
		return all
	}
	for code := range f.Declines.Codes {
		all[code] = true
	}
	for i := range f.Samples {
		c := &f.Samples[i]
		if decline, ok := c.want["decline"].(map[string]any); ok {
			if code, ok := decline["code"].(string); ok {
				all[code] = true
			}
		}
		if c.Expected.Error != nil {
			all[c.Expected.Error.Code] = true
		}
	}
	return all
}

// oldWords counts the cases in the older vocabulary, which name their operation by flow.
func oldWords(q *Requests, p *Responses) (n int) {
	count := func(all []Case) {
		for i := range all {
			if !all[i].own() {
				n++
			}
		}
	}
	count(q.Cases)
	if p != nil {
		count(p.Samples)
	}
	return n
}
