package dashboard

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"payswitch/engine/staff"
)

// Logs has the latest lines of the log of this node, newest first, and the time since which it has all of them.
type Logs interface {
	Lines(f LogFilter) (lines []LogLine, since time.Time)
	// Kept reports whether the node writes the requests to a file, and shows those of its earlier runs.
	Kept() bool
}

// LogFilter selects lines.
type LogFilter struct {
	Merchant string // "": of all merchants and of none
	Text     string // in the message, or in a value
	Status   string // first digit of the status of a request
	Trouble  bool   // warnings and errors alone
	Before   uint64 // the cursor: lines older than that one
	Limit    int
}

// LogLine is a line of the log.
type LogLine struct {
	Seq     uint64
	Size    int // bytes that it takes
	At      time.Time
	Level   string // DEBUG, INFO, WARN or ERROR
	Message string
	Attrs   []LogAttr
}

// LogAttr is a name with its value.
type LogAttr struct{ Name, Value string }

// Of returns the value of a name, "" without one.
func (l LogLine) Of(name string) string {
	if i := slices.IndexFunc(l.Attrs, func(a LogAttr) bool { return a.Name == name }); i >= 0 {
		return l.Attrs[i].Value
	}
	return ""
}

// Has reports whether a filter selects a line.
func (f LogFilter) Has(l LogLine) bool {
	switch {
	case f.Merchant != "" && l.Of("merchant_id") != f.Merchant:
		return false
	case f.Trouble && l.Level != "WARN" && l.Level != "ERROR":
		return false
	case f.Status != "" && !strings.HasPrefix(l.Of("status"), f.Status):
		return false
	case f.Text == "" || strings.Contains(l.Message, f.Text):
		return true
	}
	return slices.ContainsFunc(l.Attrs, func(a LogAttr) bool { return strings.Contains(a.Value, f.Text) })
}

func (s *Server) logRoutes() []route {
	if s.Logs == nil {
		return nil
	}
	return []route{
		{method: http.MethodGet, pattern: "/m/{m}/logs", needs: staff.SeeLogs, handle: s.logs},
		{method: http.MethodGet, pattern: "/logs", needs: staff.SeeSystem, handle: s.logs},
	}
}

// logs lists lines of the log: on a merchant's page those that name the merchant, and for operators all.
func (s *Server) logs(c *call) (response, error) {
	q := c.URL.Query()
	f := LogFilter{Text: strings.TrimSpace(q.Get("q")), Limit: listRows + 1}
	if c.Merchant != nil {
		f.Merchant = c.Merchant.ID
	}
	switch show := q.Get("show"); show {
	case "2", "4", "5":
		f.Status = show
	case "trouble":
		f.Trouble = true
	}
	f.Before, _ = strconv.ParseUint(q.Get("before"), 10, 64) // any other text begins at the newest line
	lines, since := s.Logs.Lines(f)
	return show(c.logsOf(f, lines, since, s.Logs.Kept())), nil
}

