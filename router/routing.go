package router

import (
	"context"
	"encoding/json"
	"math"
	"net/http"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/routed"
	"payswitch/engine/routing"
	"payswitch/engine/routing/rank"
	"payswitch/engine/routing/rule"
)

// routingAdmin are the engine's use cases of routing. *engine.Engine implements them.
type routingAdmin interface {
	CreateRouting(ctx context.Context, a account.Auth, in routing.ConfigInput) (*routing.Config, []rule.Warning, error)
	Routings(ctx context.Context, a account.Auth, transactionType routed.TransactionType, limit, offset int) ([]*routing.Config, error)
	Routing(ctx context.Context, a account.Auth, id string) (*routing.Config, error)
	ActivateRouting(ctx context.Context, a account.Auth, id string, transactionType routed.TransactionType) (*routing.Config, error)
	DeactivateRouting(ctx context.Context, a account.Auth, profileID string, transactionType routed.TransactionType) (*routing.Config, error)
	ActiveRoutings(ctx context.Context, a account.Auth, profileID string, transactionType routed.TransactionType) ([]*routing.Config, error)

	MerchantDefaults(ctx context.Context, a account.Auth) ([]routed.Choice, error)
	ReorderMerchantDefaults(ctx context.Context, a account.Auth, order []routed.Choice) ([]routed.Choice, error)
	ProfileDefaults(ctx context.Context, a account.Auth, profileID string) ([]routed.Choice, error)
	ReorderProfileDefaults(ctx context.Context, a account.Auth, profileID string, order []routed.Choice) ([]routed.Choice, error)

	EvaluateRouting(ctx context.Context, a account.Auth, in routing.EvaluateInput) (*routing.Evaluation, error)
	ReplayRouting(ctx context.Context, a account.Auth, in routing.ReplayInput) (*routing.Replay, error)
	ToggleDynamic(ctx context.Context, a account.Auth, profileID string, kind rank.Kind, feature routing.Feature, config json.RawMessage, activate bool) (*routing.Config, error)
	UpdateDynamic(ctx context.Context, a account.Auth, profileID string, kind rank.Kind, id string, config json.RawMessage) (*routing.Config, error)
	DecideGateway(ctx context.Context, a account.Auth, in routing.DecideInput) (*routing.Decided, error)
	CountFeedback(ctx context.Context, a account.Auth, in routing.GatewayFeedback) (counted bool, err error)
	Simulate(ctx context.Context, a account.Auth, in routing.SimulateInput) (*routing.Simulation, error)
	VolumeSplit(ctx context.Context, a account.Auth, profileID string) (int, error)
	SetVolumeSplit(ctx context.Context, a account.Auth, profileID string, split int) error
	AccountHealth(ctx context.Context, a account.Auth, profileID string) ([]routing.AccountHealth, error)
	decisionAdmin
	errorAdmin
}

// maxProgram and maxDecision are the most bytes of a body with a program of rules. 10,000 rules of three conditions have about 4.5 MB.
// A merchant's program of decisions is compiled again after each change of the merchant, so that it has less.
const (
	maxProgram  = 8 << 20
	maxDecision = 1 << 20
)

