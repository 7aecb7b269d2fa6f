package sdk

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGraphQL(t *testing.T) {
	s := GraphQLSend("/graphql", Mutation("chargeCard", "transaction { id }"), NewObject().Str("amount", "1.00"), H("Version", "1"))
	require.Equal(t, []any{"POST", "/graphql", false}, []any{s.Method, s.URL, s.SafeToRepeat})
	require.Equal(t, []Header{H("Content-Type", "application/json"), H("Version", "1")}, s.Headers)
	require.JSONEq(t, `{"query":"mutation($input: ChargeCardInput!) { chargeCard(input: $input) { transaction { id } } }","variables":{"input":{"amount":"1.00"}}}`, string(s.Body))

	for body, want := range map[string][2]string{
		`{"data":{"a":{"id":1}}}`:                        {`{"a":{"id":1}}`, ""},
		`{"data":{"a":null},"errors":[{"message":"x"}]}`: {`{"a":null}`, `[{"message":"x"}]`},
		`{"data":null,"errors":[{"message":"x"}]}`:       {`null`, `[{"message":"x"}]`},
		`{"errors":[{"message":"x"}]}`:                   {"", `[{"message":"x"}]`},
		`{"data":{"a":{}},"errors":[{"message":"x"}]}`:   {`{"a":{}}`, ""},
		`{"data":{"a":null},"errors":null}`:              {`{"a":null}`, ""},
		`{"data":{"a":null}}`:                            {`{"a":null}`, ""},
		`<html>`:                                         {"", ""},
	} {
		data, errors := (&Response{Body: []byte(body)}).GraphQL()
		require.Equal(t, want, [2]string{data.Raw(""), errors.Raw("")}, body)
	}
}
