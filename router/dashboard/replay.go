package dashboard

import (
	"context"
	"time"

	"payswitch/engine/fault"
	"payswitch/engine/operator"
	"payswitch/engine/payment"
	"payswitch/engine/request"
)

// operations is what the replay needs of the engine.
type operations interface {
	Operation(ctx context.Context, id string) (operator.View, error)
}

// MaxReplays bounds the runs of one operation that are replayed at a time: the latest.
const MaxReplays = 12

// replayTime bounds one replay.
const replayTime = 10 * time.Second

// Replayer runs the recordings of an operation again. build is the hash of the build to run; "" runs each recording's own build. It sends nothing.
type Replayer interface {
	Replay(ctx context.Context, operationID, build string) ([]Replay, error)
}

// Replay is one recording, run again.
type Replay struct {
	At                 time.Time
	Recorded, Replayed string // hashes of the builds
	Same               bool
	Problem            string // why it could not be run
	Steps              []ReplayStep
	Differences        []Difference
}

// ReplayStep is what the adapter did in one step.
type ReplayStep struct {
	Made string
	Same bool
}

// Difference is a place where both runs differ.
type Difference struct{ Where, Recorded, Replayed string }

// replayPage shows an operation run again.
type replayPage struct {
	Operation, Kind, Back string
	Other                 Link // the replay with another build
	Runs                  []shownReplay
}

func (*replayPage) file() string    { return "replay" }
func (p *replayPage) Title() string { return "Replay of " + p.Kind }

// shownReplay is a replay as people read it.
type shownReplay struct {
	Replay
	Time Time
	Chip Chip
}

// replay runs an operation of the merchant again, with its own builds or with the build in use.
func (s *Server) replay(c *call) (response, error) {
	ctx, end := context.WithTimeout(c.Context(), replayTime)
	defer end()
	op, err := s.Engine.Operation(ctx, c.PathValue("op"))
	if err != nil {
		return nil, err
	}
	if op.MerchantID != c.Merchant.ID || s.Replayer == nil {
		return nil, fault.NotFound("Operation")
	}
	here := c.at() + "/operations/" + op.ID + "/replay"
	p := &replayPage{Operation: op.ID, Kind: words(string(op.Kind)) + " at " + op.Connector, Back: c.at() + "/payments/" + op.PaymentID + "#" + op.ID}
	build := ""
	if info, ok := s.adapter(op.Connector); ok {
		p.Other = Link{here + "?with=now", "Replay with the build in use"}
		if c.URL.Query().Get("with") == "now" {
			build, p.Other = info, Link{here, "Replay with the builds that ran"}
		}
	}
	runs, err := s.Replayer.Replay(ctx, op.ID, build)
	if err != nil {
		return nil, err
	}
	v, err := s.Engine.RetrievePayment(ctx, c.auth(), op.PaymentID, request.RetrieveInput{})
	if err != nil {
		return nil, err
	}
	hide := c.hides(v.Payment, []*payment.Attempt{v.Attempt})
	for _, r := range runs {
		for i := range r.Differences {
			if d := &r.Differences[i]; hide != nil {
				hide(&d.Recorded, &d.Replayed)
			}
		}
		shown := shownReplay{Replay: r, Time: c.time(r.At), Chip: Chip{"same", "good", marks["good"]}}
		if !r.Same {
			shown.Chip = Chip{"different", "wait", marks["wait"]}
		}
		if r.Problem != "" {
			shown.Chip = Chip{"not run", "bad", marks["bad"]}
		}
		p.Runs = append(p.Runs, shown)
	}
	return show(p), nil
}

// adapter returns the hash of the build that answers for a connector now.
func (s *Server) adapter(connector string) (hash string, ok bool) {
	if s.Adapters == nil {
		return "", false
	}
	info, ok := s.Adapters.Adapter(connector)
	return info.Hash, ok
}
