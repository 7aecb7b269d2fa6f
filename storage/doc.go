// Package storage keeps what engine.Store asks for in SQLite, through modernc.org/sqlite, in one file with its write-ahead log
// beside it. It holds no rules.
//
// The map of the package: open.go opens, migrate.go sets up the schema (migrations/*.sql), writer.go is the one writer, reader.go the
// pool of readers, checkpoint.go keeps the log small, sqlite.go is all that only SQLite needs, and the files named after things hold
// their SQL behind tx.go. The SQL is one text for every database: $1 placeholders, ON CONFLICT, RETURNING; what differs goes
// through session and dialect. signed.go signs rows that are written and checks those that are read. engine/storetest is the suite
// that another database has to pass.
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
//   - 64 callers get some six times the payments of one caller: about 50 share a commit;
//   - savepoints round every function cost a sixth more, so there are none until a function has failed after it had written;
//   - pages of the default 4 KiB cost an eighth more processor time than 8 KiB;
//   - reading the three rows back in the second transaction costs a third more, so the engine does not;
//   - the read transaction of a View is a twentieth of reading one payment: a single read needs no path of its own;
//   - the foreign key on the status, the partial index of what is due and secure_delete are each within the noise, and so is
//     leaving the index of customers alone where the customer has not changed (3 %).
package storage
