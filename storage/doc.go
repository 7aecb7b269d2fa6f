// Package storage implements engine.Store in SQLite, through modernc.org/sqlite. The database is one file with a write-ahead log next to it.
// The package holds no rules about payments.
//
// Start with open.go. migrate.go sets up the schema (migrations/*.sql). writer.go is the one writer, reader.go the pool of readers.
// checkpoint.go keeps the log small. sqlite.go holds the code that only SQLite needs. The files named after things hold their SQL and use
// tx.go. The SQL has one text for every database: $1 placeholders, ON CONFLICT, RETURNING; session and dialect hold the differences.
// signed.go signs rows when they are written and checks them when they are read. Another database must pass the suite in engine/storetest.
//
// # Why it is built this way
//
// One goroutine writes. It commits all waiting callers together, because the sync is the cost of a commit, and together they share it. A
// caller's function runs on that goroutine and blocks all other writers, so it must do nothing but use its transaction.
//
// A write is durable when Update returns: WAL with synchronous=FULL. A later power cut loses nothing; an earlier one loses whole transactions
// only.
//
// Figures are ratios within one run on one machine (BenchmarkPaymentWrites: 64 callers, two transactions and seven writes per payment,
// documents of realistic size):
//
//   - 64 callers write about six times the payments of one caller: about 50 callers share a commit;
//   - savepoints around every function cost a sixth more, so the writer uses them only after a function has failed that had written;
//   - pages of the default 4 KiB cost an eighth more processor time than pages of 8 KiB;
//   - a second transaction that reads the three rows again costs a third more, so the engine does not read them again;
//   - the read transaction of a View is a twentieth of the cost of reading one payment, so a single read needs no path of its own;
//   - three things cost nothing measurable: the foreign key on the status, the partial index of due operations, and secure_delete;
//   - an UPDATE that leaves the index of customers alone saves 3 %, which is within the noise too.
package storage
