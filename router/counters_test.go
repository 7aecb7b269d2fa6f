package router_test

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"payswitch/engine/alarm"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/sdk"
)

// counters count the adapter calls of a world's engine by payment and operation, and its alarms.
type counters struct {
	mu     sync.Mutex
	calls  map[string]int
	last   map[string]sdk.Request // what an adapter was asked last, by payment and operation
	alarms map[string]int
	deaf   atomic.Bool                         // processors take no exemptions
	before atomic.Pointer[func(sdk.Operation)] // what happens before an adapter is called, nil for nothing
}

func (c *counters) add(to *map[string]int, key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if *to == nil {
		*to = map[string]int{}
	}
	(*to)[key]++
}

// called returns the number of adapter calls for an operation of a payment.
func (c *counters) called(payment string, op sdk.Operation) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls[payment+" "+string(op)]
}

// asked returns the last request to an adapter about a payment, the zero value before the first request.
func (c *counters) asked(payment string, op sdk.Operation) sdk.Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last[payment+" "+string(op)]
}

func (c *counters) alarmed(kind string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.alarms[kind]
}

func (*counters) PaymentMoved(payment.Status, string)                                  {}
func (*counters) RefundMoved(payment.RefundStatus, string)                             {}
func (*counters) WebhookSent(string, time.Duration)                                    {}
func (*counters) AccountMoved(string, bool, int)                                       {}
func (*counters) RiskRefused(string)                                                   {}
func (*counters) RetryLimited(string, string)                                          {}
func (*counters) WebhookBacklog(time.Duration, int)                                    {}
func (*counters) OperationDone(string, string, payment.OperationStatus, time.Duration) {}
func (*counters) AuthenticationDone(_, _, _, _ string, _ time.Duration)                {}
func (*counters) ExemptionSettled(_, _, _, _ string)                                   {}
func (*counters) Swept(string, time.Duration, time.Duration)                           {}
func (c *counters) Alarm(kind alarm.Kind)                                              { c.add(&c.alarms, string(kind)) }

// counting counts the calls of adapters.
type counting struct {
	port.Connectors
	*counters
}

func (c counting) Adapter(name string) (port.AdapterInfo, bool) {
	info, ok := c.Connectors.Adapter(name)
	if ok && c.deaf.Load() {
		m := *info.Manifest
		m.Features.Exemptions = nil
		info.Manifest = &m
	}
	return info, ok
}

func (c counting) Drive(ctx context.Context, d *port.Drive) (*port.DriveResult, error) {
	c.add(&c.calls, d.Request.PaymentID+" "+string(d.Operation))
	if d.Operation == sdk.OpAuthorize || d.Operation == sdk.OpAuthenticate {
		c.mu.Lock()
		if c.last == nil {
			c.last = map[string]sdk.Request{}
		}
		c.last[d.Request.PaymentID+" "+string(d.Operation)] = d.Request
		c.mu.Unlock()
	}
	if do := c.before.Load(); do != nil {
		(*do)(d.Operation)
	}
	return c.Connectors.Drive(ctx, d)
}
