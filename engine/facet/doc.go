// Package facet keeps what lists filter payments, refunds and disputes by in narrow columns. A list of millions of rows reads few of them. An
// index on every filter would make each payment dearer. The Filler reads payments in the background; a payment's own transactions write nothing for
// it. What follows is said of payments; the lists of refunds and disputes have blocks of their own, and the same rules.
//
// A block holds 4,096 payments of one merchant that follow one another by time: one stored Column for each Kind. A column has a summary, which lists
// read for all blocks, and its values, which lists read for the blocks with a match (Find).
//
// A Mark says how far the blocks go. Lists stay exact, because they read the rest from the payments themselves:
//
//   - payments created at Mark.UpTo or later are not in a block;
//   - payments that changed later than Young after they were created have the time of that change in an index of the store. Those since
//     Mark.Late count as they are now, and their values in blocks do not count.
//
// A payment changes within Young of its creation, or is in that index. Mark.UpTo is Young and Settle behind the time at which the Filler read. So
// every later change of a payment in a block is in the index. Settle is the time that a transaction may take from the time that it is given until its
// commit. The latest attempt of a payment changes what lists filter by only together with its payment.
//
// An e-mail address is sealed in its payment. Its column holds a number of 48 bits of the address's keyed hash (Deps.Email): without the vault's key it
// says only which payments have the same address. Lists open the payments of a page and compare; if one has another address, they open all that have
// the number. A total counts numbers: among five million addresses, one look-up in 56 million meets another address with its number.
//
// An order reference or an e-mail address is in few blocks. An index (index.go) says in which, and how often: full blocks get one in groups of 64, so that a
// look-up reads one row for each group instead of each block.
//
// The summaries of such a group are also together in one row for each kind, its digest (digest.go).
//
// An index of amounts (amounts.go) counts the payments of full blocks in a range of amounts without their blocks.
//
// A release that knows no indexes may write blocks during an upgrade. Mark.Indexed is false then: lists read the blocks, and the Filler makes the indexes
// and digests again.
//
// Blocks are not signed. A person who changes them hides payments from lists or spoils a total. What a list shows comes from the signed rows, and each
// is compared with the filter. Where they differ, the list reads all payments, and the Filler makes the merchant's blocks again.
//
// Of the rooms, engine, change and search import facet. It must never decide about payments, or write a payment.
package facet
