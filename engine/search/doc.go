// Package search finds a merchant's payments, refunds and disputes by filters. The blocks of package facet answer nearly every filter, together with the payments that are
// too new for them or have changed since. An index of the store finds the payments of a customer. Without blocks it scans the payments in windows, from the newest on: no window keeps a database snapshot for long. Fields inside
// documents, and sealed ones, are compared here.
//
// Of the rooms, engine alone imports search. It must never write a payment.
package search
