// Package rank orders accounts by what they have achieved: by success and cost (SuccessConfig), by contracts about volumes (ContractConfig), and by recent
// faults (EliminationConfig). Config reads, checks and merges these configurations.
//
// Of the rooms, routing alone imports rank. It is pure: an order follows from the payment's id, the time and the statistics that the caller gives. It
// must never leave an account out: the last of an order can still be tried.
package rank
