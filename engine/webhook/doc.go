// Package webhook delivers events to merchants.
//
// A payment's transaction writes its event and nothing else. Service.Run does the rest in the background:
//
//	round.go     gives each event its deliveries, one for each endpoint that wants it, and claims deliveries that are due
//	lane.go      keeps endpoints apart: how many deliveries each one may have under way
//	attempt.go   sends one delivery, and books the result
//	schedule.go  when a failed delivery is repeated, and when it ends
//	sign.go      the headers, with the two signatures
//	sweep.go     retention, the age of what is undelivered, the alarm for an endpoint that fails
//	endpoint.go  the endpoints of a profile and their secrets
//	list.go      the use cases of the event API
//
// An event reaches an endpoint at least once: a repeat has the same id and the same body. The events of a payment reach an endpoint in their
// order: a delivery is due only after the earlier ones of its payment to that endpoint have ended.
//
// Of the rooms, engine alone imports webhook. It must never write a payment.
package webhook
