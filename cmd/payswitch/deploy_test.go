package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// yamlFile reads the documents of a YAML file.
func yamlFile(t *testing.T, name string) (docs []map[string]any) {
	t.Helper()
	f, err := os.Open(filepath.Join("deploy", name))
	require.NoError(t, err)
	defer f.Close()
	for d := yaml.NewDecoder(f); ; {
		var doc map[string]any
		if err := d.Decode(&doc); errors.Is(err, io.EOF) {
			return docs
		} else {
			require.NoError(t, err, name)
		}
		docs = append(docs, doc)
	}
}

// texts returns all texts in a decoded document.
func texts(v any) (out []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, e := range v {
			out = append(out, texts(e)...)
		}
	case map[string]any:
		for _, e := range v {
			out = append(out, texts(e)...)
		}
	}
	return out
}

var metricName = regexp.MustCompile(`\bpayswitch_\w+`)

// knownMetrics fails for a name of a metric that payswitch does not have. The guide names each metric there is, which TestMetricsAreDocumented holds.
func knownMetrics(t *testing.T, guide, where, text string) int {
	t.Helper()
	names := metricName.FindAllString(text, -1)
	for _, name := range names {
		base := name
		for _, of := range []string{"_count", "_sum", "_bucket"} {
			base = strings.TrimSuffix(base, of)
		}
		require.Regexp(t, "`"+base+"[`{]", guide, "%s names the metric %s, which is not there", where, name)
	}
	return len(names)
}

// TestAlertsAndDashboard holds that every metric in the alert rules and in the dashboard exists, and that every alert has a heading that says what to do.
func TestAlertsAndDashboard(t *testing.T) {
	b, err := os.ReadFile(operationsGuide)
	require.NoError(t, err)
	guide := string(b)
	var headings []string
	for _, m := range regexp.MustCompile(`(?m)^#### (Payswitch\w+)$`).FindAllStringSubmatch(guide, -1) {
		headings = append(headings, m[1])
	}
	var alerts []string
	for _, group := range yamlFile(t, "alerts.yaml")[0]["groups"].([]any) {
		for _, r := range group.(map[string]any)["rules"].([]any) {
			rule := r.(map[string]any)
			name := rule["alert"].(string)
			alerts = append(alerts, name)
			expr := rule["expr"].(string)
			if n := knownMetrics(t, guide, name, expr); !strings.HasPrefix(expr, "up{") {
				require.NotZero(t, n, name)
			}
			require.Equal(t, strings.Count(expr, "("), strings.Count(expr, ")"), name)
			require.Equal(t, "OPERATIONS.md#"+strings.ToLower(name), rule["annotations"].(map[string]any)["runbook"])
			require.Contains(t, []string{"page", "ticket"}, rule["labels"].(map[string]any)["severity"])
		}
	}
	require.Equal(t, headings, alerts, "each alert has its heading, in the same order")

	b, err = os.ReadFile("deploy/grafana.json")
	require.NoError(t, err)
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	require.NoError(t, json.Unmarshal(b, &dashboard))
	require.Greater(t, len(dashboard.Panels), 10)
	for _, p := range dashboard.Panels {
		require.NotEmpty(t, p.Targets, p.Title)
		for _, target := range p.Targets {
			knownMetrics(t, guide, p.Title, target.Expr)
			require.Equal(t, strings.Count(target.Expr, "("), strings.Count(target.Expr, ")"), p.Title)
		}
	}
}

// TestPackagingIsWhole holds that every file that the packages take exists, that their settings are settings of payswitch, and that nothing runs as root.
func TestPackagingIsWhole(t *testing.T) {
	for _, name := range []string{"nfpm.yaml", "goreleaser.yaml"} {
		found := 0
		for _, text := range texts(yamlFile(t, name)[0]) {
			if strings.HasPrefix(text, "cmd/") || text == "LICENSE" || text == "README.md" || text == "config.yaml" {
				found++
				require.FileExists(t, filepath.Join(root, text), name)
			}
		}
		require.Greater(t, found, 5, name)
	}
	for _, name := range []string{"Dockerfile", "goreleaser.yaml"} { // a fresh clone has neither adapters nor scripts of pages
		b, err := os.ReadFile(filepath.Join("deploy", name))
		require.NoError(t, err)
		require.Contains(t, string(b), "make plugins assets", name)
	}
	var env []string
	for _, name := range []string{"kubernetes.yaml", "Dockerfile", "payswitch.service"} {
		b, err := os.ReadFile(filepath.Join("deploy", name))
		require.NoError(t, err)
		env = append(env, regexp.MustCompile(`PAYSWITCH_[A-Z]+__[A-Z_]+`).FindAllString(string(b), -1)...)
	}
	require.NotEmpty(t, env)
	keys := map[string]bool{}
	c := defaultConfig()
	for key := range fieldsOf(&c) {
		keys[variableOf(key)] = true
	}
	for _, v := range env {
		require.True(t, keys[v], "%s is no setting", v)
	}
	kinds := map[string]bool{}
	for _, doc := range yamlFile(t, "kubernetes.yaml") {
		kinds[doc["kind"].(string)] = true
		require.NotEmpty(t, doc["apiVersion"])
	}
	require.True(t, kinds["Deployment"] && kinds["Service"] && kinds["Secret"] && kinds["NetworkPolicy"])
	b, err := os.ReadFile("deploy/Dockerfile")
	require.NoError(t, err)
	require.Regexp(t, `(?m)^USER 65532:65532$`, string(b))
	b, err = os.ReadFile("deploy/payswitch.service")
	require.NoError(t, err)
	for _, line := range []string{"User=payswitch", "NoNewPrivileges=yes", "ProtectSystem=strict", "CapabilityBoundingSet="} {
		require.Contains(t, string(b), "\n"+line+"\n")
	}
	require.Contains(t, readBuildFlags(t), "-trimpath")
}

// readBuildFlags returns the lines of the Makefile that build the program: the packages build it alike.
func readBuildFlags(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, "Makefile"))
	require.NoError(t, err)
	return string(b)
}
