package threeds

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEncoding(t *testing.T) {
	type input struct {
		JSON       *string `json:"json"`
		CRes       string  `json:"cres"`
		MethodData string  `json:"threeDSMethodData"`
		Stored     string  `json:"stored_server_trans_id"`
	}
	type expect struct {
		Encoded  string          `json:"encoded"`
		Padding  bool            `json:"contains_padding"`
		StdWould bool            `json:"std_base64_would_differ"`
		JSON     json.RawMessage `json:"json"`
		Error    string          `json:"error"`
		Accepted *bool           `json:"accepted"`
	}
	eachVector(t, "encoding", func(t *testing.T, v vectors, in input, want expect) {
		switch {
		case in.JSON != nil:
			got := encodeLike(t, *in.JSON)
			require.Equal(t, want.Encoded, got)
			require.Equal(t, want.Padding, strings.Contains(got, "="))
			if want.StdWould {
				require.NotEqual(t, base64.RawStdEncoding.EncodeToString([]byte(*in.JSON)), got)
			}
		case in.MethodData != "":
			require.Equal(t, *want.Accepted, AcceptMethodData(in.MethodData, or(in.Stored, v.IDs.Server)))
		default:
			members, err := decodeMessage(in.CRes, maxCRes)
			c, parseErr := ParseCRes(in.CRes)
			if want.Error != "" {
				require.ErrorIs(t, err, ErrMalformed)
				require.ErrorIs(t, parseErr, ErrMalformed)
				return
			}
			require.NoError(t, err)
			raw, err := json.Marshal(members)
			require.NoError(t, err)
			require.JSONEq(t, string(want.JSON), string(raw))
			require.NoError(t, parseErr)
			require.Equal(t, CRes{MessageType: "CRes", MessageVersion: "2.2.0", ServerTransID: v.IDs.Server, ACSTransID: v.IDs.ACS,
				TransStatus: "Y"}, c)
		}
	})
}

// encodeLike builds a vector's message from the vector's own fields.
func encodeLike(t *testing.T, text string) string {
	var m map[string]string
	require.NoError(t, json.Unmarshal([]byte(text), &m))
	var got string
	var err error
	if m["messageType"] == "CReq" {
		got, err = CReq{m["messageVersion"], m["threeDSServerTransID"], m["acsTransID"], m["challengeWindowSize"]}.Encode()
	} else {
		got, err = MethodData(m["threeDSServerTransID"], m["threeDSMethodNotificationURL"])
	}
	require.NoError(t, err)
	return got
}

func TestCReqIncomplete(t *testing.T) {
	for _, c := range []CReq{{}, {"2.2.0", "s", "a", "06"}, {"2.2.0", "", "a", "01"}, {"2.2.0", "s", "", "01"}, {"1.0.2", "s", "a", "01"}} {
		_, err := c.Encode()
		require.ErrorContains(t, err, "creq: ", "%+v", c)
	}
}

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
	session := map[string]string{"absent": "", "valid": SessionData(key, "auth_1", nonce), "invalid": SessionData(key, "auth_2", nonce)}
	eachVector(t, "cres", func(t *testing.T, v vectors, in input, want expect) {
		s := in.Stored
		run := Run{Phase: Final, MessageVersion: s.MessageVersion, ServerTransID: s.ServerTransID, ACSTransID: s.ACSTransID}
		require.Contains(t, session, in.SessionData)
		c, err := ParseCRes(base64.RawURLEncoding.EncodeToString(in.CRes))
		require.NoError(t, err)

		got := CResReceipt{Next: s.State} // a wrong token leads to no authentication, so there is no decision
		if in.Token == s.Token {
			got = ReceiveCRes(s.State, run, c, CheckSessionData(key, "auth_1", nonce, session[in.SessionData]))
		}
		require.Equal(t, CResReceipt{want.Accepted, want.State, want.Fetch, want.Alert}, got)
		require.False(t, want.Authorize, "no receipt can authorize")
	})
}

// TestReceiveErro: an error of the ACS ends the challenge for the browser, and the engine still fetches the result.
func TestReceiveErro(t *testing.T) {
	run := Run{MessageVersion: "2.2.0", ServerTransID: "s", ACSTransID: "a"}
	erro := CRes{MessageType: "Erro", MessageVersion: "2.1.0", ServerTransID: "S", ErrorCode: "101"}
	require.Equal(t, CResReceipt{true, StateResultPending, true, ""}, ReceiveCRes(StateChallengePending, run, erro, SessionAbsent))
	erro.ACSTransID = "other"
	require.Equal(t, FlagIDMismatch, ReceiveCRes(StateChallengePending, run, erro, SessionAbsent).Alert)
	erro = CRes{MessageType: "Erro"}
	require.Equal(t, FlagIDMismatch, ReceiveCRes(StateChallengePending, Run{}, erro, SessionAbsent).Alert, "no id proves nothing")
}

func TestSessionData(t *testing.T) {
	key, nonce := []byte("key"), []byte("nonce")
	data := SessionData(key, "auth_1", nonce)
	require.Len(t, data, 22)
	require.Equal(t, SessionValid, CheckSessionData(key, "auth_1", nonce, data))
	require.Equal(t, SessionValid, CheckSessionData(key, "auth_1", nonce, data+"=="), "some ACSs pad")
	require.Equal(t, SessionAbsent, CheckSessionData(key, "auth_1", nonce, " "))
	for _, wrong := range []string{data + "A", data[1:], strings.Repeat("A", 5000), SessionData(key, "auth_1", []byte("n")),
		SessionData([]byte("k"), "auth_1", nonce), SessionData(key, "auth_", append([]byte("1\n"), nonce...))} {
		require.Equal(t, SessionInvalid, CheckSessionData(key, "auth_1", nonce, wrong))
	}
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

// FuzzCRes: the parser refuses or reads every message of a browser. A message that it has read, encoded again, reads the same.
func FuzzCRes(f *testing.F) {
	for _, s := range []string{"W10", "%%%", "e30", "eyJhIjoxLCJhIjoyfQ", strings.Repeat("A", maxCRes+1),
		base64.RawURLEncoding.EncodeToString([]byte(strings.Repeat("[", 100000))), "bnVsbA", "e30ge30",
		base64.StdEncoding.EncodeToString([]byte(`{"messageType":"CRes","transStatus":"Y","transStatus":"N"}`)),
		base64.StdEncoding.EncodeToString([]byte(`{"messageType":"Erro","errorCode":"101","threeDSServerTransID":null}`))} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		AcceptMethodData(text, "id")
		c, err := ParseCRes(text)
		if err != nil {
			require.Equal(t, ErrMalformed, err)
			require.Zero(t, c)
			return
		}
		// encoded again by us, the message reads the same
		members, err := decodeMessage(text, maxCRes)
		require.NoError(t, err)
		again, err := encodeMessage(members)
		require.NoError(t, err)
		if len(again) > maxCRes { // escapes need more room
			return
		}
		c2, err := ParseCRes(again)
		require.NoError(t, err)
		require.Equal(t, c, c2)
	})
}
