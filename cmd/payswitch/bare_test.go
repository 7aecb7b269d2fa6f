package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// bare is the least a switch can do: HTTP in, intent and attempt durable, a call to a processor, result and event durable, HTTP out. No
// adapters, no rules, no encryption, documents of about our sizes. It is what BenchmarkThroughput measures against.
type bare struct {
	conn      *sql.Conn
	queue     chan bareWrite
	client    *http.Client
	processor string
}

type bareWrite struct {
	id   string
	last bool
	doc  []byte
	done chan error
}

const bareSchema = `
CREATE TABLE intent(id TEXT PRIMARY KEY, merchant TEXT NOT NULL, status TEXT NOT NULL, version INTEGER NOT NULL, body BLOB NOT NULL);
CREATE TABLE attempt(id TEXT PRIMARY KEY, intent_id TEXT NOT NULL, status TEXT NOT NULL, body BLOB NOT NULL, result BLOB);
CREATE INDEX attempt_intent ON attempt(intent_id);
CREATE TABLE outbox(id INTEGER PRIMARY KEY, intent_id TEXT NOT NULL, payload BLOB NOT NULL);`

func startBare(b *testing.B) string {
	dsn := "file:" + filepath.Join(b.TempDir(), "bare.db") + "?_pragma=page_size(8192)&_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)" +
		"&_pragma=synchronous(FULL)&_pragma=cache_size(-65536)&_pragma=temp_store(MEMORY)&_pragma=wal_autocheckpoint(1000)&_txlock=immediate"
	db, err := sql.Open("sqlite", dsn)
	require.NoError(b, err)
	conn, err := db.Conn(b.Context())
	require.NoError(b, err)
	_, err = conn.ExecContext(b.Context(), bareSchema)
	require.NoError(b, err)
	s := &bare{conn: conn, queue: make(chan bareWrite, 1024), client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}}
	s.processor = serveBare(b, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.Write(bytes.Repeat([]byte("r"), 1500))
	}))
	go s.write()
	b.Cleanup(func() { close(s.queue); db.Close() })
	return serveBare(b, s)
}

func serveBare(b *testing.B, h http.Handler) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	server := &http.Server{Handler: h}
	go server.Serve(listener)
	b.Cleanup(func() { server.Close() })
	return "http://" + listener.Addr().String()
}

func (s *bare) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var in struct {
		Amount   int64  `json:"amount"`
		Currency string `json:"currency"`
	}
	if json.Unmarshal(body, &in) != nil {
		w.WriteHeader(400)
		return
	}
	id := bareID()
	if s.commit(bareWrite{id: id, doc: body}) != nil {
		w.WriteHeader(500)
		return
	}
	resp, err := s.client.Post(s.processor, "application/json", bytes.NewReader(body))
	if err != nil {
		w.WriteHeader(500)
		return
	}
	result, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if s.commit(bareWrite{id: id, last: true, doc: result}) != nil {
		w.WriteHeader(500)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write([]byte(`{"payment_id":"` + id + `","status":"succeeded","body":"` + string(result) + `"}`))
}

var bareSequence = make(chan uint64, 1)

func init() { bareSequence <- 0 }

// bareID is time-ordered, as ours are.
func bareID() string {
	n := <-bareSequence + 1
	bareSequence <- n
	var b [12]byte
	rand.Read(b[8:])
	for i := 7; i >= 0; i-- {
		b[i] = byte(n)
		n >>= 8
	}
	return hex.EncodeToString(b[:])
}

func (s *bare) commit(w bareWrite) error {
	w.done = make(chan error, 1)
	s.queue <- w
	return <-w.done
}

// write commits everything that waits together.
func (s *bare) write() {
	ctx := context.Background()
	statement := func(text string) *sql.Stmt {
		st, err := s.conn.PrepareContext(ctx, text)
		if err != nil {
			panic(err)
		}
		return st
	}
	intent := statement("INSERT INTO intent(id, merchant, status, version, body) VALUES($1, 'm', 'processing', 1, $2)")
	attempt := statement("INSERT INTO attempt(id, intent_id, status, body) VALUES($1, $2, 'pending', $3)")
	finish := statement("UPDATE intent SET status = 'succeeded', version = version + 1 WHERE id = $1 AND version = 1")
	charge := statement("UPDATE attempt SET status = 'charged', result = $2 WHERE id = $1")
	event := statement("INSERT INTO outbox(intent_id, payload) VALUES($1, $2)")
	payload := bytes.Repeat([]byte("e"), 2600)
	for w := range s.queue {
		batch := []bareWrite{w}
		_, err := s.conn.ExecContext(ctx, "BEGIN IMMEDIATE")
		for more := true; more; {
			if err == nil && !w.last {
				if _, err = intent.Exec(w.id, w.doc); err == nil {
					_, err = attempt.Exec(w.id+"_1", w.id, w.doc[:min(700, len(w.doc))])
				}
			} else if err == nil {
				if _, err = finish.Exec(w.id); err == nil {
					if _, err = charge.Exec(w.id+"_1", w.doc); err == nil {
						_, err = event.Exec(w.id, payload)
					}
				}
			}
			select {
			case w, more = <-s.queue:
				if more {
					batch = append(batch, w)
				}
			default:
				more = false
			}
		}
		if err == nil {
			_, err = s.conn.ExecContext(ctx, "COMMIT")
		} else {
			s.conn.ExecContext(ctx, "ROLLBACK")
		}
		for _, w := range batch {
			w.done <- err
		}
	}
}
