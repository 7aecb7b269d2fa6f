package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"payswitch/plugins"
	"payswitch/plugins/sandbox"
	"payswitch/sdk"
	"payswitch/sdk/sdktest"
	"payswitch/sdk/sdktest/wire"
)

// ruleModule is the rule that the sandbox runs the module at all. The other rules are those of package sdktest.
const ruleModule = "module"

// checkRules are the rules in the order of the report, each with its demand and a remedy.
var checkRules = []struct{ rule, demand, remedy string }{
	{ruleModule, "the sandbox accepts the module, and the module returns its manifest",
		"build it with  payswitch plugin build;  in another language, see sdk/ABI.md, \"1. The module\""},
	{sdktest.RuleManifest, "the manifest is complete and free of contradictions",
		"correct the fields that are named; sdk/ABI.md, \"5. Manifest\", explains each field"},
	{sdktest.RuleOperations, "the adapter answers every declared operation, and rejects the others as unsupported",
		"let the manifest's operations and the code agree; in Go they follow from the functions that are set"},
	{sdktest.RuleMessage, "every result can be decoded, and no step traps",
		"return an error or an unknown outcome instead of a panic; end every operation within its number of sends"},
	{sdktest.RuleDeterminism, "the same step gives the same bytes",
		"keep nothing between calls; no clock, random source or map order but Call.Now, Call.ID, Call.Random and sorted keys"},
	{sdktest.RuleIdentity, "two payments never send the same request",
		"send Request.Reference, and set Send.IdempotencyHeader if the processor takes an idempotency key"},
	{sdktest.RuleSend, "requests are well formed and go to declared hosts",
		"declare the host in the manifest's environments; build the URL with Account.BaseURL and PathEscape"},
	{sdktest.RuleMoney, "amounts are sent exactly, with their currency and its decimals",
		"use Money.Minor or Money.Major, never a float; name the currency, or reject all but the account's; leave currencies that the processor counts in another unit out of the manifest"},
	{sdktest.RuleEvidence, "an answer without proof of the result gives an unknown outcome",
		"read only states and refusals that the processor documents; answer everything else with StatusUnknown"},
	{sdktest.RuleOutcome, "outcomes are complete and within limits",
		"set what the status needs (Decline, NextAction …) and only statuses of this operation"},
	{sdktest.RuleAuthentication, "an authentication's outcome has the values of the answer",
		"copy transStatus and the values with it from the answer, report an unknown transStatus as an error, and name the cryptogram's field in Send.Capture"},
	{sdktest.RuleExemption, "the adapter sends the processor every exemption that the manifest declares",
		"send Request.Exemption, with a different value for each exemption; in Go let the manifest take the exemptions from the table with sdk.ExemptionsIn"},
	{sdktest.RuleOffer, "the adapter rejects a request for a feature that the manifest does not declare",
		"reject the request as unsupported (the Go SDK does that), or declare the feature in the manifest"},
	{sdktest.RuleFields, "the adapter reads the account's fields by the names in the manifest",
		"read Account.Credentials and Account.Config by the names in the manifest, or declare the field there; make a field optional if some accounts do not need it"},
	{plugins.CertifyHost, "the host sends every request of the adapter",
		"let the manifest's placements, authentication and environments agree with the requests; sdk/ABI.md, \"4. Blind secrets\", has the rules"},
	{plugins.CertifyProof, "every request holds the account's own credential where the manifest declares it",
		"put the credential there in every operation (Call.Bearer, Call.BasicAuth), or narrow the manifest's authentication by operation and path"},
	{plugins.CertifyCases, "requests and outcomes are those of the recorded cases",
		"correct the adapter or the case; an intended exception stands with its reason in the file's skip or allow, sdk/CASES.md"},
	{sdktest.RuleReplay, "a repeated operation sends the same requests",
		"build requests from Call alone, and take the time in them from Call.Now before the send"},
}

