// Package visit has the use cases of payment links and collect links: their records, and what their pages show.
//
// A page reads its link and its payment, and decides which page the payer sees. The payer's confirm is that of any payer's client: package engine
// performs it.
//
// Of the rooms, engine alone imports visit. It must never write a payment.
package visit
