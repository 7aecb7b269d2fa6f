package storage

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
)

// This file joins statements of the callers of one transaction. An INSERT of eight rows costs PostgreSQL much less than eight INSERTs of one row:
// most of the cost of a short statement is its start and its end.

// pgJoined describes a statement that several callers of a transaction run with different rows. Rows with different keys have no value of a unique key in
// common.
type pgJoined struct {
	table string
	key   []int // the arguments that name the row
	// bare is an INSERT without ON CONFLICT DO NOTHING, which costs a seventh of it; "" for other statements. A row that exists ends the transaction, which
	// then runs again with the whole statement.
	bare string
	// read is true for a SELECT. It runs by itself, and all statements may pass it.
	read bool
}

// joinedStatements are the statements of a payment. All others stay where they are, and no statement passes them.
var joinedStatements = map[string]*pgJoined{
	insertPayment:       {table: "payments", key: []int{0, 1}, bare: bare(insertPayment)},
	updatePayment:       {table: "payments", key: []int{16, 17}},
	insertAttempt:       {table: "attempts", key: []int{0, 2}, bare: bare(insertAttempt)},
	updateAttempt:       {table: "attempts", key: []int{11, 12}},
	updateAttemptAt:     {table: "attempts", key: []int{11, 12}},
	insertOperation:     {table: "operations", key: []int{0}, bare: bare(insertOperation)},
	updateSameOperation: {table: "operations", key: []int{24}},
	updateHeldOperation: {table: "operations", key: []int{24}},
	putShortTermKey:     {table: "short_term_keys", key: []int{0, 1}},
	deleteShortTermKey:  {table: "short_term_keys", key: []int{0, 1}},
	insertEvent:         {table: "events", key: []int{0, 1, 2}, bare: bare(insertEvent)},
	insertJournal:       {table: "journal", key: []int{0}},
	deleteExchangesOf:   {table: "exchanges", key: []int{0}},
	insertProcessorID:   {table: "processor_ids", key: []int{0, 1, 2, 3}, bare: bare(insertProcessorID)},
	selectCustomer:      {table: "customers", key: []int{0, 1}, read: true},
}

func bare(insert string) string {
	text, ok := strings.CutSuffix(insert, "ON CONFLICT DO NOTHING")
	if !ok {
		panic("storage: the statement bears no conflict: " + insert)
	}
	return text
}

// isSame reports whether two calls name the same row, or may do so.
func (j *pgJoined) isSame(call *pgCall, other *pgJoined, second *pgCall) bool {
	if j.table != other.table || len(j.key) != len(other.key) {
		return j.table == other.table
	}
	for i := len(j.key) - 1; i >= 0; i-- { // ids differ at their ends
		if !bytes.Equal(call.values[j.key[i]], second.values[other.key[i]]) {
			return false
		}
	}
	return true
}

// joinMost is the largest number of rows of one statement. Statements have 1, 2, 4 … rows, so that each connection prepares few texts. Up to a quarter of
// the rows of one may be empty: its arguments are NULL, so that it inserts and finds nothing. An empty row costs much less than a further statement.
const joinMost = 16

// pgGroup are calls that leave as one statement, or as few.
type pgGroup struct {
	joined  *pgJoined // nil: no statement passes the group
	members []pgCall
}

// join returns calls with the statements of different callers joined. The statements of one caller keep their order, and so do statements on the
// same row. If answer is true, the last call stays the last, by itself.
func (c *pgConn) join(calls []pgCall, answer bool) []pgCall {
	if len(calls) < 2 || c.apart || c.dial.separate.Load() {
		return calls
	}
	out := c.sending[:0]
	for _, g := range c.group(calls, answer) {
		out = c.split(out, g.members)
		clear(g.members)
	}
	c.sending = out
	return out
}

// group returns the groups of calls in the order in which they leave. They are valid until the next call.
func (c *pgConn) group(calls []pgCall, answer bool) []pgGroup {
	groups := c.groups[:0]
	barrier, floor := 0, 0
	var owner *write
	for i := range calls {
		call := &calls[i]
		if call.owner != owner {
			owner, floor = call.owner, barrier
		}
		j := call.joined
		if answer && i == len(calls)-1 || call.owner == nil {
			j = nil
		}
		at := -1
		if j != nil && !j.read {
			at = placeOf(groups, floor, j, call)
		}
		if at < 0 {
			at = len(groups)
			if at < cap(groups) {
				groups = groups[:at+1]
				groups[at].members = groups[at].members[:0]
			} else {
				groups = append(groups, pgGroup{})
			}
			groups[at].joined = j
		}
		groups[at].members = append(groups[at].members, *call)
		switch {
		case j == nil:
			barrier = len(groups)
			floor = barrier
		case !j.read:
			floor = at
		}
	}
	c.groups = groups
	return groups
}

