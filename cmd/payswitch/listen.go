package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"payswitch/engine/webhook"
)

// shopClient is a merchant's client of a switch, for the commands that help to develop a shop.
type shopClient struct {
	url, key, merchant, profile string
}

// shopFlags adds the flags that name a switch and a merchant.
func shopFlags(f *flag.FlagSet) *shopClient {
	c := &shopClient{}
	f.StringVar(&c.url, "url", "", "the switch's `address`; without the flag, that of the demo on this machine, or http://127.0.0.1:8080")
	f.StringVar(&c.key, "api-key", "", "the merchant's secret API `key`; without the flag, the variable API_KEY, or the key of the demo on this machine")
	f.StringVar(&c.merchant, "merchant", demoMerchant, "the merchant's `id`")
	f.StringVar(&c.profile, "profile", "", "the `id` of the profile; without the flag, the merchant's first one")
	return c
}

// complete finds the key and the address that no flag gives, and checks the address. A demo's address goes with its key alone.
func (c *shopClient) complete(env []string) error {
	for _, e := range env {
		if key, ok := strings.CutPrefix(e, "API_KEY="); ok {
			c.key = cmp.Or(c.key, key)
		}
	}
	demo := latestDemo()
	if c.key = cmp.Or(c.key, demo.API); c.key == "" {
		return usageError{"no API key: set the variable API_KEY, or start `payswitch demo` on this machine"}
	}
	if c.url == "" && c.key == demo.API {
		c.url = demo.URL
	}
	c.url = cmp.Or(c.url, "http://127.0.0.1:8080")
	if u, err := url.Parse(c.url); err != nil || u.Host == "" {
		return usageError{"--url must be a whole URL, such as http://127.0.0.1:8080"}
	}
	return nil
}

// latestDemo returns keys and address of the demo that started last: by make run in this folder, or by payswitch demo. Without a demo they are empty.
func latestDemo() *demoKeys {
	latest, at := &demoKeys{}, time.Time{}
	cache, _ := os.UserCacheDir()
	for _, folder := range []string{filepath.Join(".cache", "demo"), filepath.Join(cache, "payswitch", "demo")} {
		file := filepath.Join(folder, "keys.json")
		info, err := os.Stat(file)
		if err != nil || !info.ModTime().After(at) {
			continue
		}
		if keys, err := readDemoKeys(file); err == nil {
			latest, at = keys, info.ModTime()
		}
	}
	return latest
}

