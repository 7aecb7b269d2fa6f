package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/template"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/secret"
	"payswitch/plugins"
)

// demoMasterKey is base64 of "DEMO KEY: not for production use". It is published, so that it protects nothing.
const demoMasterKey = "REVNTyBLRVk6IG5vdCBmb3IgcHJvZHVjdGlvbiB1c2U="

const (
	demoMerchant      = "demo_merchant"
	demoConnector     = "simulator"
	demoAuthenticator = plugins.Simulator3DSName
)

// demoKeys are the keys of a demo, kept in the folder of its database, because the switch cannot show a key a second time.
type demoKeys struct {
	Admin string `json:"admin_key"`
	API   string `json:"api_key"`
	URL   string `json:"url"` // where the demo's latest start listens
}

// demo runs a switch with a merchant, keys and simulators. Database and keys are kept, so that every start prints the same keys.
func (p *program) demo(ctx context.Context, args []string) error {
	f := p.flags("demo")
	listen := f.String("listen", "", "listen on this `host:port`; without the flag, on server.listen, 127.0.0.1:8080")
	data := f.String("data", "", "keep the demo's keys, and its database unless storage.dsn names a PostgreSQL one, in this `folder`; without the flag, in payswitch/demo in the user's cache directory")
	if err := parse(f, args); err != nil {
		return err
	}
	defaults := defaultConfig()
	defaults.Log.Format = "text"
	defaults.Webhooks.AllowPrivate = true // the demo's shop is at this machine, and so is a shop under development
	c, err := loadConfig(defaults, "", false, p.env)
	if err != nil {
		return err
	}
	if *data == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return fmt.Errorf("the demo's database has no folder: %w: name one with --data", err)
		}
		*data = filepath.Join(cache, "payswitch", "demo")
	}
	if err := os.MkdirAll(*data, 0o700); err != nil {
		return fmt.Errorf("make the demo's folder: %w", err)
	}
	keysFile := filepath.Join(*data, "keys.json")
	keys, err := readDemoKeys(keysFile)
	if err != nil {
		return err
	}
	c.Server.Listen = cmp.Or(*listen, c.Server.Listen)
	if c.Dashboard.Listen == defaults.Dashboard.Listen && *listen != "" {
		c.Dashboard.Listen = "127.0.0.1:0" // a second demo on a machine finds the usual port taken
	}
	if strings.HasPrefix(c.Storage.DSN.Reveal(), "sqlite:") {
		c.Storage.DSN = secret.New("sqlite:" + filepath.Join(*data, "demo.db"))
	}
	c.Vault.MasterKey = secret.New(demoMasterKey)
	c.Admin.APIKey = secret.New(keys.Admin)
	if len(c.Server.CORS.Origins) == 0 {
		c.Server.CORS.Origins = []string{"*"} // a shop under development may be anywhere, and keys guard each route
	}
	if err := c.Validate(); err != nil {
		return err
	}

	p.tune()
	ctx, stop := untilSignal(ctx)
	defer stop()
	lines := openLogLines(p.stderr, c.Log)
	defer lines.close()
	log := newLogger(lines, c.Log)
	if err := writeDemoKey(filepath.Join(*data, demoKeyFile)); err != nil {
		return err
	}
	log.Warn("DEMO KEY: this database is sealed with a published master key, which protects nothing: not for production", keyFile, filepath.Join(*data, demoKeyFile))
	n, err := openNode(ctx, c, true, log)
	if err != nil {
		return err
	}
	merchant, err := n.furnish(ctx, keys)
	if err == nil {
		keys.URL = n.url()
		err = writeDemoKeys(keysFile, keys)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("set up the demo: %w", err), n.close())
	}
	shop := &demoShop{api: n.server.Handler, engine: n.engine, auth: account.Auth{MerchantID: merchant.ID}, public: merchant.PublishableKey, log: n.component("demo")}
	if err := shop.hear(ctx, merchant.DefaultProfile, n.url()); err != nil {
		return errors.Join(fmt.Errorf("set up the demo's webhooks: %w", err), n.close())
	}
	n.server.Handler = shop
	link, err := n.demoLink(ctx)
	if err != nil {
		return errors.Join(err, n.close())
	}
	if err := demoBanner.Execute(p.stdout, map[string]any{"URL": n.url(), "Dashboard": link, "Keys": keys, "Merchant": merchant, "Data": *data, "Connector": demoConnector, "Authenticator": demoAuthenticator}); err != nil {
		return errors.Join(err, n.close())
	}
	return errors.Join(n.run(ctx), n.close())
}

