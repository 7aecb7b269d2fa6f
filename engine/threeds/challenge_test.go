package threeds

import (
	"encoding/base64"
	"encoding/json"
	"testing"

	"payswitch/engine/threeds/internal/vector"
	"payswitch/engine/threeds/message"

	"github.com/stretchr/testify/require"
)

func TestReceiveCRes(t *testing.T) {
	type input struct {
		Stored struct {
			State          State  `json:"state"`
			ServerTransID  string `json:"server_trans_id"`
			ACSTransID     string `json:"acs_trans_id"`
			MessageVersion string `json:"message_version"`
			Token          string `json:"token"`
		} `json:"stored"`
		Token       string          `json:"token"`
		CRes        json.RawMessage `json:"cres"`
		SessionData string          `json:"session_data"`
	}
	type expect struct {
		Accepted  bool  `json:"accepted"`
		State     State `json:"state"`
		Fetch     bool  `json:"fetch_result"`
		Authorize bool  `json:"authorize"`
		Alert     Flag  `json:"alert"`
	}
	key, nonce := []byte("key"), []byte("nonce")
	session := map[string]string{"absent": "", "valid": message.SessionData(key, "auth_1", nonce), "invalid": message.SessionData(key, "auth_2", nonce)}
	vector.Each(t, "cres", func(t *testing.T, v vector.Vectors, in input, want expect) {
		s := in.Stored
		run := Run{Phase: Final, MessageVersion: s.MessageVersion, ServerTransID: s.ServerTransID, ACSTransID: s.ACSTransID}
		require.Contains(t, session, in.SessionData)
		c, err := message.ParseCRes(base64.RawURLEncoding.EncodeToString(in.CRes))
		require.NoError(t, err)

		got := CResReceipt{Next: s.State} // a wrong token leads to no authentication, so there is no decision
		if in.Token == s.Token {
			got = ReceiveCRes(s.State, run, c, message.CheckSessionData(key, "auth_1", nonce, session[in.SessionData]))
		}
		require.Equal(t, CResReceipt{want.Accepted, want.State, want.Fetch, want.Alert}, got)
		require.False(t, want.Authorize, "no receipt can authorize")
	})
}

// TestReceiveErro: an error of the ACS ends the challenge for the browser, and the engine still fetches the result.
func TestReceiveErro(t *testing.T) {
	run := Run{MessageVersion: "2.2.0", ServerTransID: "s", ACSTransID: "a"}
	erro := message.CRes{MessageType: "Erro", MessageVersion: "2.1.0", ServerTransID: "S", ErrorCode: "101"}
	require.Equal(t, CResReceipt{true, StateResultPending, true, ""}, ReceiveCRes(StateChallengePending, run, erro, message.SessionAbsent))
	erro.ACSTransID = "other"
	require.Equal(t, FlagIDMismatch, ReceiveCRes(StateChallengePending, run, erro, message.SessionAbsent).Alert)
	erro = message.CRes{MessageType: "Erro"}
	require.Equal(t, FlagIDMismatch, ReceiveCRes(StateChallengePending, Run{}, erro, message.SessionAbsent).Alert, "no id proves nothing")
}

func TestWindowSize(t *testing.T) {
	for _, tc := range []struct {
		knob          string
		width, height int
		full          bool
		want          string
	}{
		{"auto", 1440, 900, false, "03"}, {"auto", 1440, 500, false, "04"}, {"auto", 600, 0, false, "03"}, {"auto", 599, 900, false, "02"},
		{"auto", 389, 900, false, "05"}, {"auto", 0, 0, false, "05"}, {"auto", 1440, 900, true, "05"}, {"01", 1440, 900, false, "01"},
		{"01", 1440, 900, true, "05"}, {"", 1440, 900, false, "03"},
	} {
		require.Equal(t, tc.want, WindowSize(Config{ChallengeWindow: tc.knob}, tc.width, tc.height, tc.full), "%+v", tc)
	}
}
