package message

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"payswitch/engine/threeds/internal/vector"

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
	vector.Each(t, "encoding", func(t *testing.T, v vector.Vectors, in input, want expect) {
		switch {
		case in.JSON != nil:
			got := encodeLike(t, *in.JSON)
			require.Equal(t, want.Encoded, got)
			require.Equal(t, want.Padding, strings.Contains(got, "="))
			if want.StdWould {
				require.NotEqual(t, base64.RawStdEncoding.EncodeToString([]byte(*in.JSON)), got)
			}
		case in.MethodData != "":
			require.Equal(t, *want.Accepted, AcceptMethodData(in.MethodData, cmp.Or(in.Stored, v.IDs.Server)))
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