// furnish makes the demo's merchant, its accounts at the simulators and its API key, unless they exist.
func (n *node) furnish(ctx context.Context, keys *demoKeys) (*account.Merchant, error) {
	needed := []string{demoConnector}
	if n.bank != nil {
		needed = append(needed, demoAuthenticator)
	}
	for _, connector := range needed {
		if _, loaded := n.host.Adapter(connector); !loaded {
			return nil, fmt.Errorf("the adapter of %s is not loaded: run `make plugins` and build again, or see above why it was refused", connector)
		}
	}
	m, err := n.engine.Merchant(ctx, demoMerchant)
	if fault.IsNotFound(err) {
		m, err = n.engine.CreateMerchant(ctx, account.MerchantInput{ID: demoMerchant, Fields: account.Fields{"merchant_name": json.RawMessage(`"Demo merchant"`)}})
	}
	if err != nil {
		return nil, err
	}
	as := account.Auth{MerchantID: m.ID}
	if err := n.demoAccounts(ctx, as); err != nil {
		return nil, err
	}
	if a, err := n.engine.Authenticate(ctx, secret.New(keys.API)); err == nil && a.MerchantID == m.ID && !a.Publishable {
		return m, nil
	}
	_, key, err := n.engine.CreateAPIKey(ctx, as, account.APIKeyInput{Name: new("demo"), Expiration: new(time.Time)}) // never ends
	if err != nil {
		return nil, err
	}
	keys.API = key.Reveal()
	return m, nil
}

// readDemoKeys reads the keys, or makes new ones when the file is missing.
func readDemoKeys(path string) (*demoKeys, error) {
	keys := &demoKeys{}
	b, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("read the demo's keys: %w", err)
	default:
		if err := json.Unmarshal(b, keys); err != nil {
			return nil, fmt.Errorf("read the demo's keys: %s: %w: delete its folder for a new start", path, err)
		}
	}
	if keys.Admin == "" {
		keys.Admin = "demo_admin_" + rand.Text()
	}
	return keys, nil
}

func writeDemoKeys(path string, keys *demoKeys) error {
	b, err := json.MarshalIndent(keys, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(b, '\n'), 0o600)
}

// demoKeyFile holds the demo's master key, for commands on its database. It is in the database's folder, where no other master key may be.
const demoKeyFile = "DEMO-KEY-PROTECTS-NOTHING.txt"

func writeDemoKey(path string) error {
	if err := os.WriteFile(path, []byte(demoMasterKey+"\n"), 0o600); err != nil {
		return fmt.Errorf("write the demo's master key: %w", err)
	}
	return nil
}

var demoBanner = template.Must(template.New("demo").Parse(`
payswitch demo at {{.URL}}           DEMO KEY: not for production

  merchant          {{.Merchant.ID}}, with an account at {{.Connector}} and its 3-D Secure at {{.Authenticator}}
  API key           {{.Keys.API}}
  publishable key   {{.Merchant.PublishableKey}}
  admin key         {{.Keys.Admin}}
  shop              {{.URL}}/demo, and its orders with webhooks at {{.URL}}/demo/orders
  API described at  {{.URL}}/openapi.yaml
  metrics           {{.URL}}/metrics (with the admin key as api-key or bearer token)
  test cards        {{.URL}}/sim/3ds/cards (3-D Secure)
  database in       {{.Data}} (delete it for a new start)

Paste this into another terminal: it pays 65.40 USD, and the answer says "succeeded".

curl -sS -w '\n' {{.URL}}/payments \
  -H 'Content-Type: application/json' -H 'api-key: {{.Keys.API}}' \
  -d '{"amount": 6540, "currency": "USD", "confirm": true,
       "payment_method": "card", "payment_method_type": "credit",
       "payment_method_data": {"card": {"card_number": "4242424242424242", "card_exp_month": "10",
         "card_exp_year": "50", "card_holder_name": "Ada Lovelace", "card_cvc": "737"}}}'
{{with .Dashboard}}
Then open the dashboard and look at the payment. The link works once; each start of the demo prints a new one.

  {{.}}
{{end}}
Ctrl-C ends the demo.
`))

// demoEmail names the demo's user.
const demoEmail = "demo@example.com"

// demoLink returns the address of a link that signs in as the demo's user, "" without a dashboard.
func (n *node) demoLink(ctx context.Context) (string, error) {
	if n.dashboardServer == nil {
		return "", nil
	}
	link, err := n.staff.DemoLink(ctx, demoEmail, "Demo")
	if err != nil {
		return "", fmt.Errorf("set up the demo: %w", err)
	}
	return linkAddress(n.dashboardURL(), link), nil
}
