// Package flow runs 3-D Secure before an authorization: it asks the authenticator, leads the browser of the payer, and hands the result to exactly
// one authorization.
//
// The policy is package threeds: flow carries out what the policy decides. Every step is a change of the authentication and its payment, committed
// by package change.
//
// Of the rooms, engine, restore and routing import flow. What a browser brings starts a query. It must never count as a result.
package flow
