package router

import (
	"strconv"
	"time"

	"payswitch/sdk"
)

// writer appends one JSON document. Methods return the writer so that an object reads as one chain; the caller keeps open and close in
// balance. The zero value is ready.
type writer struct {
	b     []byte
	comma bool // the next key or element needs one
}

func (w *writer) open() *writer {
	w.separate()
	w.b = append(w.b, '{')
	w.comma = false
	return w
}

func (w *writer) close() *writer {
	w.b = append(w.b, '}')
	w.comma = true
	return w
}

func (w *writer) openList() *writer {
	w.separate()
	w.b = append(w.b, '[')
	w.comma = false
	return w
}

func (w *writer) closeList() *writer {
	w.b = append(w.b, ']')
	w.comma = true
	return w
}

func (w *writer) separate() {
	if w.comma {
		w.b = append(w.b, ',')
	}
}

// key begins a member; its value follows. Keys are ours and need no escaping.
func (w *writer) key(k string) *writer {
	w.separate()
	w.b = append(w.b, '"')
	w.b = append(w.b, k...)
	w.b = append(w.b, '"', ':')
	w.comma = false
	return w
}

// str writes v as it is, "" too.
func (w *writer) str(k, v string) *writer {
	w.key(k).b = sdk.AppendJSONString(w.b, v)
	w.comma = true
	return w
}

// text writes v, null when it is "".
func (w *writer) text(k, v string) *writer {
	if v == "" {
		return w.null(k)
	}
	return w.str(k, v)
}

func (w *writer) null(keys ...string) *writer {
	for _, k := range keys {
		w.key(k).b = append(w.b, "null"...)
		w.comma = true
	}
	return w
}

func (w *writer) int(k string, v int64) *writer {
	w.key(k).b = strconv.AppendInt(w.b, v, 10)
	w.comma = true
	return w
}

// number writes *v, null when v is nil.
func (w *writer) number(k string, v *int64) *writer {
	if v == nil {
		return w.null(k)
	}
	return w.int(k, *v)
}

func (w *writer) bool(k string, v bool) *writer {
	w.key(k).b = strconv.AppendBool(w.b, v)
	w.comma = true
	return w
}

// flag writes *v, null when v is nil.
func (w *writer) flag(k string, v *bool) *writer {
	if v == nil {
		return w.null(k)
	}
	return w.bool(k, *v)
}

// raw writes JSON as it is, null when there is none.
func (w *writer) raw(k string, v []byte) *writer {
	if len(v) == 0 {
		return w.null(k)
	}
	w.key(k).b = append(w.b, v...)
	w.comma = true
	return w
}

// time writes t as 2022-09-10T11:12:13.000Z, null when it is zero.
func (w *writer) time(k string, t time.Time) *writer {
	if t.IsZero() {
		return w.null(k)
	}
	w.key(k).b = append(t.UTC().AppendFormat(append(w.b, '"'), "2006-01-02T15:04:05.000Z"), '"')
	w.comma = true
	return w
}

// element writes a string of a list.
func (w *writer) element(v string) *writer {
	w.separate()
	w.b = sdk.AppendJSONString(w.b, v)
	w.comma = true
	return w
}

// strings writes a list of strings, [] when it is empty.
func (w *writer) strings(k string, list []string) *writer {
	w.key(k).openList()
	for _, v := range list {
		w.element(v)
	}
	return w.closeList()
}

// answer is a 200 with what was written.
func (w *writer) answer() answer { return jsonAnswer(w.b) }