// routingRoutes returns the routes of routing configurations, decisions, error rules and config keys.
func (s *Server) routingRoutes() []route {
	const (
		configPath    = "/routing/{routing_id}"
		decisionPath  = "/routing/decision"
		surchargePath = decisionPath + "/surcharge"
		keyPath       = configsPath + "/{config_key}"
		dynamicPath   = "/account/{merchant_id}/business_profile/{profile_id}/dynamic_routing"
	)
	return []route{
		{method: "POST", pattern: "/routing", who: secretField, handle: s.createRouting, body: maxProgram},
		{method: "GET", pattern: "/routing", who: secretField, handle: s.listRoutings},
		{method: "GET", pattern: "/routing/list/profile", who: secretField, handle: s.listRoutings},
		{method: "GET", pattern: "/routing/active", who: secretField, handle: s.activeRoutings},
		{method: "POST", pattern: "/routing/deactivate", who: secretField, handle: s.deactivateRouting},
		{method: "POST", pattern: "/routing/rule/evaluate", who: secretField, handle: s.evaluateRouting},
		{method: "POST", pattern: "/routing/evaluate", who: secretField, handle: s.decideGateway},
		{method: "POST", pattern: "/routing/feedback", who: secretField, handle: s.countFeedback},
		{method: "POST", pattern: "/routing/simulate", who: secretField, handle: s.simulateRouting},
		{method: "POST", pattern: "/routing/replay", who: secretField, handle: s.replayRouting, body: maxProgram},
		{method: "GET", pattern: "/routing/health", who: secretField, handle: s.accountHealth},
		{method: "GET", pattern: configPath, who: secretField, handle: s.retrieveRouting},
		{method: "POST", pattern: configPath + "/activate", who: secretField, handle: s.activateRouting},

		{method: "GET", pattern: "/routing/default", who: secretField, handle: s.retrieveDefaults},
		{method: "POST", pattern: "/routing/default", who: secretField, handle: s.reorderDefaults},
		{method: "GET", pattern: "/routing/default/profile", who: secretField, handle: s.retrieveOwnDefaults},
		{method: "POST", pattern: "/routing/default/profile/{profile_id}", who: secretField, handle: s.reorderProfileDefaults},

		{method: "PUT", pattern: decisionPath, who: secretField, handle: s.putDecision, body: maxDecision},
		{method: "GET", pattern: decisionPath, who: secretField, handle: s.retrieveDecision},
		{method: "DELETE", pattern: decisionPath, who: secretField, handle: s.deleteDecision},
		{method: "PUT", pattern: surchargePath, who: secretField, handle: s.putSurcharge, body: maxDecision},
		{method: "GET", pattern: surchargePath, who: secretField, handle: s.retrieveSurcharge},
		{method: "DELETE", pattern: surchargePath, who: secretField, handle: s.deleteSurcharge},
		{method: "POST", pattern: "/three_ds_decision/execute", who: secretField, handle: s.executeThreeDS},

		{method: "POST", pattern: dynamicPath + "/success_based/create", who: adminOrOwn, handle: s.createDynamic(rank.Success)},
		{method: "PATCH", pattern: dynamicPath + "/success_based/config/{routing_id}", who: adminOrOwn, handle: s.updateDynamic(rank.Success)},
		{method: "POST", pattern: dynamicPath + "/elimination/create", who: adminOrOwn, handle: s.createDynamic(rank.Elimination)},
		{method: "PATCH", pattern: dynamicPath + "/elimination/config/{routing_id}", who: adminOrOwn, handle: s.updateDynamic(rank.Elimination)},
		{method: "POST", pattern: dynamicPath + "/contracts/toggle", who: adminOrOwn, handle: s.toggleContracts},
		{method: "PATCH", pattern: dynamicPath + "/contracts/config/{routing_id}", who: adminOrOwn, handle: s.updateDynamic(rank.Contract)},
		{method: "GET", pattern: dynamicPath + "/get_volume_split", who: adminOrOwn, handle: s.volumeSplit},
		{method: "POST", pattern: dynamicPath + "/set_volume_split", who: adminOrOwn, handle: s.setVolumeSplit},

		{method: "POST", pattern: "/gsm", who: admin, handle: s.createErrorRule},
		{method: "POST", pattern: "/gsm/get", who: admin, handle: s.retrieveErrorRule},
		{method: "POST", pattern: "/gsm/update", who: admin, handle: s.updateErrorRule},
		{method: "POST", pattern: "/gsm/delete", who: admin, handle: s.deleteErrorRule},
		{method: "POST", pattern: configsPath, who: admin, handle: s.createConfigKey},
		{method: "GET", pattern: keyPath, who: admin, handle: s.retrieveConfigKey},
		{method: "POST", pattern: keyPath, who: admin, handle: s.updateConfigKey},
		{method: "DELETE", pattern: keyPath, who: admin, handle: s.deleteConfigKey},
	}
}

var transactionTypes = []routed.TransactionType{routed.ForPayment, routed.ForPayout, routed.ForThreeDS}

var configFields = openObject(
	opt("name", text, func(in *routing.ConfigInput) **string { return &in.Name }),
	opt("description", text, func(in *routing.ConfigInput) **string { return &in.Description }),
	at("algorithm", anyObject, func(in *routing.ConfigInput) *json.RawMessage { return &in.Algorithm }),
	opt("profile_id", identifier, func(in *routing.ConfigInput) **string { return &in.ProfileID }),
	at("transaction_type", oneOf(transactionTypes), func(in *routing.ConfigInput) *routed.TransactionType { return &in.TransactionType }),
)

