package main

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/alarm"
	"payswitch/engine/payment"
	"payswitch/engine/threeds"
	"payswitch/plugins"
)

const operationsGuide, threeDSGuide = "OPERATIONS.md", "../../router/THREE_DS.md"

// Each metric of the program is in the guide, and each metric of the guide is in the program.
func TestMetricsAreDocumented(t *testing.T) {
	m := newMeters()
	m.PaymentMoved(payment.Succeeded, "c")
	m.RefundMoved(payment.RefundSucceeded, "c")
	m.OperationDone("authorize", "c", payment.OperationSucceeded, time.Second)
	m.AuthenticationDone("a", "Visa", "authenticated", "challenge", time.Second)
	m.Alarm("late_evidence")
	m.WebhookSent("delivered", time.Second)
	m.RiskRefused("list")
	m.RetryLimited("Visa", "near")
	m.AccountMoved("c", true, 1)
	m.WebhookBacklog(time.Second, 1)
	m.Stepped("a", time.Second)
	m.Trapped("a", "fuel")
	m.Sent("a", "h", "2xx", time.Second)
	m.Violated("a", "r")
	m.Revealed("a")
	m.request("POST", "/payments", 200, time.Second)
	m.registry.MustRegister(poolCollector{func() []plugins.AdapterStats { return []plugins.AdapterStats{{Name: "a", Current: true}} }})
	m.registry.MustRegister(backupCollector{time.Hour, func(context.Context) (time.Time, error) { return time.Now(), nil }})
	var there []string
	for _, found := range regexp.MustCompile(`(?m)^# TYPE (payswitch_\w+)`).FindAllStringSubmatch(scrape(t, m), -1) {
		there = append(there, found[1])
	}
	require.Greater(t, len(there), 15)
	text, err := os.ReadFile(operationsGuide)
	require.NoError(t, err)
	var told []string
	for _, name := range regexp.MustCompile(`\bpayswitch_\w+`).FindAllString(string(text), -1) {
		for _, of := range []string{"_count", "_sum", "_bucket"} { // of a histogram
			if base, ok := strings.CutSuffix(name, of); ok && slices.Contains(there, base) {
				name = base
			}
		}
		told = append(told, name)
	}
	slices.Sort(there)
	slices.Sort(told)
	require.Equal(t, there, slices.Compact(told))
}

// Every error code that 3-D Secure ends with has a row with its remedy, and every kind of alarm says what to do.
func TestErrorCodesAndAlarmsAreDocumented(t *testing.T) {
	guide, err := os.ReadFile(threeDSGuide)
	require.NoError(t, err)
	operations, err := os.ReadFile(operationsGuide)
	require.NoError(t, err)
	row := func(text []byte, name string) bool {
		return regexp.MustCompile("(?m)^\\| (`\\w+`, )?`" + name + "`(, `\\w+`)? \\| [^|]+ \\| [^|]+ \\|$").Match(text)
	}
	codes, alarms := 0, []string{}
	for name, value := range constants(t, "../../engine/threeds/decision.go") {
		switch {
		case name == "CodeRequired": // a soft decline keeps the processor's own code
		case strings.HasPrefix(name, "Code"):
			codes++
			require.True(t, row(guide, value), "%s has no row in %s", value, threeDSGuide)
		case strings.HasPrefix(name, "Flag") && threeds.Flag(value).Alert():
			alarms = append(alarms, value)
		}
	}
	require.Equal(t, 12, codes)
	for _, kind := range constants(t, "../../engine/alarm/alarm.go") {
		alarms = append(alarms, kind)
	}
	alarms = append(alarms, string(alarm.OtherAccount)) // a constant of sdk
	var files []string
	for _, of := range []string{"*.go", "../../engine/*.go", "../../engine/*/*.go", "../../engine/*/*/*.go"} {
		found, err := filepath.Glob(of)
		require.NoError(t, err)
		files = append(files, found...)
	}
	literal := regexp.MustCompile(`(?:Alarm\(|[aA]larms, |[aA]larm: |[aA]larm = true, |[aA]larm\w+ += )"(\w+)"`)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, found := range literal.FindAllStringSubmatch(string(text), -1) {
			alarms = append(alarms, found[1])
		}
	}
	require.Greater(t, len(alarms), 25)
	for _, kind := range alarms {
		require.True(t, row(operations, kind), "%s has no row in %s", kind, operationsGuide)
	}
}

// constants returns a file's texts by name.
func constants(t *testing.T, file string) map[string]string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	require.NoError(t, err)
	all := map[string]string{}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.ValueSpec); ok {
			for i, v := range s.Values {
				if lit, ok := v.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					all[s.Names[i].Name], _ = strconv.Unquote(lit.Value)
				}
			}
		}
		return true
	})
	return all
}
