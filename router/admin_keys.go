package router

import (
	"time"

	"payswitch/engine/account"
)

var keyFields = []field[account.APIKeyInput]{
	opt("name", text, func(k *account.APIKeyInput) **string { return &k.Name }),
	opt("description", text, func(k *account.APIKeyInput) **string { return &k.Description }),
	opt("expiration", expiration, func(k *account.APIKeyInput) **time.Time { return &k.Expiration }),
}

var (
	newKeyFields    = closedObject(must(keyFields[0]), keyFields[1], must(keyFields[2]))
	keyChangeFields = closedObject(keyFields...)
)

// expiration reads a time, or "never" as the zero time.
func expiration(r *reader) (time.Time, error) {
	from := r.next()
	if s, err := text(r); err != nil || s == "never" {
		return time.Time{}, err
	}
	t, err := timestamp(r.reader(from, r.pos(), r.path()))
	if err != nil {
		return time.Time{}, r.fail("invalid value: expected `never` or an ISO 8601 time such as 2022-09-10T10:11:12Z",
			`Send "never", or date, time and zone: "2022-09-10T10:11:12Z".`)
	}
	return t, nil
}

func (s *Server) createKey(c *call) (answer, error) {
	var in account.APIKeyInput
	if err := decode(c, newKeyFields, &in); err != nil {
		return answer{}, err
	}
	k, key, err := s.Admin.CreateAPIKey(c.ctx(), c.merchant(), in)
	if err != nil {
		return answer{}, err
	}
	w := writeKeyHead(new(writer), k).str("api_key", key.Reveal()) // no later answer shows the key
	return writeKeyTail(w, k).answer(), nil
}

func (s *Server) updateKey(c *call) (answer, error) {
	var in account.APIKeyInput
	if err := decode(c, keyChangeFields, &in); err != nil {
		return answer{}, err
	}
	return keyAnswer(s.Admin.UpdateAPIKey(c.ctx(), c.merchant(), c.param("key_id"), in))
}

func (s *Server) retrieveKey(c *call) (answer, error) {
	return keyAnswer(s.Admin.APIKey(c.ctx(), c.merchant(), c.param("key_id")))
}

func (s *Server) listKeys(c *call) (answer, error) {
	q := c.query()
	q.only("limit", "skip")
	limit, skip := q.count("limit", 0), q.count("skip", 0)
	if q.err != nil {
		return answer{}, q.err
	}
	if q.has("limit") && limit == 0 { // the store takes 0 for no limit
		return jsonAnswer([]byte("[]")), nil
	}
	list, err := s.Admin.APIKeys(c.ctx(), c.merchant(), limit, skip)
	if err != nil {
		return answer{}, err
	}
	return listOfAnswers(new(writer), list, writeKey).answer(), nil
}

func (s *Server) revokeKey(c *call) (answer, error) {
	id := c.param("key_id")
	if err := s.Admin.RevokeAPIKey(c.ctx(), c.merchant(), id); err != nil {
		return answer{}, err
	}
	return new(writer).open().str("merchant_id", c.param("merchant_id")).str("key_id", id).bool("revoked", true).close().answer(), nil
}

// maxCount is the largest limit or offset of a list.
const maxCount = 65535

// count reads a limit or an offset from 0 to maxCount. It returns absent if the query does not have it.
func (q *query) count(name string, absent int) int {
	v, given := q.int(name)
	if !given {
		return absent
	}
	if v < 0 || v > maxCount {
		q.fail(name, name+": expected an integer between 0 and 65535", "Send a whole number from 0 to 65535.")
		return absent
	}
	return int(v)
}

func keyAnswer(k *account.APIKey, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	var w writer
	writeKey(&w, k)
	return w.answer(), nil
}

func writeKey(w *writer, k *account.APIKey) {
	writeKeyTail(writeKeyHead(w, k).str("prefix", k.Prefix), k)
}

func writeKeyHead(w *writer, k *account.APIKey) *writer {
	return w.open().str("key_id", k.ID).str("merchant_id", k.MerchantID).str("name", k.Name).text("description", k.Description)
}

func writeKeyTail(w *writer, k *account.APIKey) *writer {
	w.time("created", k.CreatedAt)
	if k.ExpiresAt.IsZero() {
		return w.str("expiration", "never").close()
	}
	return w.time("expiration", k.ExpiresAt).close()
}