// logsOf returns the page of lines. since is the time of the oldest line that the node has, and kept says that a file has the requests.
func (c *call) logsOf(f LogFilter, lines []LogLine, since time.Time, kept bool) *document {
	at := "/logs"
	if c.Merchant != nil {
		at = c.at() + at
	}
	d := &document{Heading: "Logs", Lead: "The latest requests of your shop, as this node answered them. It keeps them in memory until it ends: standard error has all lines for good."}
	if c.Merchant == nil {
		d.Lead = "The latest lines of this node's log. It keeps them in memory until it ends: standard error has all lines for good."
	}
	if kept {
		d.Lead = "The latest requests of your shop, as this node answered them. A file keeps them after the node has ended (log.requests)."
		if c.Merchant == nil {
			d.Lead = "The latest lines of this node's log. A file keeps the requests after the node has ended (log.requests); standard error has all lines."
		}
	}
	if !since.IsZero() {
		d.Lead += " The oldest is of " + c.time(since).Full() + "."
	}
	chosen := f.Status
	if f.Trouble {
		chosen = "trouble"
	}
	kinds := []Option{{"", "all", chosen == ""}, {"2", "successful requests (2xx)", chosen == "2"}, {"4", "refused requests (4xx)", chosen == "4"}, {"5", "failed requests (5xx)", chosen == "5"},
		{"trouble", "warnings and errors", chosen == "trouble"}}
	d.add(Block{Bare: true, Forms: []Form{{ID: "logs-", Action: at, Get: true, Inline: true, Submit: "Filter", Fields: []Field{
		{Name: "q", Label: "Request id, payment or text", Kind: "text", Value: f.Text, Max: 200, Autocomplete: "off"}, {Name: "show", Label: "Show", Kind: "select", Options: kinds}}}}})
	query := func(pairs ...string) string {
		v := url.Values{}
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i+1] != "" {
				v.Set(pairs[i], pairs[i+1])
			}
		}
		return at + "?" + v.Encode()
	}
	t := &Table{Caption: "Lines, newest first", Columns: columns("Time", "What", "Result", "Took", "Request")}
	t.Columns[0].Class, t.Columns[3].Class = "time", "time"
	for i, l := range lines {
		if i == listRows {
			t.Pager.Older = query("q", f.Text, "show", chosen, "before", strconv.FormatUint(lines[i-1].Seq, 10))
			break
		}
		when, request := c.time(l.At), Cell{}
		if id := l.Of("request_id"); id != "" {
			request = linked(id, query("q", id))
		}
		t.Rows = append(t.Rows, Row{Cells: []Cell{{Text: when.Clock(), Note: when.Day()}, c.logText(l), logResult(l), {Text: tookOf(l)}, request}})
	}
	if f.Before > 0 {
		t.Pager.Newest = query("q", f.Text, "show", chosen)
	}
	switch {
	case len(t.Rows) > 0:
		d.add(Block{Bare: true, Table: t})
	case f.Text != "" || chosen != "":
		d.add(Block{Bare: true, Empty: &Empty{Heading: "No line matches", Text: "This node has none, or its memory has it no more. Other nodes have lines of their own.", Links: []Link{{at, "All lines"}}}})
	case c.Merchant != nil:
		d.add(Block{Bare: true, Empty: &Empty{Heading: "No request yet", Text: "The first request of your shop appears here. This one makes a payment:"}, Code: firstPayment(c.server.opts.APIURL, "YOUR_KEY")})
	default:
		d.add(Block{Bare: true, Empty: &Empty{Heading: "No line yet", Text: "Lines appear here as the node writes them."}})
	}
	return d
}

// tookOf returns how long a request took, as people read it.
func tookOf(l LogLine) string {
	took := l.Of("took")
	if d, err := time.ParseDuration(took); err == nil {
		return shortly(d)
	}
	return took
}

// logText says what a line is about. Its further values stand behind it.
func (c *call) logText(l LogLine) Cell {
	cell := Cell{Text: l.Message}
	shown := []string{"request_id", "took", "status", "merchant_id", "component"}
	if route := l.Of("route"); l.Message == "request" {
		cell.Text = l.Of("method") + " " + either(route != "", route, "an unknown address")
		shown = append(shown, "method", "route")
	}
	if c.Merchant == nil {
		shown = slices.DeleteFunc(shown, func(name string) bool { return name == "merchant_id" || name == "component" })
	}
	if id := l.Of("payment_id"); c.Merchant != nil && id != "" && c.may(staff.SeePayments) {
		cell.URL = c.at() + "/payments/" + url.PathEscape(id)
	}
	var more []string
	for _, a := range l.Attrs {
		if a.Value != "" && !slices.Contains(shown, a.Name) {
			more = append(more, a.Name+": "+a.Value)
		}
	}
	cell.Note = strings.Join(more, " · ")
	return cell
}

// logResult returns the status of a request, else the level of the line.
func logResult(l LogLine) Cell {
	status, tone := l.Of("status"), "quiet"
	if l.Message == "request" {
		switch {
		case strings.HasPrefix(status, "2"), strings.HasPrefix(status, "3"):
			tone = "good"
		case strings.HasPrefix(status, "4"):
			tone = "wait"
		case strings.HasPrefix(status, "5"):
			tone = "bad"
		}
		return Cell{Chip: &Chip{status, tone, marks[tone]}}
	}
	switch l.Level {
	case "WARN":
		tone = "wait"
	case "ERROR":
		tone = "bad"
	}
	return Cell{Chip: &Chip{strings.ToLower(l.Level), tone, marks[tone]}}
}