// checkReport is the result of plugin check, also in its JSON form.
type checkReport struct {
	Name    string       `json:"name,omitempty"`
	Version string       `json:"version,omitempty"`
	SHA256  string       `json:"sha256"`
	Passed  bool         `json:"passed"`
	Rules   []ruleReport `json:"rules"`
	Bytes   int          `json:"bytes"`
	Driven  int          `json:"driven"`          // number of operations that the host performed
	Cases   string       `json:"cases,omitempty"` // the file of the adapter's own cases, or ""
	// Untried are the operations of the manifest without a case, if there are cases.
	Untried []sdk.Operation `json:"operations_without_case,omitempty"`
	// Declines is the number of codes in the project's table, and UntriedCodes are those that no case names.
	Declines     int      `json:"decline_codes,omitempty"`
	UntriedCodes []string `json:"decline_codes_without_case,omitempty"`

	// Set only if the module runs. Milliseconds and microseconds on this machine.
	CompileMillis int64 `json:"compile_ms,omitempty"`
	StepMicros    int64 `json:"step_us,omitempty"` // median of the first step of authorize or authenticate
	MemoryBytes   int   `json:"memory_bytes,omitempty"`
}

type ruleReport struct {
	Rule     string    `json:"rule"`
	Demand   string    `json:"demand"`
	Result   string    `json:"result"` // ok, failed, not_checked
	Findings []finding `json:"findings,omitempty"`
	Remedy   string    `json:"remedy,omitempty"` // set if the rule is broken
}

type finding struct {
	Operation sdk.Operation `json:"operation,omitempty"`
	Detail    string        `json:"detail"`
}

// pluginCheck certifies a module offline. It fails if a rule is broken.
func (p *program) pluginCheck(ctx context.Context, args []string) error {
	f := p.flags("plugin check FILE.wasm")
	cases := casesFlag(f)
	against := f.String("against", "", "also try whether the module reads what this older build, a .wasm `file`, stored with payments")
	asJSON := f.Bool("json", false, "print the report as JSON")
	path, err := operand(f, args, "a file, as: payswitch plugin check acme.wasm")
	if err != nil {
		return err
	}
	wasm, err := readWASM(path)
	if err != nil {
		return err
	}
	report, m, err := certify(ctx, wasm, *cases, path)
	if err != nil {
		return err
	}
	if m != nil {
		defer m.Close()
	}
	if *against != "" {
		if m == nil {
			return fmt.Errorf("%s is not certified: %s", path, report.summary())
		}
		if err := report.compareWith(ctx, m, *against, *cases, path); err != nil {
			return err
		}
	}
	if *asJSON {
		err = p.printJSON(report)
	} else {
		report.print(p.stdout)
	}
	if err == nil && !report.Passed {
		err = fmt.Errorf("%s is not certified: %s", path, report.summary())
	}
	return err
}

// casesFlag names the folder of an adapter's recorded cases.
func casesFlag(f *flag.FlagSet) *string {
	return f.String("cases", "", "read the adapter's cases, NAME.json and NAME.responses.json, from this `folder`; the default is testdata in the module's folder")
}

// casesOf finds the recorded cases of an adapter in the named folder, else in testdata in the folder of the module. fsys is nil if the adapter
// has no cases.
func casesOf(named, module, name string) (fsys fs.FS, file string, err error) {
	folder := named
	if folder == "" {
		if module == "" {
			return nil, "", nil
		}
		folder = filepath.Join(filepath.Dir(module), "testdata")
	}
	file = filepath.Join(folder, name+".json")
	if !exists(file) {
		if named != "" {
			return nil, "", fmt.Errorf("--cases: there is no file %s: the file with the cases of adapter %s must have the adapter's name", file, name)
		}
		return nil, "", nil
	}
	return os.DirFS(folder), file, nil
}

// certify loads a module and checks it. m is nil if the sandbox refuses the module, which the report then says. An error means that payswitch failed, not
// the module.
func certify(ctx context.Context, wasm []byte, cases, module string) (report *checkReport, m *loadedModule, err error) {
	m, err = loadModule(ctx, wasm, pluginSandbox())
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case err != nil:
		report = &checkReport{SHA256: moduleHash(wasm), Bytes: len(wasm)}
		broken := map[string][]finding{ruleModule: {{Detail: err.Error()}}}
		return report.conclude(broken, func(rule string) bool { return rule == ruleModule }), nil, nil
	}
	if report, err = m.certify(ctx, wasm, cases, module); err != nil {
		m.Close()
		return nil, nil, err
	}
	return report, m, nil
}

