// Package routing picks the connector account of a payment: by the payment's routing field, the profile's active configuration, its default list,
// and what accounts and their adapters can take. It decides whether a failed payment may go on at another account.
//
// configs.go, defaults.go, decisions.go, errors.go and keys.go are the use cases of Rules: what merchants and operators store. account.go picks an
// account, eligible.go says which accounts fit, instrument.go serves stored credentials, retry.go decides about further attempts, and replay.go
// tries a draft. Package rule has the language. README.md is the guide for merchants.
//
// Of the rooms, engine and risk import routing. It writes configurations. It must never write a payment.
package routing
