package router

import (
	"bytes"
	"errors"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// writer writes one JSON document. Its methods return the writer, so that an object reads as one chain. The zero value is ready. The
// first error, such as a raw value that is not JSON, is kept; bytes returns it.
type writer struct {
	sheet *sheet
	err   error
}

// sheet is what a document is written on. Documents share sheets one after the other: the buffer and the encoder have grown with earlier ones.
type sheet struct {
	buf bytes.Buffer
	enc jsontext.Encoder
}

var sheets = sync.Pool{New: func() any { return new(sheet) }}

// sheetKept is the largest buffer, in bytes, that a later document gets. A long list must not keep its memory.
const sheetKept = 64 << 10

func (w *writer) encoder() *jsontext.Encoder {
	if w.sheet == nil {
		w.sheet = sheets.Get().(*sheet)
		w.sheet.buf.Reset()
		// Raw values are written as they are stored. Text from outside that is not UTF-8 is repaired.
		w.sheet.enc.Reset(&w.sheet.buf, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true))
	}
	return &w.sheet.enc
}

func (w *writer) token(t jsontext.Token) *writer {
	if err := w.encoder().WriteToken(t); err != nil && w.err == nil {
		w.err = err
	}
	return w
}

func (w *writer) open() *writer      { return w.token(jsontext.BeginObject) }
func (w *writer) close() *writer     { return w.token(jsontext.EndObject) }
func (w *writer) openList() *writer  { return w.token(jsontext.BeginArray) }
func (w *writer) closeList() *writer { return w.token(jsontext.EndArray) }

// key begins a member. Its value follows.
func (w *writer) key(k string) *writer { return w.token(jsontext.String(k)) }

// element writes a string of a list.
func (w *writer) element(v string) *writer { return w.token(jsontext.String(v)) }

// str writes v, also where it is "".
func (w *writer) str(k, v string) *writer { return w.key(k).token(jsontext.String(v)) }

// text writes v, or null where it is "".
func (w *writer) text(k, v string) *writer {
	if v == "" {
		return w.null(k)
	}
	return w.str(k, v)
}

func (w *writer) null(keys ...string) *writer {
	for _, k := range keys {
		w.key(k).token(jsontext.Null)
	}
	return w
}

func (w *writer) int(k string, v int64) *writer { return w.key(k).token(jsontext.Int(v)) }

// number writes *v, or null where v is nil.
func (w *writer) number(k string, v *int64) *writer {
	if v == nil {
		return w.null(k)
	}
	return w.int(k, *v)
}

func (w *writer) bool(k string, v bool) *writer { return w.key(k).token(jsontext.Bool(v)) }

// flag writes *v, or null where v is nil.
func (w *writer) flag(k string, v *bool) *writer {
	if v == nil {
		return w.null(k)
	}
	return w.bool(k, *v)
}

// raw writes JSON, or null without a value.
func (w *writer) raw(k string, v []byte) *writer {
	if len(v) == 0 {
		return w.null(k)
	}
	w.key(k)
	if err := w.encoder().WriteValue(v); err != nil && w.err == nil {
		w.err = err
	}
	return w
}

// time writes t as 2022-09-10T11:12:13.000Z, or null where it is zero.
func (w *writer) time(k string, t time.Time) *writer {
	if t.IsZero() {
		return w.null(k)
	}
	return w.str(k, t.UTC().Format("2006-01-02T15:04:05.000Z"))
}

// strings writes a list of strings, [] where it is empty.
func (w *writer) strings(k string, list []string) *writer {
	w.key(k).openList()
	for _, v := range list {
		w.element(v)
	}
	return w.closeList()
}

// bytes returns the complete document, without the newline that the encoder adds. It ends the writer.
func (w *writer) bytes() ([]byte, error) {
	if w.sheet == nil {
		return nil, w.err
	}
	if w.err == nil && w.sheet.enc.StackDepth() > 0 {
		w.err = errors.New("an object or a list was not closed")
	}
	document := bytes.TrimSuffix(w.sheet.buf.Bytes(), []byte{'\n'})
	if w.sheet.buf.Cap() <= sheetKept {
		document = bytes.Clone(document)
		sheets.Put(w.sheet)
	}
	w.sheet = nil
	return document, w.err
}

// answer returns a 200 with the document. It panics on a writer's error: the server answers 500 and logs it.
func (w *writer) answer() answer {
	body, err := w.bytes()
	if err != nil {
		panic(err)
	}
	return jsonAnswer(body)
}
