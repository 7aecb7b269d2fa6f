// Package storage keeps what engine.Store asks for in SQLite, through modernc.org/sqlite, in one file with its write-ahead log
// beside it. It holds no rules.
//
// The map of the package: open.go opens, migrate.go sets up the schema (migrations/*.sql), writer.go is the one writer, reader.go the
// pool of readers, checkpoint.go keeps the log small, sqlite.go is all that only SQLite needs, and the files named after things hold
// their SQL behind tx.go. The SQL is one text for every database: $1 placeholders, ON CONFLICT, RETURNING; what differs goes
// through session and dialect. engine/storetest is the suite that another database has to pass.
//
// # Why it is built this way
//
// One goroutine writes, and commits together all callers that wait: the sync is what a commit costs, and it is shared. A caller's
// function runs on that goroutine; while it computes nobody else's does, so it does nothing but use its transaction.
//
// Writing is durable when Update returns: WAL with synchronous=FULL. A power cut after that loses nothing; before that it loses
// whole transactions only.
//
// Figures, always ratios within one run on one machine (BenchmarkPaymentWrites: 64 callers, two transactions and seven writes a
// payment, documents of realistic size):
//
//   - a payment's writes alone against one caller's: shared commits carry some 60 callers each;
//   - savepoints round every function cost 8 % of it, so there are none until a function has failed after it had written;
//   - pages of 8 KiB take 15 % less processor time than the default of 4 KiB;
//   - reading the three rows back in the second transaction costs half as much again, so the engine does not;
//   - leaving an unchanged customer out of an update (and so its index alone) saves 5 %;
//   - the read transaction of a View, BEGIN and ROLLBACK, is a twentieth of reading one payment: there is no path without it;
//   - an empty foreign-key check, the partial index of what is due and secure_delete are each within the noise.
package storage