func (s *Server) createRouting(c *call) (answer, error) {
	var in routing.ConfigInput
	if err := decode(c, configFields, &in); err != nil {
		return answer{}, err
	}
	config, warnings, err := s.Admin.CreateRouting(c.ctx(), c.auth, in)
	if err != nil {
		return answer{}, err
	}
	w := new(writer)
	beginConfig(w, config)
	if len(warnings) > 0 {
		w.key("warnings").openList()
		for _, warning := range warnings {
			w.open().str("rule", warning.Rule).text("key", warning.Key).str("message", warning.Message).close()
		}
		w.closeList()
	}
	return w.close().answer(), nil
}

// transactionType reads the query parameter transaction_type.
func transactionType(q *query) routed.TransactionType {
	t := routed.TransactionType(q.text("transaction_type"))
	if t == "" {
		return routed.ForPayment
	}
	for _, known := range transactionTypes {
		if t == known {
			return t
		}
	}
	q.fail("transaction_type", "unknown variant `"+shownText([]byte(t))+"`, expected "+oneOfText(textsOf(transactionTypes)), fault.ChoiceHint(string(t), textsOf(transactionTypes)))
	return t
}

func (s *Server) listRoutings(c *call) (answer, error) {
	q := c.query()
	limit, sent := q.int("limit")
	if !sent {
		limit = 100
	}
	offset, _ := q.int("offset")
	if limit < 0 || limit > math.MaxUint16 {
		q.fail("limit", "limit must be from 0 to 65535", "Send a whole number from 0 to 65535.")
	}
	if offset < 0 || offset > math.MaxUint8 {
		q.fail("offset", "offset must be from 0 to 255", "Send a whole number from 0 to 255.")
	}
	kind := transactionType(q)
	if q.err != nil {
		return answer{}, q.err
	}
	if limit == 0 {
		return new(writer).openList().closeList().answer(), nil
	}
	list, err := s.Admin.Routings(c.ctx(), c.auth, kind, int(limit), int(offset))
	if err != nil {
		return answer{}, err
	}
	return listOfAnswers(new(writer), list, writeConfig).answer(), nil
}

func (s *Server) activeRoutings(c *call) (answer, error) {
	q := c.query()
	profile, kind := q.id("profile_id"), transactionType(q)
	if q.err != nil {
		return answer{}, q.err
	}
	list, err := s.Admin.ActiveRoutings(c.ctx(), c.auth, profile, kind)
	if err != nil {
		return answer{}, err
	}
	return listOfAnswers(new(writer), list, writeConfig).answer(), nil
}

func (s *Server) retrieveRouting(c *call) (answer, error) {
	config, err := s.Admin.Routing(c.ctx(), c.auth, c.param("routing_id"))
	if err != nil {
		return answer{}, err
	}
	w := new(writer).open().str("id", config.ID).str("profile_id", config.ProfileID).str("name", config.Name).str("description", config.Description)
	w.raw("algorithm", config.Shown()).int("created_at", config.CreatedAt.Unix()).int("modified_at", config.ModifiedAt.Unix())
	return w.str("algorithm_for", string(config.TransactionType)).close().answer(), nil
}

// activation is the body of activate and deactivate.
type activation struct {
	profileID       string
	transactionType routed.TransactionType
}

var activationFields = openObject(
	at("profile_id", identifier, func(a *activation) *string { return &a.profileID }),
	at("transaction_type", oneOf(transactionTypes), func(a *activation) *routed.TransactionType { return &a.transactionType }),
)

func readActivation(c *call) (a activation, err error) {
	a.transactionType = routed.ForPayment
	err = decode(c, activationFields, &a)
	return a, err
}

func (s *Server) activateRouting(c *call) (answer, error) {
	a, err := readActivation(c)
	if err != nil {
		return answer{}, err
	}
	return configAnswer(s.Admin.ActivateRouting(c.ctx(), c.auth, c.param("routing_id"), a.transactionType))
}

