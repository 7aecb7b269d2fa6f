// Package refund gives money back. It makes refunds, books the processors' answers and messages about them, and asks about refunds that have not ended.
//
// Refunds has the use cases. The room decides; change.Changes commits, and the engine performs the operation and settles its verdict. The rules about a
// refund's amounts are in payment and evidence.
//
// Of the rooms, engine and late import refund. It must never write a refund or a payment except through change.Changes.
package refund
