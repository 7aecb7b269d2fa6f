package main

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// metrics is what Prometheus reads with the admin key.
func (r *running) metrics() string {
	r.t.Helper()
	status, text, _ := r.fetch(r.url+"/metrics", "Authorization", "Bearer "+testAdminKey)
	require.Equal(r.t, http.StatusOK, status, text)
	return text
}

func (r *running) fetch(url string, headers ...string) (int, string, http.Header) {
	r.t.Helper()
	req, err := http.NewRequest(http.MethodGet, url, nil)
	require.NoError(r.t, err)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(r.t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(r.t, err)
	return resp.StatusCode, string(body), resp.Header
}

// TestMetricsNeedTheAdminKey: on the API's address, the metrics need the admin key, because they show merchants' turnover and processors.
func TestMetricsNeedTheAdminKey(t *testing.T) {
	t.Parallel()
	r := start(t, testEnv(t, t.TempDir()), "serve")
	key := r.shop("shop")
	for _, headers := range [][]string{{}, {"api-key", key}, {"api-key", "x"}, {"api-key", ""}, {"Authorization", "Bearer " + key}, {"Authorization", "Bearer "}, {"Authorization", testAdminKey},
		{"Authorization", "Basic " + testAdminKey}, {"api-key", testAdminKey + "x"}, {"api-key", key, "Authorization", "Bearer " + testAdminKey}, {"X-Forwarded-For", "127.0.0.1"}} {
		for _, path := range []string{"/metrics", "/%6detrics", "/metrics?api-key=" + testAdminKey} {
			status, text, header := r.fetch(r.url+path, headers...)
			require.Equal(t, http.StatusUnauthorized, status, "%v %s", headers, path)
			require.JSONEq(t, `{"error":{"type":"invalid_request","message":"API key not provided or invalid API key used","code":"IR_01","param":"api-key",
				"hint":"Send a valid API key of the kind that the route takes."}}`, text)
			require.NotContains(t, header, "Access-Control-Allow-Origin")
		}
	}
	for _, path := range []string{"//metrics", "/metrics/", "/metrics;x", "/./metrics/.", "/metrics%2f", "/Metrics"} {
		status, text, _ := r.fetch(r.url+path, "api-key", testAdminKey)
		require.Equal(t, http.StatusNotFound, status, path)
		require.NotContains(t, text, "payswitch_")
	}
	for _, headers := range [][]string{{"api-key", testAdminKey}, {"Authorization", "Bearer " + testAdminKey}, {"Authorization", "bearer  " + testAdminKey}} {
		status, text, header := r.fetch(r.url+"/metrics", headers...)
		require.Equal(t, http.StatusOK, status, headers)
		require.Contains(t, text, "payswitch_build_info")
		require.Equal(t, "no-store", header.Get("Cache-Control"))
		require.Equal(t, "nosniff", header.Get("X-Content-Type-Options"))
	}
}

// TestMetricsOnTheirOwnAddress: with metrics.listen the metrics are at that address, without a key, and not at the API's address.
func TestMetricsOnTheirOwnAddress(t *testing.T) {
	address := freeAddress(t)
	r := start(t, append(testEnv(t, t.TempDir()), "PAYSWITCH_METRICS__LISTEN="+address), "serve")
	status, text, _ := r.fetch("http://" + address + "/metrics")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, text, "payswitch_build_info")
	status, _, _ = r.fetch(r.url+"/metrics", "api-key", testAdminKey)
	require.Equal(t, http.StatusNotFound, status)
}

// TestMetricsOfNobody checks that the configuration warns when no admin key can open /metrics.
func TestMetricsOfNobody(t *testing.T) {
	c := defaultConfig()
	require.Contains(t, c.warnings(), "metrics.listen is not set, and neither is admin.api_key: /metrics answers 401 to everybody (set one of them, or metrics.enabled to false)")
	c.Metrics.Listen = "127.0.0.1:9464"
	require.NotContains(t, c.warnings(), "metrics.listen is not set, and neither is admin.api_key: /metrics answers 401 to everybody (set one of them, or metrics.enabled to false)")
}

// TestDoubtfulEndsInTheProgram: the program's own server closes the connection after a request whose end is in doubt, with the metrics on its address too.
func TestDoubtfulEndsInTheProgram(t *testing.T) {
	t.Parallel()
	for name, metrics := range map[string]string{"metrics on the API's address": "", "metrics apart": "PAYSWITCH_METRICS__LISTEN=127.0.0.1:0"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, append(testEnv(t, t.TempDir()), metrics), "serve")
			for _, path := range []string{"/payments", "/metrics"} {
				conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
				require.NoError(t, err)
				defer conn.Close()
				require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
				_, err = io.WriteString(conn, "POST "+path+" HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /health HTTP/1.1\r\nHost: x\r\n\r\n")
				require.NoError(t, err)
				answers, err := io.ReadAll(conn)
				require.NoError(t, err)
				require.Equal(t, 1, strings.Count(string(answers), "HTTP/1.1 "), "%s: what follows is no request: %s", path, answers)
			}
		})
	}
}
