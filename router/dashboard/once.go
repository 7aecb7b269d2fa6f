package dashboard

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"

	"payswitch/engine/account"
	"payswitch/engine/idempotency"
)

// formKey is the hidden field with the key of a form. Each form that a page shows has a key of its own.
const formKey = "form_key"

// formOnce performs a form once for its key and what is in it. A repeat of it, such as a second click, a lost answer or a reload, gets the answer of the first
// one: the browser shows what was made, also where no later page does. The answer is kept encrypted for a day, for the session of the form alone. A person who
// goes back and sends the form with something else in it asks for another thing. A form without a key, which no page shows, is performed each time.
func (s *Server) formOnce(do handler) handler {
	return func(c *call) (response, error) {
		if err := c.form(); err != nil {
			return nil, err
		}
		if c.PostForm.Get(formKey) == "" {
			return do(c)
		}
		auth := account.Auth{}
		if c.Merchant != nil {
			auth = c.auth()
		}
		ctx := c.Context()
		hash := c.formHash()
		stored, finish, abandon, err := s.Engine.BeginIdempotent(ctx, &auth, "dashboard-form-"+hex.EncodeToString(hash), hash)
		if err != nil {
			return nil, err
		}
		if stored != nil {
			return kept(*stored), nil
		}
		answer, err := do(c)
		again, made := kept{}, false
		if err == nil {
			again, made, err = keepable(c, answer)
		}
		if !made {
			abandon(context.WithoutCancel(ctx))
			return answer, err
		}
		return again, finish(context.WithoutCancel(ctx), idempotency.Answer(again))
	}
}

// formHash returns the hash of a form with its key, and of the session that it belongs to. No secret of the form can be guessed from it without the
// key.
func (c *call) formHash() []byte {
	hash := sha256.Sum256([]byte(c.Session.ID + "\n" + c.Session.UserID + "\n" + c.URL.Path + "\n" + c.PostForm.Encode()))
	return hash[:]
}

// kept is the answer to a form: the address of the next page, or a page.
type kept idempotency.Answer

// keepable returns an answer that says that something was done. made is false for another one, such as a form with a problem: it may be sent again.
func keepable(c *call, answer response) (k kept, made bool, err error) {
	switch a := answer.(type) {
	case seeOther:
		return kept{Status: http.StatusSeeOther, Headers: map[string][]string{"Location": {string(a)}}}, true, nil
	case shown:
		if a.status > http.StatusOK {
			return kept{}, false, nil
		}
		page, err := c.server.pages.render(c, a.page)
		return kept{Status: http.StatusOK, Body: page}, err == nil, err
	}
	return kept{}, false, nil
}

func (k kept) write(c *call) error {
	if to := k.Headers["Location"]; len(to) > 0 {
		return seeOther(to[0]).write(c)
	}
	return sendPage(c, k.Status, k.Body)
}
