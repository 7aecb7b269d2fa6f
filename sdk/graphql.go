package sdk

import "strings"

// Mutation returns the document of one GraphQL mutation with a variable $input. The variable's type is named after the mutation, as in
// Relay's servers: Mutation("chargeCard", "transaction { id }") is
//
//	mutation($input: ChargeCardInput!) { chargeCard(input: $input) { transaction { id } } }
func Mutation(name, selection string) string {
	return "mutation($input: " + strings.ToUpper(name[:1]) + name[1:] + "Input!) { " + name + "(input: $input) { " + selection + " } }"
}

// GraphQLSend returns a request to a GraphQL API (graphql.org, "Serving over HTTP") with a document of one operation and its
// variable $input.
func GraphQLSend(url, document string, input *Object, headers ...Header) *Send {
	return JSONSend("POST", url, NewObject().Str("query", document).Obj("variables", NewObject().Obj("input", input)), headers...)
}

// GraphQL returns the answer of a GraphQL API: its data and, if the data holds nothing, the list of errors. It drops errors next to
// a result: they concern fields that could not be read, not the result itself.
func (r *Response) GraphQL() (data, errors JSON) {
	data, errors = r.JSON().Get("data"), r.JSON().Get("errors")
	if errors.IsNull() {
		errors = JSON{}
	}
	for _, result := range data.Members() {
		if !result.IsNull() {
			return data, JSON{}
		}
	}
	return data, errors
}
