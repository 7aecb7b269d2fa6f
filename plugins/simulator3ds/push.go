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

	"payswitch/engine/secret"
)

// pushTo is the URL that gets the results of an account.
type pushTo struct {
	url  string
	key  secret.Value
	only bool // postauth returns no result, as with a vendor that can only push
}

// notifyConfig sets the URL for the results of an account: {"url": …, "only": true}. An empty url ends the pushes. The
// URL must be under PublicURL, so that the simulator cannot be made to send requests to other servers.
func (s *Simulator) notifyConfig(a account, in message) (int, any) {
	to := pushTo{url: in.text("url"), key: secret.New(in.text("key"))}
	to.only, _ = in["only"].(bool)
	switch {
	case to.url == "":
		delete(s.accounts, a)
		return http.StatusOK, message{"url": ""}
	case !strings.HasPrefix(to.url, s.opts.PublicURL+"/"):
		return http.StatusBadRequest, erro("203", "S", "Format of one or more Data Elements is Invalid according to the Specification", "url must begin with "+s.opts.PublicURL+"/")
	case len(s.accounts) >= maxAccounts:
		return http.StatusTooManyRequests, erro("103", "S", "Sent Messages Limit Exceeded", "too many accounts have set a URL for pushes")
	}
	s.accounts[a] = to
	return http.StatusOK, message{"url": to.url, "only": to.only}
}

// maxAccounts is the largest number of accounts that can have a URL for pushes.
const maxAccounts = 1000

// Run looks for results to send every pushEvery. A push ends after pushTimeout.
const (
	pushEvery   = 100 * time.Millisecond
	pushTimeout = 5 * time.Second
)

// Run pushes results to the URLs of accounts until ctx ends. It sends each result once: a POST of the RReq. The header
// X-Signature has the hexadecimal HMAC-SHA256 of the body under the API key of the account.
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
				s.opts.Logger.Warn("the receiver did not accept a simulated 3-D Secure result", "error", err)
			}
		}
	}
}

// push is one result to send.
type push struct {
	to   pushTo
	body []byte
}

// due removes and returns the results whose time has come.
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
		return fmt.Errorf("push a result: the answer has status %d instead of 2xx", answer.StatusCode)
	}
	return nil
}
