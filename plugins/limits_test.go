package plugins_test

import (
	"bytes"
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/card"
	"payswitch/engine/fault"
	"payswitch/plugins"
	"payswitch/sdk"
)

func TestLimitsOfADrive(t *testing.T) {
	url, arrivals := server(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			select {
			case <-r.Context().Done():
			case <-time.After(5 * time.Second):
			}
		}
		if r.URL.Path == "/large" {
			_, _ = w.Write(bytes.Repeat([]byte(" "), 300<<10))
		}
	})
	endless := func(path string) sdk.Func {
		return func(c *sdk.Call) (*sdk.Outcome, error) {
			for {
				if _, err := c.Get(path); err == sdk.ErrTooManySends {
					return nil, err
				}
			}
		}
	}
	t.Run("sends", func(t *testing.T) {
		res, err := native(t, plugins.Options{}, endless("/"), authorize("scripted", url))
		require.NoError(t, err)
		require.Equal(t, sdk.StatusUnknown, res.Outcome.Status)
		require.EqualValues(t, sdk.MaxSends, arrivals.Swap(0))
	})
	t.Run("bytes", func(t *testing.T) {
		counted := &observer{}
		res, err := native(t, plugins.Options{Observer: counted}, endless("/large"), authorize("scripted", url))
		require.NoError(t, err)
		require.Equal(t, sdk.StatusUnknown, res.Outcome.Status)
		require.Contains(t, counted.of("sent"), "sent too_large")
		total := 0
		for _, x := range res.Exchanges {
			total += len(x.Body)
		}
		require.Less(t, total, sdk.MaxMessage)
		arrivals.Store(0)
	})
	t.Run("one answer", func(t *testing.T) {
		res, err := native(t, plugins.Options{MaxResponse: 1000}, func(c *sdk.Call) (*sdk.Outcome, error) {
			_, err := c.Get("/large")
			return authorized, err
		}, authorize("scripted", url))
		require.NoError(t, err)
		require.Equal(t, "too_large", res.Exchanges[0].Failure)
		require.Zero(t, res.Exchanges[0].Status)
		require.True(t, res.Exchanges[0].Sent)
		require.False(t, res.AnsweredLast)
	})
	slow := func(timeout int) sdk.Func {
		return func(c *sdk.Call) (*sdk.Outcome, error) {
			_, err := c.Do(&sdk.Send{Method: "POST", URL: "/slow", TimeoutMillis: timeout})
			return authorized, err
		}
	}
	t.Run("time of a send", func(t *testing.T) {
		res, err := native(t, plugins.Options{}, slow(500), authorize("scripted", url))
		require.NoError(t, err)
		require.Equal(t, "timeout", res.Exchanges[0].Failure)
		require.True(t, res.MayHaveLeft)
		require.Less(t, res.Duration, 4*time.Second)
	})
	t.Run("time of an operation", func(t *testing.T) {
		res, err := native(t, plugins.Options{OperationTimeout: 500 * time.Millisecond}, func(c *sdk.Call) (*sdk.Outcome, error) {
			_, _ = c.Get("/slow")
			_, _ = c.Get("/slow")
			return authorized, nil
		}, authorize("scripted", url))
		require.NoError(t, err)
		require.Equal(t, sdk.StatusUnknown, res.Outcome.Status)
		require.Len(t, res.Exchanges, 1)
		require.Less(t, res.Duration, 4*time.Second)
	})
	t.Run("an account's turn", func(t *testing.T) {
		o := plugins.Options{AllowLoopbackHTTP: true, AccountConcurrency: 2, AccountWait: 50 * time.Millisecond}
		n, err := plugins.NewNative(map[string]*sdk.Adapter{"scripted": scripted(slow(1000))}, o)
		require.NoError(t, err)
		errs := make(chan error)
		for range 3 {
			go func() {
				_, err := n.Drive(context.Background(), authorize("scripted", url))
				errs <- err
			}()
		}
		require.ErrorIs(t, <-errs, fault.ErrBusy)
		require.NoError(t, <-errs)
		require.NoError(t, <-errs)
		_, err = n.Drive(context.Background(), authorize("scripted", url))
		require.NoError(t, err)
	})
	t.Run("a message needs no turn", func(t *testing.T) {
		o := plugins.Options{AllowLoopbackHTTP: true, AccountConcurrency: 1, AccountWait: 50 * time.Millisecond}
		asked := make(chan bool)
		n, err := plugins.NewNative(map[string]*sdk.Adapter{"scripted": scripted(func(c *sdk.Call) (*sdk.Outcome, error) {
			if c.Request.Webhook != nil {
				return sdk.Handled(), nil
			}
			return slow(1000)(c)
		})}, o)
		require.NoError(t, err)
		go func() {
			ctx, end, err := n.Turn(context.Background(), authorize("scripted", url).Account.ID)
			asked <- err == nil
			_, err = n.Drive(ctx, authorize("scripted", url))
			end()
			asked <- err == nil
		}()
		require.True(t, <-asked)
		d := authorize("scripted", "")
		d.Operation, d.Secrets, d.Request = sdk.OpWebhook, card.Secrets{}, sdk.Request{Webhook: &sdk.WebhookMessage{Method: "POST", Body: []byte("{}"), BodyLength: 2}}
		res, err := n.Drive(context.Background(), d)
		require.NoError(t, err)
		require.Equal(t, sdk.StatusHandled, res.Outcome.Status)
		require.True(t, <-asked)
	})
}
