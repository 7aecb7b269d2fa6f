package simulator3ds

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"payswitch/engine"
)

// pushTo is where an account wants its results sent.
type pushTo struct {
	url  string
	key  engine.Secret
	only bool // postauth has nothing, as at vendors that push alone
}

// notifyConfig says where the results of an account are sent: {"url": …, "only": true}; an empty url ends it. Only the switch's own
// addresses are taken, so that the simulator can be turned against nobody.
func (s *Simulator) notifyConfig(a account, in message) (int, any) {
	to := pushTo{url: in.text("url"), key: engine.NewSecret(in.text("key"))}
	to.only, _ = in["only"].(bool)
	switch {
	case to.url == "":
		delete(s.accounts, a)
		return http.StatusOK, message{"url": ""}
	case !strings.HasPrefix(to.url, s.opts.PublicURL+"/"):
		return http.StatusBadRequest, erro("203", "S", "Format of one or more Data Elements is Invalid according to the Specification", "url must begin with "+s.opts.PublicURL+"/")
	case len(s.accounts) >= maxAccounts:
		return http.StatusTooManyRequests, erro("103", "S", "Sent Messages Limit Exceeded", "too many accounts have asked for pushes")
	}
	s.accounts[a] = to
	return http.StatusOK, message{"url": to.url, "only": to.only}
}

// maxAccounts bounds how many accounts may have asked for pushes.
const maxAccounts = 1000

// pushEvery is how often Run looks for results to send, and pushTimeout how long it waits for one to be taken.
const (
	pushEvery   = 100 * time.Millisecond
	pushTimeout = 5 * time.Second
)

// Run sends results to the accounts that asked for it, until ctx ends. Each is sent once: a POST of the RReq, signed in the header
// X-Signature, the hexadecimal HMAC-SHA256 of the body under the account's API key.
func (s *Simulator) Run(ctx context.Context) error {
	tick := time.NewTicker(pushEvery)
	defer tick.Stop()
	client := &http.Client{Transport: s.transport, Timeout: pushTimeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		for _, p := range s.due() {
			if err := p.send(ctx, client); err != nil {
				s.opts.Logger.Warn("a simulated 3-D Secure result was not taken", "error", err)
			}
		}
	}
}

// push is one result to be sent.
type push struct {
	to   pushTo
	body []byte
}

// due takes out the results whose time has come.
func (s *Simulator) due() (all []push) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for t := range s.pushes {
		s.settle(t)
		if t.result == nil || s.opts.Clock().Before(t.result.from) {
			continue
		}
		delete(s.pushes, t)
		to, asked := s.accounts[t.account]
		body, err := json.Marshal(t.rreq())
		if asked && err == nil {
			s.record(t.account, "ds→switch", t.rreq())
			all = append(all, push{to, body})
		}
	}
	return all
}

func (p push) send(ctx context.Context, client *http.Client) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.to.url, bytes.NewReader(p.body))
	if err != nil {
		return err
	}
	mac := hmac.New(sha256.New, []byte(p.to.key.Reveal()))
	mac.Write(p.body)
	r.Header.Set("Content-Type", "application/json; charset=utf-8")
	r.Header.Set("X-Signature", hex.EncodeToString(mac.Sum(nil)))
	answer, err := client.Do(r)
	if err != nil {
		return fmt.Errorf("push a result: %w", err)
	}
	answer.Body.Close()
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("push a result: answered %d", answer.StatusCode)
	}
	return nil
}
