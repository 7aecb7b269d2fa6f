package router

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"mime"
	"net"
	"net/http"
	"slices"

	"payswitch/engine"
	"payswitch/engine/fault"
	"payswitch/sdk"
)

// webhookPattern is where processors send their messages. They send no key: the account's adapter decides whether a message is genuine.
const webhookPattern = "/webhooks/{merchant_id}/{merchant_connector_id}"

// relayWebhookPattern is where processors send messages about relays.
const relayWebhookPattern = "/webhooks/relay/{merchant_id}/{merchant_connector_id}"

// maxWebhook is the largest number of bytes of a message. Processors put many notifications into one.
const maxWebhook = 256 << 10

// replyTypes are the media types that a reply may have. HTML is not among them, because a browser would run it from this server's address.
var replyTypes = []string{"text/plain", "application/json", "application/xml", "text/xml"}

// receiveWebhook passes a processor's message to the engine unchanged, and answers with the adapter's reply.
func (s *Server) receiveWebhook(c *call) (answer, error) {
	return s.receive(c, s.Payments.ReceiveWebhook)
}

// receiveRelayWebhook does the same with a message about relays.
func (s *Server) receiveRelayWebhook(c *call) (answer, error) {
	return s.receive(c, s.Payments.ReceiveRelayWebhook)
}

func (s *Server) receive(c *call, take func(context.Context, engine.WebhookInput) (*sdk.Reply, error)) (answer, error) {
	m, err := message(c)
	if err != nil {
		return answer{}, err
	}
	sender, _, _ := net.SplitHostPort(c.r.RemoteAddr) // behind a proxy, this is the address of the proxy
	reply, err := take(c.ctx(), engine.WebhookInput{MerchantID: c.param("merchant_id"), Account: c.param("merchant_connector_id"),
		Sender: sender, Path: c.r.URL.EscapedPath(), Message: m})
	if err != nil {
		return answer{}, s.unproven(c, err)
	}
	return replyAnswer(reply), nil
}

// unproven replaces the error for a message whose sender is not proven. All such messages get one answer, so that it does not show which merchants
// exist and which processors they use. The log names the reason.
func (s *Server) unproven(c *call, err error) error {
	var e *fault.Error
	if !errors.As(err, &e) || !slices.Contains([]string{"HE_02", "IR_20", "WE_01", "WE_02"}, e.Code) {
		return err
	}
	reason := e.Message
	if e.Err != nil {
		reason += ": " + e.Err.Error()
	}
	s.Logger.LogAttrs(c.ctx(), slog.LevelInfo, "a webhook message was refused", slog.String("request_id", c.requestID), slog.String("merchant_id", c.param("merchant_id")),
		slog.String("account", c.param("merchant_connector_id")), slog.String("code", e.Code), slog.String("reason", reason))
	return &fault.Error{Kind: fault.KindUnauthorized, Code: "WE_01", Message: "Webhook authentication failed"}
}

// message returns the request in the form that adapters read.
func message(c *call) (sdk.WebhookMessage, error) {
	query, err := pairs(c.r.URL.RawQuery)
	return sdk.WebhookMessage{Method: c.r.Method, Query: query, Headers: headers(c.r.Header), BodyLength: len(c.body), Body: c.body}, err
}

// replyPolicy keeps a browser from running a reply. Any page can post a form to a webhook's URL and so show the reply, and XML may hold scripts and
// forms.
const replyPolicy = "default-src 'none'; sandbox; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

// replyAnswer turns an adapter's reply into an answer. A redirect becomes status 200: a browser shows the body of a redirect without Location.
func replyAnswer(reply *sdk.Reply) answer {
	a := answer{status: reply.Status, body: []byte(reply.Body),
		header: http.Header{"Content-Type": {"text/plain; charset=utf-8"}, "Content-Security-Policy": {replyPolicy}}}
	if a.status < 200 || a.status > 599 || a.status >= 300 && a.status < 400 {
		a.status = http.StatusOK
	}
	media, _, err := mime.ParseMediaType(sdk.HeaderValue(reply.Headers, "Content-Type"))
	if err == nil && slices.Contains(replyTypes, media) {
		a.header.Set("Content-Type", media)
	}
	return a
}

// headers lists a request's headers in the order of their names. A repeated header keeps the order of its values. Cookies are left out: browsers send those
// of the dashboard to every port of its host, and no processor has any.
func headers(h http.Header) []sdk.Header {
	list := make([]sdk.Header, 0, len(h))
	for _, name := range slices.Sorted(maps.Keys(h)) {
		if name == "Cookie" {
			continue
		}
		for _, v := range h[name] {
			list = append(list, sdk.Header{Name: name, Value: v})
		}
	}
	return list
}
