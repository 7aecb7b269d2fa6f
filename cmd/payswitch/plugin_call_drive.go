package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/plugins"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// drive makes the operation of a case. Equal cases make equal operations. So a case with one more answer continues where the case without it
// stopped.
func (k *callCase) drive(m *sdk.Manifest) (*port.Drive, error) {
	op, err := k.operation(m)
	if err != nil {
		return nil, err
	}
	return k.driveAs(op, m)
}

// driveAs makes the operation of a case as op.
func (k *callCase) driveAs(op sdk.Operation, m *sdk.Manifest) (*port.Drive, error) {
	if err := k.checkNeeds(op); err != nil {
		return nil, err
	}
	k.settings.BaseURL = k.BaseURL
	account := wire.Account(m, &k.settings)
	step := k.Step(op, account, k.Clock)
	switch {
	case k.Op != "":
	case op == sdk.OpIncrementalAuthorize: // only the case has the amount that is held
		step.Request.Payment.Authorized, _ = strconv.ParseInt(inputText(k.Input["payment_amount"]), 10, 64)
	case k.Flow == "reverse":
		step.Request.Payment.Capture = sdk.CaptureAutomatic
	case k.Flow == "pre_authenticate": // begins a payment with the processor's 3-D Secure
		step.Request.Request3DS = true
	}
	d := &port.Drive{Connector: k.Connector, Operation: op, Started: k.Clock, Seed: k.seed(), Request: step.Request,
		Account: port.DriveAccount{ID: account.ID, Environment: k.environment(m), BaseURL: k.BaseURL,
			Credentials: map[string]secret.Value{}, Config: map[string]string{}}}
	d.OperationID = "op_" + hex.EncodeToString(d.Seed[:16])
	for _, f := range m.Credentials {
		d.Account.Credentials[settingKey(f)] = secret.New(account.Credentials[f.Name])
	}
	for _, f := range m.Config {
		d.Account.Config[settingKey(f)] = account.Config[f.Name]
	}
	if i := step.Request.Instrument; i != nil && i.Card != nil {
		d.Secrets.Number, d.Secrets.CVC = secret.New(i.Card.Number), secret.New(i.Card.CVC)
	}
	if t := step.Request.ThreeDS; t != nil {
		d.Secrets.CAVV = secret.New(t.CAVV)
	}
	return d, nil
}

// settingKey returns the name of a field in a merchant's API call.
func settingKey(f sdk.Field) string {
	if f.Key != "" {
		return f.Key
	}
	return f.Name
}

// operation returns the adapter's operation for the case's flow, which may have the flow's name or payswitch's.
func (k *callCase) operation(m *sdk.Manifest) (sdk.Operation, error) {
	op := k.Operation()
	if k.Op != "" {
		if !slices.Contains(m.Operations, op) {
			return "", fmt.Errorf("operation: %s does not offer %s: choose one of %s", m.Name, op, operationNames(m.Operations))
		}
		return op, nil
	}
	switch {
	case k.Flow == "":
		return "", fmt.Errorf("flow: missing: give a flow, such as authorize")
	case op == "" && k.Flow == "reverse": // a void undoes a captured payment that is not settled
		op = sdk.OpVoid
	case op == "" && k.Flow != string(sdk.OpWebhook) && slices.Contains(sdk.Operations(), sdk.Operation(k.Flow)):
		op = sdk.Operation(k.Flow)
	}
	if op == "" {
		return "", fmt.Errorf("flow: %q is not a flow of plugin call: choose one of %s", k.Flow, callFlows(m))
	}
	if !slices.Contains(m.Operations, op) {
		return "", fmt.Errorf("flow: %s does not offer %s: choose one of %s", m.Name, k.Flow, callFlows(m))
	}
	return op, nil
}

func operationNames(all []sdk.Operation) string {
	texts := make([]string, len(all))
	for i, op := range all {
		texts[i] = string(op)
	}
	return strings.Join(texts, ", ")
}

// callFlows lists the flows that an adapter answers.
func callFlows(m *sdk.Manifest) string {
	flows := []string{"authorize", "mandate_payment", "setup_mandate", "complete", "capture", "void", "incremental_authorization", "refund",
		"payment_sync", "refund_sync", "access_token", "three_ds_prepare", "three_ds_authenticate", "three_ds_result", "three_ds_cancel"}
	return strings.Join(slices.DeleteFunc(flows, func(flow string) bool { return !slices.Contains(m.Operations, wire.Operation(flow)) }), ", ")
}