// certify checks a loaded module with its recorded cases: those in the folder cases or, for "", in testdata in the module's folder. An error means that
// payswitch failed, not the module.
func (m *loadedModule) certify(ctx context.Context, wasm []byte, cases, module string) (*checkReport, error) {
	report := &checkReport{SHA256: moduleHash(wasm), Bytes: len(wasm), CompileMillis: m.compiled.Milliseconds()}
	report.measure(ctx, m)
	return report.try(ctx, plugins.Sandboxed(m.Module), m.manifest, cases, module)
}

// try fills the report in with what the suite finds in a running adapter.
func (r *checkReport) try(ctx context.Context, running sdktest.Stepper, manifest *sdk.Manifest, cases, module string) (*checkReport, error) {
	r.Name, r.Version = manifest.Name, manifest.Version
	recorded, file, err := casesOf(cases, module, manifest.Name)
	if err != nil {
		return nil, err
	}
	driven, found := plugins.CertifyStepper(ctx, running, sdktest.Options{}, recorded)
	r.Driven, r.Cases = driven, file
	if file != "" {
		if err := r.cover(manifest, recorded, filepath.Dir(module)); err != nil {
			return nil, err
		}
	}
	broken := map[string][]finding{}
	for _, one := range leaves(found) {
		rule, found := sdktest.RuleManifest, finding{Detail: one.Error()} // the host's demands of a manifest come without a rule
		if broke, ok := errors.AsType[*sdktest.RuleError](one); ok {
			rule, found = broke.Rule, finding{broke.Operation, broke.Detail}
		}
		broken[rule] = append(broken[rule], found)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	goesOn := manifest.ABI == sdk.ABI // otherwise the suite ends at the manifest
	return r.conclude(broken, func(rule string) bool {
		switch rule {
		case ruleModule, sdktest.RuleManifest:
			return true
		case plugins.CertifyHost, plugins.CertifyProof:
			return goesOn && driven > 0 // the host does not load this module, so it performs no operation of it
		}
		return goesOn
	}), nil
}

// cover notes the operations of a manifest, and the codes of the project's table, for which there is no case.
func (r *checkReport) cover(m *sdk.Manifest, cases fs.FS, project string) error {
	requests, responses, err := wire.Load(cases, m.Name)
	if err != nil {
		return err
	}
	_, codes, err := declineTable(project)
	if err != nil {
		return err
	}
	r.Declines, r.UntriedCodes = len(codes), untriedCodes(codes, responses)
	tried := map[sdk.Operation]bool{}
	for _, r := range wire.Rehearsals(m, requests, responses) {
		tried[r.Step.Operation] = true
	}
	for _, op := range m.Operations {
		if !tried[op] {
			r.Untried = append(r.Untried, op)
		}
	}
	return nil
}

// conclude fills in the results of the rules.
func (r *checkReport) conclude(broken map[string][]finding, checked func(rule string) bool) *checkReport {
	r.Passed = true
	for _, rule := range checkRules {
		one := ruleReport{Rule: rule.rule, Demand: rule.demand, Result: "ok", Findings: broken[rule.rule]}
		switch {
		case len(one.Findings) > 0:
			one.Result, one.Remedy, r.Passed = "failed", rule.remedy, false
		case !checked(rule.rule):
			one.Result, r.Passed = "not_checked", false
		}
		r.Rules = append(r.Rules, one)
	}
	return r
}

// leaves returns the single errors of joined errors.
func leaves(err error) (all []error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range joined.Unwrap() {
			all = append(all, leaves(one)...)
		}
		return all
	}
	if err != nil {
		all = []error{err}
	}
	return all
}

func (r *checkReport) summary() string {
	var failed []string
	for _, rule := range r.Rules {
		if rule.Result == "failed" {
			failed = append(failed, rule.Rule)
		}
	}
	return "broken rules: " + strings.Join(failed, ", ")
}

