package threeds

import (
	"encoding/json"
	"testing"

	"payswitch/engine/threeds/internal/vector"

	"github.com/stretchr/testify/require"
)

type policyInput struct {
	Phase               Phase           `json:"phase"`
	Scheme              string          `json:"scheme"`
	TransStatus         TransStatus     `json:"trans_status"`
	TransStatusReason   string          `json:"trans_status_reason"`
	ECI                 string          `json:"eci"`
	AuthenticationValue *string         `json:"authentication_value"`
	MessageCategory     string          `json:"message_category"`
	MessageVersion      string          `json:"message_version"`
	DeviceChannel       string          `json:"device_channel"`
	ChallengeIndSent    string          `json:"challenge_ind_sent"`
	ChallengeCancel     ChallengeCancel `json:"challenge_cancel"`
	ACSURL              string          `json:"acs_url"`
	ChallengeMandated   string          `json:"acs_challenge_mandated"` // has no effect on the decision
	DecReqInd           string          `json:"dec_req_ind"`
	VersionsOffered     []string        `json:"versions_offered"`
	Error               *policyError    `json:"error"`
	Knobs               json.RawMessage `json:"knobs"`
	Processor           string          `json:"processor"`
	CaptureMethod       string          `json:"capture_method"`
}

type policyError struct {
	Class Class  `json:"class"`
	Code  string `json:"code"`
}

type policyExpect struct {
	Action         Action    `json:"action"`
	Outcome        Outcome   `json:"outcome"`
	Liability      Liability `json:"liability_shift"`
	Send           *sent     `json:"send"`
	PaymentStatus  string    `json:"payment_status"`
	ErrorCode      string    `json:"error_code"`
	Flags          []Flag    `json:"flags"`
	ECIRecorded    string    `json:"eci_recorded"`
	MessageVersion string    `json:"message_version"`
	Cascade        *bool     `json:"cascade_allowed"`
	RetryWithout   *bool     `json:"retry_without_3ds_allowed"`
}

type sent struct {
	ECI                 string    `json:"eci"`
	AuthenticationValue *string   `json:"authentication_value"`
	DSTransID           bool      `json:"ds_trans_id"`
	Version             bool      `json:"version"`
	Exemption           Exemption `json:"exemption"`
}

func TestPolicy(t *testing.T) {
	vector.Each(t, "policy", func(t *testing.T, v vector.Vectors, in policyInput, want policyExpect) {
		run, res := in.answer(v)
		d := Decide(overrides(t, v.KnobDefaults, in.Knobs), run, res)

		require.Equal(t, want.Action, d.Action)
		require.Equal(t, want.Outcome, d.Outcome)
		require.Equal(t, want.Liability, d.Liability)
		require.Equal(t, want.MessageVersion, d.MessageVersion)
		status, code := paymentStatus(d.Action, in.Processor, in.CaptureMethod)
		require.Equal(t, want.PaymentStatus, status)
		require.Equal(t, want.ErrorCode, code+d.ErrorCode)
		if want.Send == nil {
			require.Nil(t, d.Proof)
		} else {
			got := sent{ECI: d.Proof.ECI, DSTransID: d.Proof.DSTransID == v.IDs.DS, Version: d.Proof.MessageVersion == run.MessageVersion,
				Exemption: d.Proof.Exemption}
			if d.Proof.WithValue {
				got.AuthenticationValue = in.AuthenticationValue
			}
			require.Equal(t, *want.Send, got)
		}
		if want.Flags != nil {
			require.Equal(t, want.Flags, d.Flags)
		}
		if want.ECIRecorded != "" {
			require.Equal(t, want.ECIRecorded, d.ECI)
		}
		if want.Cascade != nil {
			require.Equal(t, *want.Cascade, !d.Stop)
		}
		if want.RetryWithout != nil {
			require.Equal(t, *want.RetryWithout, !d.Stop)
		}
	})
}

func (in policyInput) answer(v vector.Vectors) (Run, Result) {
	run := Run{Phase: in.Phase, Channel: channels[in.DeviceChannel], Category: in.MessageCategory, Scheme: schemes[in.Scheme],
		MessageVersion: or(in.MessageVersion, "2.2.0"), ChallengeInds: []string{or(in.ChallengeIndSent, "01")},
		Decoupled: in.DecReqInd == "Y", ServerTransID: v.IDs.Server}
	if in.Phase == Final {
		run.ACSTransID, run.DSTransID, run.Returned = v.IDs.ACS, v.IDs.DS, true
	}
	if in.Error != nil {
		return run, Result{Class: in.Error.Class, Code: in.Error.Code}
	}
	if in.Phase == Prepare {
		return run, Result{Versions: in.VersionsOffered}
	}
	return run, Result{TransStatus: in.TransStatus, TransStatusReason: in.TransStatusReason, ECI: in.ECI,
		HasValue: in.AuthenticationValue != nil, ChallengeCancel: in.ChallengeCancel, ACSURL: in.ACSURL,
		ServerTransID: v.IDs.Server, ACSTransID: v.IDs.ACS, DSTransID: v.IDs.DS}
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
