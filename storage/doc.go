// Package storage implements engine.Store in SQLite, through modernc.org/sqlite, and in PostgreSQL, through jackc/pgx. The package holds no rules
// about payments.
//
// Start with open.go. migrate.go sets up the schema (migrations/*.sql). writer.go is the group commit of both databases: its workers run waiting
// callers together. The files named after things hold their SQL and use tx.go. The SQL has one text for every database: $1 placeholders, ON
// CONFLICT, RETURNING; session and dialect hold the differences. signed.go signs rows when they are written and checks them when they are read.
// Both databases pass the suite in engine/storetest.
//
// SQLite: one file with a write-ahead log next to it. One worker writes, reader.go is the pool of readers, checkpoint.go keeps the log small,
// sqlite.go and sqlite_schema.go hold the rest.
//
// PostgreSQL: pgopen.go opens it, pgdial.go makes connections, pgconn.go runs statements and transactions, pgmany.go joins statements of several
// callers. pgschema.go compares the schema with SQLite's, pganalyze.go has a young database count its rows. A quarter of the connections write, the others read.
//
// From SQLite to PostgreSQL: move.go is the order of the steps, move_changes.go what the source notes meanwhile, move_target.go the target, move_rows.go
// the rows and their checksums.
//
// # Why SQLite is used this way
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
//   - the read transaction of a View is a twentieth of the cost of reading one payment; a single read needs no path of its own;
//   - a checkpoint on a connection of its own makes payments a fifth slower, as the log then grows: a sync of a growing file costs more than a sync of
//     pages that SQLite overwrites;
//   - commits without a sync bring no more payments where a sync takes 0.14 ms: batches become smaller, and 64 callers keep the worker busy all the same;
//   - a worker that lets ready goroutines run before it commits has larger batches. At 64 callers a payment then costs a seventeenth less processor
//     time, and a twelfth more payments pass. At 1,000 payments a second an answer would come an eighth later. So the worker does that under load only;
//   - a log of 32 MiB between checkpoints, instead of 8 MiB, changes nothing once the log has its size;
//   - three things cost nothing measurable: the foreign key on the status, the partial index of due operations, and secure_delete;
//   - an UPDATE that leaves the index of customers alone saves 3 %, which is within the noise too.
//
// # Transactions on PostgreSQL
//
// An Update runs at READ COMMITTED, and locks every row that it reads to decide (dialect.lockRow, FOR UPDATE). So a row that a decision has read
// stays as it is until the commit, as with one writer. What a decision finds absent is guarded by a unique key; or by the lock of a row that all
// who may insert it read first. SERIALIZABLE would guard the same, but payments have neighbouring keys: two batches that insert into one page of
// an index would end each other again and again. REPEATABLE READ would end a whole batch over each counter that two of them raise.
//
//	decision                                          guarded by
//	the next state of a payment, what may be refunded compare-and-set of payments.version, the first write of a change
//	a payment id, a refund id, an Idempotency-Key     unique key; the second taker waits, then reads the first one's row
//	an answer to a key, a key taken over              the record's lock
//	who resolves an operation, who extends its lease  the operation's lock, or one UPDATE with the condition; claims skip locked rows
//	the end of an operation, its evidence             the operation's lock
//	an authentication's lease                         one UPDATE with the condition
//	a single-use mandate, a mandate that is revoked   the mandate's lock and version
//	a saved card's deletion against its use           the method's lock
//	the default method, a redacted customer           the customer's lock
//	the last profile, labels, names                   the locks of the merchant's rows; unique keys
//	the rank of an account's version                  the account's lock
//	low-value counts, exemption rates                 one statement that adds
//	a user of the dashboard, a code that works once   compare-and-set of staff_users.version, the login's lock
//	one-time links, challenges                        the DELETE of the row: of two, one finds it
//	failed logins                                     the lock of the row of tries, which is made first
//	keysets                                           compare-and-set of the stored value
//	signing and sealing a row again                   the row's lock, and its old value as a condition
//	expired rows                                      locks that skip: a row that is kept longer at this moment stays
//
// A failed serialization (40001) and a deadlock (40P01) undo the batch, and it runs again; from the second time on its callers run one by one. A
// View is one snapshot: REPEATABLE READ, READ ONLY. Reads in a View lock nothing.
//
// Statements that are expected to change a known number of rows leave together, with the next statement whose answer is needed or before the
// commit. The caller goes on as if they had succeeded. If one has not, the transaction is undone and runs again, and that caller waits for each
// answer, with a savepoint. So a payment's writes cost one journey over the network for a whole batch.
//
// Before they leave, equal statements of several callers become one statement with several rows (pgmany.go). The statements of one caller keep their order,
// and so do statements on one row; a test groups statements at random and checks that. Nothing passes a statement that is not joined. So one of them in a
// payment's writes would keep those of all callers apart; a test writes payments and refuses that. A joined INSERT has no ON CONFLICT. A row that is there
// already, or a wrong number of rows, makes the batch run again. Each statement then runs by itself, and its answer shows the caller.
//
// The time is the database's: BEGIN brings it along. It is never later than the database's own clock, so that it does not go backwards.
//
// If the connection is lost before the commit is sent, the batch runs again on a new one, or fails with fault.ErrAway: nothing was done. If it is
// lost during the commit, the error is ErrOutcome: the writes may have happened. The engine then sends nothing to a processor. The intent, if
// it is there, has a lease that ends, and the resolution asks about it. A result is settled again until a commit succeeds, and settling reads the
// rows first.
//
// A server that falls silent breaks no connection. The begin of a transaction waits for answerTime, and a connection to it for dialTime. From then
// on every other connection has doubtTime for its next begin.
//
// # Where PostgreSQL's time goes
//
// A payment of BenchmarkThroughputPostgres cost 241 µs of the server's processor, and 311 µs of the switch and the load's client. In the switch, 36 µs
// were for talking to PostgreSQL. In the server, the updates of payment, attempt and operation took 38, 25 and 21 µs, and their inserts 30, 20 and 20 µs.
// Four more inserts took 45 µs, and 22 µs counted the rows of young tables. A payment left 48 records with 9.6 kB in the log. What helps, in µs of the server:
//
//   - an update of the payment that spares its indexes, and no foreign key to the list of statuses: some 30;
//   - a count of young tables that reads a tenth of the rows: up to 20;
//   - an INSERT without ON CONFLICT: 3 of 22. Joined statements: 2 to 3 of 22 each, with eight callers;
//   - an update of the attempt that joins. Until it did, it kept each payment's second transaction apart. With empty rows in joined statements, so that
//     7 callers need one statement in the place of three: some 40;
//   - no plan for the arguments of a joined statement: 11 of the 13 that planning took;
//   - a joined SELECT of the customers that a batch names: nothing that the noise let through, so each runs by itself;
//   - few large batches: two connections that write took 188 to 200, and four took 226 to 229. So a third worker leaves few callers to two that are busy;
//   - updates of an attempt and an operation that spare their indexes would save some 10 each. Two indexes stand in the way. attempts_transaction finds attempts of
//     several payments under one id, which processor_ids cannot. A table of due operations in the place of operations_due would cost two statements more.
//
// # The row number seq
//
// SQLite gives seq in the order of commits. PostgreSQL gives it in the order of inserts, and a smaller seq can become visible after a larger one.
// Every use bears that:
//
//   - as the second key of an order (created_at, seq) it only separates rows of one millisecond. A list that is read page by page may miss a row
//     that was being written, as it may on SQLite;
//   - lists of one payment (refunds, authentications) are ordered by seq: the payment's row is locked before each insert, so their seq follows
//     the commits;
//   - the vault's passes read windows of seq. A pass that finds nothing of a key proves something. It does so because the pass begins long after the
//     key's end (vault.Options.Refresh), when every transaction with the key has ended. A transaction is given up long before (pgTime);
//   - SignRow and Reseal name a row by its seq and compare its old value.
//
// seq is a sequence on PostgreSQL, which costs nothing measurable, and a number from clock and node on CockroachDB (BIGSERIAL). All keys but it
// begin with the merchant, or with an id that the time leads.
package storage