// placeOf returns the group that a call can join, -1 for none. The call then runs before all groups behind that one.
func placeOf(groups []pgGroup, floor int, j *pgJoined, call *pgCall) int {
	for i := len(groups) - 1; i >= floor; i-- {
		g := &groups[i]
		if g.joined.table != j.table {
			continue
		}
		for m := range g.members {
			if j.isSame(call, g.joined, &g.members[m]) {
				return -1
			}
		}
		if g.joined == j {
			return i
		}
	}
	return -1
}

// split appends the statements of a group.
func (c *pgConn) split(out, members []pgCall) []pgCall {
	for len(members) > 1 {
		size := joinMost
		for size-len(members) > size/4 {
			size /= 2
		}
		text := c.manyText(members[0].query, size)
		if text == "" {
			break
		}
		parts, width := min(size, len(members)), len(members[0].values)
		many := pgCall{query: text, parts: parts, values: make([][]byte, size*width), formats: make([]int16, size*width)}
		for i := range members[:parts] {
			m := &members[i]
			copy(many.values[i*width:], m.values)
			copy(many.formats[i*width:], m.formats)
			if many.want = many.want + m.want; m.want == anyNumber {
				many.want = anyNumber
			}
		}
		out, members = append(out, many), members[parts:]
	}
	return append(out, members...)
}

// manyText returns the text of a statement for several rows. It returns "" until the connection has prepared the statement for one row, because the
// database names the arguments' types then.
func (c *pgConn) manyText(query string, rows int) string {
	s := c.stmts[query]
	if s == nil || s.description == nil {
		return ""
	}
	if s.many == nil {
		s.many = map[int]string{}
	}
	text, ok := s.many[rows]
	if !ok {
		text = manyRows(query, s.description.ParamOIDs, rows)
		s.many[rows] = text
	}
	return text
}

var placeholder = regexp.MustCompile(`\$[0-9]+`)

// manyRows returns the text of a statement for several rows of arguments, "" if it knows none.
func manyRows(query string, types []uint32, rows int) string {
	var list, names strings.Builder
	values := func(of string) string { // the rows of of, each with arguments of its own
		list.Reset()
		for r := range rows {
			if r > 0 {
				list.WriteString(", ")
			}
			list.WriteString(placeholder.ReplaceAllStringFunc(of, func(p string) string {
				n, _ := strconv.Atoi(p[1:])
				text := "$" + strconv.Itoa(r*len(types)+n)
				if r == 0 {
					text += "::" + pgTypeNames[types[n-1]]
				}
				return text
			}))
		}
		return list.String()
	}
	for _, t := range types {
		if pgTypeNames[t] == "" {
			return ""
		}
	}
	if head, rest, ok := strings.Cut(query, "VALUES ("); ok && strings.HasPrefix(query, "INSERT ") { // the first column is part of the row's key
		one, tail, _ := strings.Cut(rest, ")")
		for i := range strings.Count(one, ",") + 1 {
			if i > 0 {
				names.WriteString(", ")
			}
			names.WriteString("v" + strconv.Itoa(i+1))
		}
		return head + "SELECT * FROM (VALUES " + values("("+one+")") + ") AS m (" + names.String() + ") WHERE m.v1 IS NOT NULL" + tail
	}
	var all strings.Builder
	for i := range types {
		if i > 0 {
			all.WriteString(", ")
			names.WriteString(", ")
		}
		all.WriteString("$" + strconv.Itoa(i+1))
		names.WriteString("v" + strconv.Itoa(i+1))
	}
	query = placeholder.ReplaceAllStringFunc(query, func(p string) string { return "m.v" + p[1:] })
	word := " FROM "
	if strings.HasPrefix(query, "DELETE ") {
		word = " USING "
	}
	head, tail, ok := strings.Cut(query, " WHERE ")
	if !ok {
		return ""
	}
	return head + word + "(VALUES " + values("("+all.String()+")") + ") AS m (" + names.String() + ") WHERE " + tail
}

var pgTypeNames = map[uint32]string{pgText: "text", pgInt8: "bigint", pgBytes: "bytea", pgBool: "boolean"}
