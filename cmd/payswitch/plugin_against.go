package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"payswitch/plugins/sandbox"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// ruleNext is the rule that a build reads what the build before it stored.
const ruleNext = "next"

// checkAgainst tries whether a module reads the connector data of an older build: payments that began with the old build go on with the new one.
// Each outcome of the old build with connector data is given to every later operation of the cases. The operation must end as well as it does
// without the data.
func checkAgainst(ctx context.Context, now, old *loadedModule, rehearsals []wire.Rehearsal) (tried int, found []finding) {
	var kept []stored
	for i := range rehearsals {
		r := &rehearsals[i]
		if result, err := played(ctx, old, r.Step, r.Answers); err == nil && result.Outcome != nil && result.Outcome.ConnectorData != nil {
			kept = append(kept, stored{r.Where, result.Outcome.ConnectorData})
		}
	}
	reported := map[string]bool{}
	for i := range rehearsals {
		r := &rehearsals[i]
		if !continues(r.Step.Operation) {
			continue
		}
		before := endOf(ctx, now, r.Step, r.Answers)
		for _, k := range kept {
			step := *r.Step
			step.Request.ConnectorData = k.data
			tried++
			after := endOf(ctx, now, &step, r.Answers)
			if after.fault == "" || after.fault == before.fault || reported[string(step.Operation)+after.fault] {
				continue
			}
			reported[string(step.Operation)+after.fault] = true
			found = append(found, finding{step.Operation, fmt.Sprintf("%s: with the connector_data that the old build stored in %s: %s", r.Where, k.where, after.fault)})
		}
	}
	return tried, found
}

// compareWith adds the rule next to the report: the module reads the connector data of the older build in a file.
func (r *checkReport) compareWith(ctx context.Context, now *loadedModule, file, cases, path string) error {
	before, err := readWASM(file)
	if err != nil {
		return fmt.Errorf("--against: %w", err)
	}
	old, err := loadModule(ctx, before, pluginSandbox())
	if err != nil {
		return fmt.Errorf("--against: %w", err)
	}
	defer old.Close()
	recorded, _, err := casesOf(cases, path, now.manifest.Name)
	if err != nil {
		return err
	}
	if recorded == nil {
		return errors.New("--against needs cases of authorize with answers, and of later operations: name their folder with --cases")
	}
	requests, responses, err := wire.Load(recorded, now.manifest.Name)
	if err != nil {
		return err
	}
	tried, found := checkAgainst(ctx, now, old, wire.Rehearsals(now.manifest, requests, responses))
	rule := ruleReport{Rule: ruleNext, Demand: fmt.Sprintf("the module reads what the older build stored with payments (%d tries)", tried), Result: "ok", Findings: found}
	switch {
	case len(found) > 0:
		rule.Result, rule.Remedy, r.Passed = "failed", "read the old form of ConnectorData too: write its version, and keep the code of earlier versions", false
	case tried == 0:
		rule.Result = "not_checked" // the cases show no stored data
	}
	r.Rules = append(r.Rules, rule)
	return ctx.Err()
}

// stored is connector data of an older build.
type stored struct {
	where string
	data  *sdk.ConnectorData
}

// continues reports whether an operation continues a payment, and so gets connector data.
func continues(op sdk.Operation) bool {
	switch op {
	case sdk.OpAuthorize, sdk.OpVerify, sdk.OpUnreferencedRefund, sdk.OpAccessToken, sdk.OpWebhook, sdk.OpPrepare, sdk.OpAuthenticate, sdk.OpResult, sdk.OpCancelChallenge:
		return false
	}
	return true
}

// end is the end of an operation; fault says why the adapter could not do it.
type end struct{ fault string }

func endOf(ctx context.Context, m *loadedModule, s *sdk.Step, answers []sdk.Exchange) end {
	result, err := played(ctx, m, s, answers)
	switch {
	case err != nil:
		return end{err.Error()}
	case result.Reject != nil:
		return end{"rejected: " + result.Reject.Error()}
	case result.Outcome != nil:
		return end{result.Outcome.Raw["error"]}
	}
	return end{}
}

// played steps a module through an operation until it ends, verifies, or asks for a request without an answer.
func played(ctx context.Context, m *loadedModule, s *sdk.Step, answers []sdk.Exchange) (*sdk.Result, error) {
	step := *s
	step.Exchanges = nil
	for {
		message, err := m.Step(ctx, sandbox.Call{Now: time.UnixMilli(step.Now), Input: sdk.EncodeStep(&step)})
		if err != nil {
			return nil, err
		}
		result, err := sdk.DecodeResult(message)
		if err != nil || result.Send == nil || len(answers) == 0 {
			return result, err
		}
		x := answers[0]
		answers = answers[1:]
		x.Now, x.RequestHash, x.RequestCheck = step.Now, sdk.RequestHash(result.Send), sdk.RequestCheck(result.Send)
		step.Exchanges = append(step.Exchanges[:len(step.Exchanges):len(step.Exchanges)], x)
	}
}