func (r *checkReport) print(w io.Writer) {
	for _, rule := range r.Rules {
		fmt.Fprintf(w, "%-12s%-16s%s\n", strings.ReplaceAll(rule.Result, "_", " "), rule.Rule, rule.Demand)
		for _, found := range rule.Findings {
			lines := strings.Split(found.Detail, "\n")
			for i := range lines {
				lines[i] = printable(lines[i])
			}
			text := strings.Join(lines, "\n                ")
			if found.Operation != "" {
				text = string(found.Operation) + ": " + text
			}
			fmt.Fprintf(w, "              - %s\n", text)
		}
		if rule.Remedy != "" {
			fmt.Fprintf(w, "              what to do: %s\n", rule.Remedy)
		}
	}
	fmt.Fprintf(w, "\nsha256 %s, %s", r.SHA256, bytesText(r.Bytes))
	if r.CompileMillis > 0 {
		fmt.Fprintf(w, ", compiled in %v, a step takes %v, an instance %s", time.Duration(r.CompileMillis)*time.Millisecond,
			time.Duration(r.StepMicros)*time.Microsecond, bytesText(r.MemoryBytes))
	}
	fmt.Fprintln(w)
	if r.Driven > 0 {
		cases := "; no cases were found: name their folder with --cases"
		if r.Cases != "" {
			cases = ", with the cases of " + r.Cases
		}
		fmt.Fprintf(w, "%d operations driven through the host%s\n", r.Driven, cases)
		if len(r.Untried) > 0 {
			fmt.Fprintf(w, "no case exercises %s\n", operationNames(r.Untried))
		}
		switch {
		case len(r.UntriedCodes) > 0:
			fmt.Fprintf(w, "decline codes: %d of %d never exercised: %s\n", len(r.UntriedCodes), r.Declines, printable(strings.Join(r.UntriedCodes, ", ")))
		case r.Declines > 0:
			fmt.Fprintf(w, "decline codes: all %d exercised\n", r.Declines)
		}
	}
	if r.Passed {
		fmt.Fprintf(w, "%s %s is certified\n", r.Name, r.Version)
	}
}

// speedSteps is the number of steps that are timed.
const speedSteps = 101

// measure times the first step of a payment or an authentication, if the module answers it.
func (r *checkReport) measure(ctx context.Context, m *loadedModule) {
	call := sandbox.Call{Now: time.UnixMilli(1_760_000_000_000), Input: sdk.EncodeStep(ordinaryStep(m.manifest))}
	var took []time.Duration
	for range speedSteps {
		began := time.Now()
		if _, err := m.Step(ctx, call); err != nil {
			return // rule message reports the failure
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	r.StepMicros, r.MemoryBytes = max(1, took[len(took)/2].Microseconds()), m.Stats().Memory
}

// ordinaryStep returns the first step of a payment or an authentication.
func ordinaryStep(m *sdk.Manifest) *sdk.Step {
	s := &sdk.Step{ABI: sdk.ABI, Operation: sdk.OpAuthorize, OperationID: "op_speed", Now: 1_760_000_000_000, Seed: strings.Repeat("0f", 32),
		DerivePrefix: "dX4kP9wQ2mZ7sB5nR8tY3vC6hJ",
		Account:      sdk.Account{ID: "mca_speed", Connector: m.Name, Environment: "test", Credentials: map[string]string{}, Config: map[string]string{}},
		Request: sdk.Request{PaymentID: "pay_1", AttemptID: "pay_1_1", Reference: "reference1reference1", Amount: sdk.Money{Minor: 6540, Currency: "USD"},
			Capture: sdk.CaptureAutomatic, ReturnURL: "https://switch.example/return/1",
			Instrument: &sdk.Instrument{Card: &sdk.Card{Number: "nX4kP9wQ2mZ7sB5nR8tY3vC6hJ", CVC: "cX4kP9wQ2mZ7sB5nR8tY3vC6hJ", ExpMonth: 3, ExpYear: 2030,
				Holder: "Grace Hopper", BIN: "424242", LastFour: "4242", Length: 16, Network: sdk.Visa}},
			Customer: &sdk.Customer{ID: "cus_1", Name: "Grace Hopper", Email: "grace@example.com"},
			Billing:  &sdk.Address{FirstName: "Grace", LastName: "Hopper", Line1: "1 Main Street", City: "Town", Zip: "12345", Country: "US"}}}
	if m.Kind == sdk.KindAuthenticator {
		s.Operation, s.Request.Authentication = sdk.OpAuthenticate, &sdk.AuthenticationRequest{AuthenticationID: "auth_1", MessageVersion: "2.2.0"}
	}
	for _, f := range m.Credentials {
		s.Account.Credentials[f.Name] = "kX4kP9wQ2mZ7sB5nR8tY3vC6hJ"
	}
	for _, f := range m.Config {
		s.Account.Config[f.Name] = f.Default
	}
	s.Account.BaseURL = m.Environments["test"].BaseURL
	return s
}
