package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

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

// TestAlertsAndDashboard holds that every metric in the alert rules and in the dashboard exists. It also holds that every alert has a heading that says what to do.
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
			for _, of := range regexp.MustCompile(`increase\((\w+)`).FindAllStringSubmatch(expr, -1) {
				require.Contains(t, expr, of[1]+" unless "+of[1]+" offset", "%s does not see the first event of a counter", name)
			}
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
			require.NotContains(t, target.Expr, "increase(", "%s does not show the first event of a counter", p.Title)
			require.Equal(t, strings.Count(target.Expr, "("), strings.Count(target.Expr, ")"), p.Title)
		}
	}
}

// TestUnitsVerify lets systemd itself check the units, where it is installed. The program stands in for the installed one.
func TestUnitsVerify(t *testing.T) {
	t.Parallel()
	systemd, err := exec.LookPath("systemd-analyze")
	if err != nil {
		require.Empty(t, os.Getenv("TEST_ALL"), "make test skips nothing: install systemd")
		t.Skip("systemd-analyze is not installed")
	}
	here, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	args := []string{"verify"}
	for _, name := range []string{"payswitch.service", "payswitch-backup.service", "payswitch-backup.timer"} {
		args = append(args, filepath.Join(dir, name))
		require.NoError(t, os.WriteFile(args[len(args)-1], []byte(strings.ReplaceAll(unit(t, name), "/usr/bin/payswitch", here)), 0o600))
	}
	out, err := exec.CommandContext(t.Context(), systemd, args...).CombinedOutput()
	require.NoError(t, err, string(out))
	require.Empty(t, string(out), "systemd has nothing to say about the units")
	for _, service := range args[1:3] { // systemd rates the harm of a taken-over process, from 0 to 10: at most 2.0
		out, err := exec.CommandContext(t.Context(), systemd, "security", "--offline=true", "--threshold=20", service).CombinedOutput()
		require.NoError(t, err, string(out))
	}
}