func (s *Server) deactivateRouting(c *call) (answer, error) {
	a, err := readActivation(c)
	if err != nil {
		return answer{}, err
	}
	return configAnswer(s.Admin.DeactivateRouting(c.ctx(), c.auth, a.profileID, a.transactionType))
}

func configAnswer(config *routing.Config, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	w := new(writer)
	writeConfig(w, config)
	return w.answer(), nil
}

func writeConfig(w *writer, config *routing.Config) {
	beginConfig(w, config)
	w.close()
}

func beginConfig(w *writer, config *routing.Config) {
	w.open().str("id", config.ID).str("profile_id", config.ProfileID).str("name", config.Name).str("kind", string(config.Kind)).str("description", config.Description)
	w.int("created_at", config.CreatedAt.Unix()).int("modified_at", config.ModifiedAt.Unix())
	w.str("algorithm_for", string(config.TransactionType)).null("decision_engine_routing_id")
}

var defaultFields = openObject(
	must(at("connector", text, func(c *routed.Choice) *string { return &c.Connector })),
	at("merchant_connector_id", identifier, func(c *routed.Choice) *string { return &c.AccountID }),
)

// readChoices reads a body that is an array of connector accounts.
func readChoices(c *call) (list []routed.Choice, err error) {
	body, err := c.jsonBody()
	if err != nil {
		return nil, err
	}
	r := newReader(body)
	if list, err = listOf(defaultFields.parse)(r); err == nil {
		err = r.end()
	}
	return list, err
}

func (s *Server) retrieveDefaults(c *call) (answer, error) {
	return choicesAnswer(s.Admin.MerchantDefaults(c.ctx(), c.auth))
}

func (s *Server) reorderDefaults(c *call) (answer, error) {
	order, err := readChoices(c)
	if err != nil {
		return answer{}, err
	}
	return choicesAnswer(s.Admin.ReorderMerchantDefaults(c.ctx(), c.auth, order))
}

// retrieveOwnDefaults answers the list of the caller's profile, or the merchant's list to a caller without one.
func (s *Server) retrieveOwnDefaults(c *call) (answer, error) {
	if c.auth.ProfileID == "" {
		return s.retrieveDefaults(c)
	}
	return choicesAnswer(s.Admin.ProfileDefaults(c.ctx(), c.auth, c.auth.ProfileID))
}

func (s *Server) reorderProfileDefaults(c *call) (answer, error) {
	order, err := readChoices(c)
	if err != nil {
		return answer{}, err
	}
	id := c.param("profile_id")
	if order, err = s.Admin.ReorderProfileDefaults(c.ctx(), c.auth, id, order); err != nil {
		return answer{}, err
	}
	w := new(writer)
	return listOfAnswers(w.open().str("profile_id", id).key("connectors"), order, writeChoice).close().answer(), nil
}

func choicesAnswer(list []routed.Choice, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	return listOfAnswers(new(writer), list, writeChoice).answer(), nil
}

func writeChoice(w *writer, c routed.Choice) {
	w.open().str("connector", c.Connector).str("merchant_connector_id", c.AccountID).close()
}

// emptyAnswer returns a 200 without a body.
func emptyAnswer() answer { return answer{status: http.StatusOK} }

// writeRouted writes how an attempt came to its account.
func writeRouted(w *writer, r change.Routed) {
	w.open().str("attempt_id", r.AttemptID).str("connector", r.Connector).str("merchant_connector_id", r.AccountID)
	w.str("stage", string(r.By)).text("routing_id", r.Config).text("rule", r.Rule).bool("volume_split", r.Split).int("candidate", int64(r.Place)).bool("trial", r.Trial)
	listOfAnswers(w.key("left_out"), r.Left, func(w *writer, l routed.LeftOut) {
		w.open().str("merchant_connector_id", l.Account).str("reason", string(l.Why)).str("message", l.Why.Text()).close()
	})
	w.text("failed", r.Failed)
	if s := r.Scheme; s == nil || s.Most == 0 && s.Refused == "" {
		w.null("scheme_retries")
	} else {
		w.key("scheme_retries").open().int("declined", int64(s.Declined)).int("most", int64(s.Most)).int("seconds", s.Seconds).bool("warning", s.Near || s.Refused != "")
		w.text("refused", string(s.Refused)).time("retry_after", s.Again).close()
	}
	w.close()
}
