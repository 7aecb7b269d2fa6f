package router

import (
	"bytes"
	"encoding/json"
	"slices"

	"payswitch/engine/account"
)

// Fields that the engine stores by name (account.Fields) and shows as they came. The router checks their types.

// keep checks a field with parse and puts it, as it came, among the Fields of T.
func keep[T, V any](key string, parse func(*reader) (V, error), fields func(*T) *account.Fields) field[T] {
	read := rawBy(parse)
	return field[T]{key: key, read: func(r *reader, to *T) error {
		raw, err := read(r)
		if err != nil {
			return err
		}
		f := fields(to)
		if *f == nil {
			*f = account.Fields{}
		}
		(*f)[key] = raw
		return nil
	}}
}

// member is keep for a field of a record.
func member[V any](key string, parse func(*reader) (V, error)) field[account.Fields] {
	return keep(key, parse, func(f *account.Fields) *account.Fields { return f })
}

// rawBy returns parse itself where it returns JSON. Otherwise the function it returns checks the value with parse and keeps it as it came.
func rawBy[V any](parse func(*reader) (V, error)) func(*reader) (json.RawMessage, error) {
	if raw, ok := any(parse).(func(*reader) (json.RawMessage, error)); ok {
		return raw
	}
	return keptAs(parse)
}

// record reads an object and keeps it with every key of its table: null for a field that was not sent. Some records contain secrets, so
// no message repeats a value that is not an object.
func record(closed bool, members ...field[account.Fields]) func(*reader) (json.RawMessage, error) {
	return recordWith(nil, closed, members...)
}

// recordWith is record with the values of fields that were not sent: pairs of a name and JSON.
func recordWith(defaults []string, closed bool, members ...field[account.Fields]) func(*reader) (json.RawMessage, error) {
	table := newObject(closed, members...)
	return func(r *reader) (json.RawMessage, error) {
		if r.kind() != '{' {
			return nil, r.wrongType("an object", false)
		}
		f, err := table.parse(r)
		if err != nil {
			return nil, err
		}
		if f == nil {
			f = account.Fields{}
		}
		return new(writer).open().fields(withDefaults(f, defaults...), table.keys()...).close().bytes()
	}
}

// records reads a list of records.
func records(parse func(*reader) (json.RawMessage, error)) func(*reader) (json.RawMessage, error) {
	list := listOf(parse)
	return func(r *reader) (json.RawMessage, error) {
		items, err := list(r)
		if err != nil {
			return nil, err
		}
		out := append([]byte{'['}, bytes.Join(bytesOf(items), []byte{','})...)
		return append(out, ']'), nil
	}
}

func bytesOf(items []json.RawMessage) [][]byte {
	out := make([][]byte, len(items))
	for i, item := range items {
		out[i] = item
	}
	return out
}

// fields writes the named fields of f, null for a field that f does not have.
func (w *writer) fields(f account.Fields, names ...string) *writer {
	for _, name := range names {
		w.raw(name, f[name])
	}
	return w
}

// withDefaults sets fields that were never sent. values are pairs of a name and JSON.
func withDefaults(f account.Fields, values ...string) account.Fields {
	for pair := range slices.Chunk(values, 2) {
		if _, sent := f[pair[0]]; !sent {
			f[pair[0]] = json.RawMessage(pair[1])
		}
	}
	return f
}

// hiddenObject keeps an object as it came. No message repeats the value, even where it is not an object.
var hiddenObject = apart(func(r *reader) (json.RawMessage, error) {
	if r.kind() != '{' {
		return nil, r.wrongType("an object", false)
	}
	return r.raw()
})

// hiddenJSON keeps a text as JSON. No message repeats it.
var hiddenJSON = apart(keptAs(hiddenText))

// signingKey keeps payment_response_hash_key as JSON. An empty key would sign nothing. No message repeats the key.
var signingKey = apart(func(r *reader) (json.RawMessage, error) {
	v, err := keptAs(hiddenText)(r)
	if err == nil && string(v) == `""` {
		err = r.fail("the minimum required length for this field is 1", "Send 64 random characters, or leave the field out.")
	}
	return v, err
})
