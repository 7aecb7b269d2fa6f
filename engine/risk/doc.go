// Package risk stops payments before a processor hears of them: the merchant's block list, the card blocking of a profile, and the guard of a profile
// against card testing. All of it is off until a merchant switches it on, and costs other merchants' payments no statement.
//
// list.go and batch.go are the use cases of the block list, check.go decides about a card, guard.go counts failures.
//
// Of the rooms, engine alone imports risk. It decides, and must never write a payment: package change does.
package risk