// call sends a request and reads the answer into out, unless that is nil. body nil sends none.
func (c *shopClient) call(ctx context.Context, method, path string, body, out any) error {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return err
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(c.url, "/")+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("api-key", c.key)
	answer, err := shopHTTP.Do(r)
	if dial := (*net.OpError)(nil); errors.As(err, &dial) && dial.Op == "dial" {
		return fmt.Errorf("%w: start the switch, or name its address with --url", err)
	}
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(io.LimitReader(answer.Body, 64<<20))
	if err != nil {
		return err
	}
	var e struct {
		Error struct{ Code, Message string }
	}
	if json.Unmarshal(content, &e); e.Error.Message != "" { // also with 200: a payment that the merchant's block list stops
		return fmt.Errorf("%s %s: the switch answered %d: %s (%s)", method, path, answer.StatusCode, e.Error.Message, e.Error.Code)
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: the switch answered %d", method, path, answer.StatusCode)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(content, out)
}

// shopHTTP follows no redirect, as deliveries do not.
var shopHTTP = &http.Client{Timeout: 30 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

const (
	// listenEvery is the time between two looks for new events.
	listenEvery = time.Second
	// listenOverlap is how long an event may take until it is listed as delivered.
	listenOverlap = 2 * time.Minute
	// listenLeft is the age at which an endpoint that a killed listen has left is removed.
	listenLeft = 24 * time.Hour
	listenPage = 100
)

// listener shows events as they happen, and forwards them.
type listener struct {
	*shopClient
	*program
	forward  string
	endpoint string
	path     string // of the profile's endpoints
	after    time.Time
	seen     map[string]time.Time // by id of event, its time
	failed   string               // the last error that was shown
}

// listen shows a merchant's events, and forwards them to a program under development.
func (p *program) listen(ctx context.Context, args []string) error {
	f := p.flags("listen")
	c := shopFlags(f)
	forward := f.String("forward-to", "", "post each event to this `URL`, such as http://localhost:3000/hook; without the flag, events are only shown")
	types := f.String("events", "", "the event `types`, with commas between; without the flag, all")
	if err := parse(f, args); err != nil {
		return err
	}
	if u, err := url.Parse(*forward); *forward != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		return usageError{"--forward-to must be a whole URL, such as http://localhost:3000/hook"}
	}
	wanted := []string{}
	if *types != "" {
		wanted = strings.Split(*types, ",")
	}
	if err := c.complete(p.env); err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	l := &listener{shopClient: c, program: p, forward: *forward, seen: map[string]time.Time{}}
	if err := l.open(ctx, wanted); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	defer l.close(context.WithoutCancel(ctx))
	tick := time.NewTicker(listenEvery)
	defer tick.Stop()
	for {
		l.look(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

type listenEndpoint struct {
	ID      string    `json:"endpoint_id"`
	URL     string    `json:"url"`
	Secret  string    `json:"secret"`
	Created time.Time `json:"created"`
}

// open makes an endpoint that payswitch prepares requests for, and removes what earlier runs have left.
func (l *listener) open(ctx context.Context, types []string) error {
	profiles := "/account/" + url.PathEscape(l.merchant) + "/business_profile"
	if l.profile == "" {
		var list []struct {
			ID string `json:"profile_id"`
		}
		if err := l.call(ctx, http.MethodGet, profiles, nil, &list); err != nil {
			return err
		}
		if len(list) == 0 {
			return fmt.Errorf("merchant %s has no profile", l.merchant)
		}
		l.profile = list[0].ID
	}
	l.path = profiles + "/" + url.PathEscape(l.profile) + "/webhook_endpoints"
	var others []listenEndpoint
	if err := l.call(ctx, http.MethodGet, l.path, nil, &others); err != nil {
		return err
	}
	host, _ := os.Hostname()
	var made listenEndpoint
	err := l.call(ctx, http.MethodPost, l.path, map[string]any{"url": webhook.ListenURL, "description": "payswitch listen on " + host, "event_types": types}, &made)
	if err != nil {
		return err
	}
	for _, e := range others {
		if e.URL == webhook.ListenURL && made.Created.Sub(e.Created) > listenLeft {
			if err := l.call(ctx, http.MethodDelete, l.path+"/"+e.ID, nil, nil); err != nil {
				return err
			}
		}
	}
	l.endpoint, l.after = made.ID, made.Created.Add(-listenOverlap)
	fmt.Fprintf(l.stdout, "Listening to merchant %s, profile %s at %s.\n", l.merchant, l.profile, l.url)
	fmt.Fprintln(l.stdout, "Signing secret:", made.Secret)
	return nil
}

func (l *listener) close(ctx context.Context) {
	if err := l.call(ctx, http.MethodDelete, l.path+"/"+l.endpoint, nil, nil); err != nil {
		fmt.Fprintf(l.stderr, "the endpoint %s of this command could not be deleted; the next `payswitch listen` does that after a day: %v\n", l.endpoint, err)
	}
}

type listenedEvent struct {
	ID       string    `json:"event_id"`
	Type     string    `json:"event_type"`
	Object   string    `json:"object_id"`
	Endpoint string    `json:"endpoint_id"`
	State    string    `json:"state"`
	Created  time.Time `json:"created"`
}

// look shows and forwards what is new. It shows an error once, and the next look tries again.
func (l *listener) look(ctx context.Context) {
	list, err := l.news(ctx)
	for _, e := range list {
		if err != nil || ctx.Err() != nil {
			break
		}
		if err = l.pass(ctx, e); err == nil {
			l.seen[e.ID] = e.Created
		}
	}
	if err == nil {
		l.failed = ""
		return
	}
	if text := err.Error(); ctx.Err() == nil && text != l.failed {
		l.failed = text
		fmt.Fprintln(l.stderr, "listen:", text)
	}
}

// news lists the events that are new, oldest first.
func (l *listener) news(ctx context.Context) (out []listenedEvent, err error) {
	newest := l.after.Add(listenOverlap)
	for offset := 0; ; offset += listenPage {
		var page struct {
			Events []listenedEvent `json:"events"`
		}
		body := map[string]any{"profile_id": l.profile, "created_after": l.after.Format(time.RFC3339Nano), "limit": listenPage, "offset": offset}
		if err := l.call(ctx, http.MethodPost, "/events/"+url.PathEscape(l.merchant), body, &page); err != nil {
			return nil, err
		}
		for _, e := range page.Events {
			if _, known := l.seen[e.ID]; e.Endpoint == l.endpoint && e.State == string(webhook.Delivered) && !known {
				out = append(out, e)
			}
			if e.Created.After(newest) {
				newest = e.Created
			}
		}
		if len(page.Events) < listenPage {
			break
		}
	}
	l.after = newest.Add(-listenOverlap)
	for id, at := range l.seen {
		if at.Before(l.after) {
			delete(l.seen, id)
		}
	}
	slices.Reverse(out)
	slices.SortStableFunc(out, func(a, b listenedEvent) int { return a.Created.Compare(b.Created) })
	return out, nil
}

// pass shows an event and forwards the request that payswitch has prepared for it, byte for byte. The program's answer is shown, whatever it is.
func (l *listener) pass(ctx context.Context, e listenedEvent) error {
	var attempts []struct {
		Endpoint string `json:"endpoint_id"`
		Request  struct {
			Body    string      `json:"body"`
			Headers [][2]string `json:"headers"`
		} `json:"request"`
	}
	if err := l.call(ctx, http.MethodGet, "/events/"+url.PathEscape(l.merchant)+"/"+url.PathEscape(e.ID)+"/attempts", nil, &attempts); err != nil {
		return err
	}
	line := fmt.Sprintf("%s  %-28s %s  %s", e.Created.UTC().Format(time.TimeOnly), e.Type, e.Object, e.ID)
	for _, a := range attempts {
		if a.Endpoint != l.endpoint {
			continue
		}
		if l.forward != "" {
			line += "  " + l.post(ctx, a.Request.Headers, a.Request.Body)
		}
		fmt.Fprintln(l.stdout, line)
		return nil
	}
	return errors.New("the switch lists no attempt for event " + e.ID)
}

// post forwards a request, and returns the program's answer in words.
func (l *listener) post(ctx context.Context, headers [][2]string, body string) string {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, l.forward, strings.NewReader(body))
	if err != nil {
		return err.Error()
	}
	for _, h := range headers {
		r.Header.Add(h[0], h[1])
	}
	answer, err := shopHTTP.Do(r)
	if err != nil {
		return "not taken: " + err.Error()
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, io.LimitReader(answer.Body, 1<<20))
	if err != nil {
		return "not taken: " + err.Error()
	}
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return "not taken: " + answer.Status
	}
	return answer.Status
}