// checkNeeds checks the fields that an operation always needs.
func (k *callCase) checkNeeds(op sdk.Operation) error {
	if k.Op != "" {
		return k.ownNeeds()
	}
	var needs []string
	switch {
	case k.Flow == "authorize", k.Flow == "mandate_payment":
		needs = []string{"amount", "currency"}
	case op == sdk.OpCapture, op == sdk.OpRefund, op == sdk.OpIncrementalAuthorize:
		needs = []string{"amount", "currency", "connector_transaction_id"}
	case op == sdk.OpVoid:
		needs = []string{"connector_transaction_id"}
	}
	for _, name := range needs {
		if k.Input[name] == nil || k.Input[name] == "" {
			return fmt.Errorf("input.%s: is missing", name)
		}
	}
	return nil
}

// ownNeeds is checkNeeds for a case in the SDK's vocabulary.
func (k *callCase) ownNeeds() error {
	var needs []string
	switch k.Op {
	case sdk.OpAuthorize, sdk.OpUnreferencedRefund:
		needs = []string{"amount"}
	case sdk.OpCapture, sdk.OpRefund, sdk.OpIncrementalAuthorize:
		needs = []string{"amount", "transaction_id"}
	case sdk.OpVoid:
		needs = []string{"transaction_id"}
	}
	for _, name := range needs {
		if k.Input[name] == nil || k.Input[name] == "" {
			return fmt.Errorf("input.%s: is missing", name)
		}
	}
	return nil
}

// environment returns the environment with the base URL of the case. If there is no such environment, or several, it prefers test, unless
// the case says that it is not a test.
func (k *callCase) environment(m *sdk.Manifest) string {
	names := slices.Sorted(maps.Keys(m.Environments))
	if i := slices.Index(names, "test"); i > 0 && k.Input["test"] != false {
		names[0], names[i] = names[i], names[0]
	}
	for _, name := range names {
		if m.Environments[name].BaseURL == strings.TrimRight(k.BaseURL, "/") {
			return name
		}
	}
	if len(names) > 0 {
		return names[0]
	}
	return "test"
}

// seed returns a hash of the case. The operation's random numbers come from it.
func (k *callCase) seed() [32]byte {
	input, _ := json.Marshal(k.Input) // Input was decoded from JSON, so it can be encoded
	if k.Message != nil {
		message, _ := json.Marshal(k.Message)
		input = append(input, message...)
	}
	return sha256.Sum256(fmt.Appendf(nil, "%q %q %q %s", k.Connector, k.Flow, k.BaseURL, input))
}

// someToken is an access token with a value that does not matter.
const someToken = "access_token"

// rehearsal returns the answers and the access token for the operation. A single response answers the flow's own request, so the account
// must already have an access token then.
func (k *callCase) rehearsal() plugins.Rehearsal {
	token := cmp.Or(inputText(k.Input["access_token"]), k.settings.Credentials.Values["access_token"])
	if token == "" && k.exchanges == 0 && len(k.answers) > 0 && k.Flow != string(sdk.OpAccessToken) {
		token = someToken
	}
	return plugins.Rehearsal{Answers: k.answers, AccessToken: secret.New(token)}
}

// undeclared returns an error for a credential of the case that the manifest does not declare. The error names the declared ones and never the value.
func (k *callCase) undeclared(m *sdk.Manifest) error {
	var declared []string
	for _, f := range slices.Concat(m.Credentials, m.Config) {
		if declared = append(declared, f.Name); f.Key != "" {
			declared = append(declared, f.Key)
		}
	}
	if slices.Contains(m.Operations, sdk.OpAccessToken) {
		declared = append(declared, someToken)
	}
	for _, f := range k.settings.Credentials.Fields {
		if k.settings.Credentials.Values[f.Name] != "" && !slices.Contains(declared, f.Name) {
			return fmt.Errorf("credentials.%s: the manifest of %s declares no such field: choose one of %s", f.Name, m.Name, strings.Join(declared, ", "))
		}
	}
	return wire.Choices(m, k.settings.Credentials.Values)
}

// missing returns the names of the credentials that the case lacks.
func (k *callCase) missing(m *sdk.Manifest) (missing []string) {
	given := wire.Account(m, &k.settings).Credentials
	for _, f := range m.Credentials {
		if !f.Optional && given[f.Name] == "" {
			missing = append(missing, f.Name)
		}
	}
	return missing
}

// explain adds the missing credentials to an error, because they may be its cause.
func (k *callCase) explain(err error, m *sdk.Manifest) error {
	if missing := k.missing(m); len(missing) > 0 {
		return fmt.Errorf("%w; credentials: %s missing", err, strings.Join(missing, ", "))
	}
	return err
}