// TestPackagingIsWhole holds that every file that the packages take exists, that their settings are settings of payswitch, and that nothing runs as root.
func TestPackagingIsWhole(t *testing.T) {
	for _, name := range []string{"nfpm.yaml", "goreleaser.yaml"} {
		found := 0
		for _, text := range texts(yamlFile(t, name)[0]) {
			if strings.HasPrefix(text, "cmd/") || text == "LICENSE" || text == "README.md" || text == "config.yaml" {
				found++
				there, err := filepath.Glob(filepath.Join(root, text))
				require.NoError(t, err)
				require.NotEmpty(t, there, "%s: %s", name, text)
			}
		}
		require.Greater(t, found, 5, name)
	}
	for _, name := range []string{"Dockerfile", "goreleaser.yaml"} { // a fresh clone has neither adapters, scripts of pages nor packed texts
		b, err := os.ReadFile(filepath.Join("deploy", name))
		require.NoError(t, err)
		require.Contains(t, string(b), "make build", name)
	}
	makefile, err := os.ReadFile("../../Makefile")
	require.NoError(t, err)
	for _, text := range []string{"\nCGO  := 0\n", "\t@CGO_ENABLED=$(CGO) $(GO) build "} {
		require.Contains(t, string(makefile), text, "the image has no C library for a binary to load")
	}
	var env []string
	for _, name := range []string{"kubernetes.yaml", "kubernetes-postgres.yaml", "Dockerfile", "payswitch.service"} {
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
	kubernetes(t, "kubernetes.yaml", "Deployment", "PersistentVolumeClaim")
	kubernetes(t, "kubernetes-postgres.yaml", "StatefulSet", "PodDisruptionBudget")
	migrates, nodes := container(yamlFile(t, "kubernetes-migrate.yaml")[0]), container(yamlFile(t, "kubernetes-postgres.yaml")[2])
	require.Equal(t, []any{"migrate"}, migrates["args"])
	for _, same := range []string{"envFrom", "securityContext", "name"} {
		require.Equal(t, nodes[same], migrates[same], same)
	}
	for _, name := range []string{"deploy/kubernetes.yaml", "deploy/kubernetes-postgres.yaml"} {
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Contains(t, string(b), "kubernetes.io/metadata.name: monitoring", "Kubernetes gives each namespace this label, and no label called name")
	}
	b, err := os.ReadFile("deploy/Dockerfile")
	require.NoError(t, err)
	require.Regexp(t, `(?m)^USER 65532:65532$`, string(b))
	b, err = os.ReadFile("deploy/payswitch.service")
	require.NoError(t, err)
	for _, line := range []string{"StartLimitIntervalSec=0", "Restart=on-failure", "FileDescriptorStoreMax=1", "User=payswitch", "NoNewPrivileges=yes", "ProtectSystem=strict", "CapabilityBoundingSet="} {
		require.Contains(t, string(b), "\n"+line+"\n")
	}
	require.Contains(t, readBuildFlags(t), "-trimpath")

	// Both packages hold the same, at the places where the unit looks.
	placed := func(list any) (out []string) {
		for _, c := range list.([]any) {
			out = append(out, fmt.Sprint(c.(map[string]any)["dst"], " ", c.(map[string]any)["src"], " ", c.(map[string]any)["type"]))
		}
		return out
	}
	nfpm := yamlFile(t, "nfpm.yaml")[0]
	released := yamlFile(t, "goreleaser.yaml")[0]["nfpms"].([]any)[0].(map[string]any)
	inNfpm := placed(nfpm["contents"])
	require.Equal(t, "/usr/bin/payswitch bin/payswitch <nil>", inNfpm[0])
	require.Equal(t, inNfpm[1:], placed(released["contents"]))
	require.Equal(t, nfpm["depends"], released["dependencies"])
	require.Equal(t, nfpm["scripts"], released["scripts"])
	require.Contains(t, unit(t, "payswitch.service"), "ExecStart=/usr/bin/payswitch serve --config /etc/payswitch/config.yaml\n")
	require.Contains(t, inNfpm, "/etc/payswitch/config.yaml config.yaml config|noreplace")
	for _, name := range []string{"payswitch.service", "payswitch-backup.service"} {
		require.Contains(t, unit(t, name), "\nUser=payswitch\nGroup=payswitch\n", name)
		require.Contains(t, unit(t, name), "\nWorkingDirectory=/var/lib/payswitch\n", name)
		require.Contains(t, unit(t, name), "\nEnvironmentFile=/etc/payswitch/environment\n", name)
	}
	made := unit(t, "preinstall.sh")
	require.Regexp(t, `useradd .* payswitch\n`, made)
	require.Contains(t, made, "--home-dir /var/lib/payswitch ")
	stop, err := strconv.Atoi(regexp.MustCompile(`TimeoutStopSec=(\d+)`).FindStringSubmatch(unit(t, "payswitch.service"))[1])
	require.NoError(t, err)
	require.Greater(t, time.Duration(stop)*time.Second, c.Server.ShutdownTimeout)
}

// container returns the container of a Kubernetes object with a template.
func container(doc map[string]any) map[string]any {
	spec := doc["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)
	return spec["containers"].([]any)[0].(map[string]any)
}

// unit returns a file of the folder deploy.
func unit(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("deploy", name))
	require.NoError(t, err)
	return string(b)
}

// kubernetes checks a manifest: its kinds, and that user, ports, probes, volumes and times fit the image and the settings.
func kubernetes(t *testing.T, name string, wanted ...string) {
	t.Helper()
	of := map[string]map[string]any{}
	for _, doc := range yamlFile(t, name) {
		of[doc["kind"].(string)] = doc
		require.NotEmpty(t, doc["apiVersion"])
	}
	for _, kind := range append(wanted, "Service", "Secret", "ConfigMap", "NetworkPolicy") {
		require.Contains(t, of, kind, name)
	}
	settings := of["ConfigMap"]["data"].(map[string]any)
	secrets := of["Secret"]["stringData"].(map[string]any)
	require.Contains(t, secrets, "PAYSWITCH_VAULT__MASTER_KEY")
	require.Equal(t, "prd", settings["PAYSWITCH_KEYS__ENVIRONMENT"])
	spec := of[wanted[0]]["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)
	pod := spec["securityContext"].(map[string]any)
	require.Contains(t, unit(t, "Dockerfile"), fmt.Sprintf("\nUSER %v:%v\n", pod["runAsUser"], pod["runAsGroup"]))
	require.Equal(t, true, pod["runAsNonRoot"])
	require.Equal(t, "OnRootMismatch", pod["fsGroupChangePolicy"], "%s: otherwise the group may write to the compiled adapters, and payswitch refuses them", name)
	box := container(of[wanted[0]])
	pause := box["lifecycle"].(map[string]any)["preStop"].(map[string]any)["sleep"].(map[string]any)["seconds"].(int)
	require.NotZero(t, pause, "%s: the ingress sends requests to a pod for a moment after its end has begun", name)
	require.Greater(t, time.Duration(spec["terminationGracePeriodSeconds"].(int)-pause)*time.Second, defaultConfig().Server.ShutdownTimeout)
	require.Equal(t, false, spec["enableServiceLinks"], "%s: the variables of services would be settings", name)
	ports := map[string]string{}
	for _, p := range box["ports"].([]any) {
		ports[p.(map[string]any)["name"].(string)] = fmt.Sprint("0.0.0.0:", p.(map[string]any)["containerPort"])
	}
	require.Equal(t, map[string]string{"http": settings["PAYSWITCH_SERVER__LISTEN"].(string), "metrics": settings["PAYSWITCH_METRICS__LISTEN"].(string)}, ports)
	for probe, path := range map[string]string{"startupProbe": "/health/live", "livenessProbe": "/health/live", "readinessProbe": "/health"} {
		get := box[probe].(map[string]any)["httpGet"].(map[string]any)
		require.Equal(t, []any{path, "http"}, []any{get["path"], get["port"]}, "%s: %s", name, probe)
		require.Greater(t, box[probe].(map[string]any)["timeoutSeconds"], 1, "%s: %s: a second is too short under load", name, probe)
	}
	require.Equal(t, true, box["securityContext"].(map[string]any)["readOnlyRootFilesystem"])
	var mounts []string
	for _, m := range box["volumeMounts"].([]any) {
		mounts = append(mounts, m.(map[string]any)["mountPath"].(string))
	}
	require.Contains(t, unit(t, "Dockerfile"), "\nVOLUME "+mounts[0]+"\n")
	for _, path := range []any{settings["PAYSWITCH_STORAGE__DSN"], settings["PAYSWITCH_PLUGINS__CACHE_DIRECTORY"]} {
		if path != nil {
			require.True(t, strings.HasPrefix(strings.TrimPrefix(path.(string), "sqlite:"), mounts[0]+"/"), "%s: %s is not on the volume", name, path)
		}
	}
}

// readBuildFlags returns the lines of the Makefile that build the program: the packages build it alike.
func readBuildFlags(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, "Makefile"))
	require.NoError(t, err)
	return string(b)
}
