package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"

	"payswitch/engine/secret"
	"payswitch/router"
	"payswitch/storage"
)

// configCheck checks the configuration and prints every setting in force. A secret prints as set or not set.
func (p *program) configCheck(_ context.Context, args []string) error {
	c, err := p.parseConfig(p.flags("config check"), args)
	if err == nil {
		err = c.checkFiles()
	}
	if err != nil {
		return err
	}
	for _, line := range describe(c) {
		fmt.Fprintln(p.stdout, line)
	}
	for _, w := range c.warnings() {
		fmt.Fprintln(p.stdout, "warning:", w)
	}
	fmt.Fprintln(p.stdout, "configuration is good")
	return nil
}

// checkFiles reads the files that settings name, as serve does. The error joins all problems.
func (c Config) checkFiles() error {
	_, key := c.Vault.current().open(c)
	_, next := c.Vault.next().open(c)
	_, bins := readBINTable(c.Cards.BINTable)
	tables, offers := readOfferTables(c.Cards.OfferTables)
	if offers == nil {
		if _, err := router.Limits(tables); err != nil {
			offers = problem("cards.offer_tables", "%v", err)
		}
	}
	return errors.Join(key, next, bins, offers, storage.CheckDSN(c.Storage.DSN.Reveal()))
}

// describe returns the settings as lines "key: value", sorted by key.
func describe(c Config) []string {
	fields := fieldsOf(&c)
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		lines = append(lines, key+": "+shown(key, fields[key]))
	}
	return lines
}

func shown(key string, f reflect.Value) string {
	s, isSecret := f.Interface().(secret.Value)
	switch {
	case !isSecret:
		return fmt.Sprint(f.Interface())
	case key == "storage.dsn":
		return shownDSN(s)
	case s.IsZero():
		return "(not set)"
	default:
		return "(set)"
	}
}

// shownDSN returns a database address without its password.
func shownDSN(dsn secret.Value) string {
	s := dsn.Reveal()
	if strings.HasPrefix(s, "sqlite:") {
		return s
	}
	u, err := url.Parse(s)
	if err != nil {
		return "(set)"
	}
	u.RawQuery = ""
	return u.Redacted()
}

// warnings returns risks in a valid configuration.
func (c Config) warnings() []string {
	var w []string
	if c.Admin.APIKey.IsZero() {
		w = append(w, "admin.api_key is not set, so no merchants or API keys can be created (set "+variableOf("admin.api_key")+")")
	} else if len(c.Admin.APIKey.Reveal()) < 16 {
		w = append(w, "admin.api_key is short: make a longer one with  openssl rand -hex 32")
	}
	if c.Vault.current().isZero() {
		w = append(w, noMasterKey)
	}
	if c.demoKey() {
		w = append(w, "vault.master_key is the published DEMO KEY: not for production")
	}
	w = append(append(w, c.Vault.current().warnings(c)...), c.Vault.next().warnings(c)...)
	for _, key := range slices.Sorted(maps.Keys(c.secretFiles)) {
		if st, err := os.Stat(c.secretFiles[key]); err == nil && st.Mode().Perm()&0o007 != 0 {
			w = append(w, fmt.Sprintf("%s: others on this machine may read %s: chmod 600 it", key, c.secretFiles[key]))
		}
	}
	if !isLoopback(c.Server.Listen) && c.Server.PublicURL == "" {
		w = append(w, "server.public_url is not set: customers cannot come back from a redirect (set "+variableOf("server.public_url")+")")
	}
	if c.Metrics.Enabled && c.Metrics.Listen == "" && c.Admin.APIKey.IsZero() {
		w = append(w, "metrics.listen is not set, and neither is admin.api_key: /metrics answers 401 to everybody (set one of them, or metrics.enabled to false)")
	}
	if st, err := os.Stat(c.Plugins.Directory); err == nil && c.Plugins.Directory != "" && st.Mode().Perm()&0o002 != 0 {
		w = append(w, fmt.Sprintf("plugins.directory: others on this machine may put adapters into %s: chmod o-w it", c.Plugins.Directory))
	}
	if c.Plugins.AllowLoopback {
		w = append(w, "plugins.allow_loopback_http is on: for development only")
	}
	return w
}

const isDemoKey = "is the published demo key, which protects nothing: make your own with  openssl rand -base64 32"

const noMasterKey = "vault.master_key is not set: make one with  openssl rand -base64 32  and pass it in PAYSWITCH_VAULT__MASTER_KEY, or name vault.master_key_file or vault.master_key_uri; keep it, for without it the data cannot be read"
