package sdk

import "strings"

// Mutation is the document of one mutation of a GraphQL API that takes a variable $input, whose type is named after the mutation, as Relay's
// servers have it: Mutation("chargeCard", "transaction { id }") is
//
//	mutation($input: ChargeCardInput!) { chargeCard(input: $input) { transaction { id } } }
func Mutation(name, selection string) string {
	return "mutation($input: " + strings.ToUpper(name[:1]) + name[1:] + "Input!) { " + name + "(input: $input) { " + selection + " } }"
}

// GraphQLSend is a request of a GraphQL API (graphql.org, "Serving over HTTP"): a document of one operation, and its variable $input.
func GraphQLSend(url, document string, input *Object, headers ...Header) *Send {
	return JSONSend("POST", url, NewObject().Str("query", document).Obj("variables", NewObject().Obj("input", input)), headers...)
}

// GraphQL returns what a GraphQL API answered: its data, and the list of errors where there is nothing in the data. Errors beside a result are
// left out: they are about fields of it that could not be read, and say nothing against the rest.
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
