package dashboard

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"payswitch/engine/staff"
)

// System shows how this node and its database are.
type System interface {
	State(ctx context.Context) SystemState
	Settings() []Setting
}

// SystemState is how a node and its database are. A figure that is not known is negative.
type SystemState struct {
	Version, Revision, Program string // Program: the Go release and the machine's kind
	Node                       string
	Started                    time.Time
	Nodes                      []Node
	Findings                   []Finding // what is wrong, the worst first
	Checked                    []string  // checks that found nothing
	Database                   Database
	Loops                      []Loop
	Queues                     []Queue
	Processors                 []Processor
}

// Node is a node of the installation.
type Node struct {
	Name, Version string
	Started, Seen time.Time
}

// Finding is something wrong, with its remedy.
type Finding struct{ What, Remedy string }

// Database is where the data is.
type Database struct {
	Address         string // without a password
	Size, WAL, Free int64  // bytes
	Batch, Commit   string // transactions of one commit, and its time, on average
}

// Loop is background work that comes round again and again.
type Loop struct {
	Name string
	Late time.Duration
}

// Queue is work that waits.
type Queue struct {
	Name   string
	N      int
	More   bool // there are more than N
	Oldest time.Duration
	URL    string // the page with the list; "" for none
	Advice string // what a person does about it, for work that may need one
}

// Processor is a host that an adapter has called since the node's start.
type Processor struct {
	Adapter, Host    string
	Requests, Failed uint64 // Failed: no answer, or one of class 5xx
	Mean             time.Duration
}

// Setting is a setting of the configuration. A secret's value says only whether it is set.
type Setting struct {
	Key, Value string
	Default    bool
}

func (s *Server) systemRoutes() []route {
	if s.System == nil {
		return nil
	}
	return []route{
		{method: "GET", pattern: "/system", needs: staff.SeeSystem, handle: s.system},
		{method: "GET", pattern: "/settings", needs: staff.SeeSystem, handle: s.settings},
	}
}

func (s *Server) system(c *call) (response, error) {
	ctx, end := c.reading()
	defer end()
	return show(c.systemOf(s.System.State(ctx))), nil
}

// lateness is how late background work may be before it is drawn as bad.
const lateness = time.Minute

// nodeGone is how long a node may be silent before it counts as ended.
const nodeGone = 3 * time.Minute

func (c *call) systemOf(st SystemState) *document {
	d := &document{Heading: "System", Lead: "How this node and its database are. The same figures are at /metrics, and payswitch doctor makes the same checks."}
	d.addFindings(st)
	c.addNodes(d, st)
	d.addDatabase(st)
	d.addWork(st)
	d.addProcessors(st)
	if len(st.Checked) > 0 {
		d.add(Block{Bare: true, Folds: []Fold{{"Checks that found nothing", strings.Join(st.Checked, "\n")}}})
	}
	return d
}

// addFindings shows what needs a person, or that nothing does.
func (d *document) addFindings(st SystemState) {
	for _, f := range st.Findings {
		d.add(Block{Tone: "bad", Heading: capital(f.What), Text: []string{"Remedy: " + f.Remedy}})
	}
	waits := false
	for _, q := range st.Queues {
		if q.N > 0 && q.Advice != "" {
			waits = true
			b := Block{Tone: either(q.URL != "", "doubt", "wait"), Heading: q.Name + ": " + strconv.Itoa(q.N) + either(q.More, "+", ""), Text: []string{q.Advice}}
			if q.URL != "" {
				b.Links = []Link{{q.URL, "Open the list"}}
			}
			d.add(b)
		}
	}
	if len(st.Findings) == 0 && !waits {
		d.add(Block{Tone: "good", Text: []string{"Nothing needs you: the checks found nothing."}})
	}
}

// addNodes shows this node, and the nodes of the installation.
func (c *call) addNodes(d *document, st SystemState) {
	started := c.time(st.Started)
	d.add(Block{Heading: "This node", Facts: []Named{fact("Name", Cell{Text: either(st.Node != "", st.Node, "not named")}), fact("Version", Cell{Text: st.Version, Note: "revision " + st.Revision}),
		fact("Built with", Cell{Text: st.Program}), fact("Started", Cell{Time: &started})}})
	if len(st.Nodes) > 0 {
		t := &Table{Caption: "Nodes of this installation", Columns: columns("Name", "State", "Version", "Started", "Seen")}
		for _, n := range st.Nodes {
			from, seen, state := c.time(n.Started), c.time(n.Seen), Chip{"runs", "good", marks["good"]}
			if c.server.Now().Sub(n.Seen) > nodeGone {
				state = Chip{"ended", "quiet", marks["quiet"]}
			}
			t.Rows = append(t.Rows, Row{Cells: []Cell{{Text: n.Name}, {Chip: &state}, {Text: n.Version}, {Time: &from}, {Time: &seen}}})
		}
		d.add(Block{Bare: true, Heading: "Nodes", Table: t})
	}
}

// addDatabase shows the sizes of the database, and how long it commits.
func (d *document) addDatabase(st SystemState) {
	db := Block{Heading: "Database", Facts: []Named{fact("Address", Cell{Text: st.Database.Address})}}
	for _, f := range []struct {
		name string
		n    int64
	}{{"Size", st.Database.Size}, {"Not yet in the file (WAL)", st.Database.WAL}, {"Free on the disk", st.Database.Free}} {
		if f.n >= 0 {
			db.Facts = append(db.Facts, fact(f.name, Cell{Text: bytesOf(f.n)}))
		}
	}
	db.Facts = append(db.Facts, fact("One commit", Cell{Text: either(st.Database.Commit != "", st.Database.Commit+" on average, with "+st.Database.Batch+" transactions", "none since the start")}))
	d.add(db)
}

// addWork shows the queues and the background loops.
func (d *document) addWork(st SystemState) {
	queues := &Table{Caption: "Work that waits", Columns: columns("Queue", "Waiting", "Oldest")}
	queues.Columns[1].Class = "num"
	for _, q := range st.Queues {
		oldest := Cell{Text: "–"}
		if q.N > 0 && q.Oldest > 0 {
			oldest = Cell{Text: shortly(q.Oldest)}
		}
		queues.Rows = append(queues.Rows, Row{URL: q.URL, Cells: []Cell{{Text: q.Name}, {Text: strconv.Itoa(q.N) + either(q.More, "+", "")}, oldest}})
	}
	d.add(Block{Bare: true, Heading: "Queues", Table: queues})
	loops := &Table{Caption: "Background work", Columns: columns("Work", "State", "Late")}
	for _, l := range st.Loops {
		state := Chip{"in time", "good", marks["good"]}
		if l.Late > lateness {
			state = Chip{"late", "bad", marks["bad"]}
		}
		loops.Rows = append(loops.Rows, Row{Cells: []Cell{{Text: l.Name}, {Chip: &state}, {Text: shortly(l.Late)}}})
	}
	d.add(Block{Bare: true, Heading: "Background work", Table: loops})
}

// addProcessors shows the adapters' requests.
func (d *document) addProcessors(st SystemState) {
	processors := Block{Bare: true, Heading: "Processors since the start"}
	if len(st.Processors) == 0 {
		processors.Text = []string{"No adapter has called its processor yet."}
	} else {
		t := &Table{Caption: "Requests of adapters", Columns: columns("Host", "Adapter", "Requests", "Failed", "Mean time")}
		t.Columns[2].Class, t.Columns[3].Class, t.Columns[4].Class = "num", "num", "num"
		for _, p := range st.Processors {
			t.Rows = append(t.Rows, Row{Cells: []Cell{{Text: p.Host}, {Text: p.Adapter}, {Text: strconv.FormatUint(p.Requests, 10)},
				{Text: fmt.Sprintf("%d (%.1f %%)", p.Failed, 100*float64(p.Failed)/float64(max(p.Requests, 1)))}, {Text: shortly(p.Mean)}}})
		}
		processors.Table = t
	}
	d.add(processors)
}

// capital begins a sentence with a capital letter. The name of a setting, such as vault.master_key, stays as it is written.
func capital(text string) string {
	if word, _, _ := strings.Cut(text, " "); text == "" || strings.ContainsAny(strings.TrimRight(word, ".:,"), "._/") {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// bytesOf returns a size as people read it.
func bytesOf(n int64) string {
	switch {
	case n < 1<<10:
		return strconv.FormatInt(n, 10) + " B"
	case n < 1<<20:
		return strconv.FormatInt(n>>10, 10) + " KB"
	case n < 10<<30:
		return strconv.FormatInt(n>>20, 10) + " MB"
	}
	return strconv.FormatInt(n>>30, 10) + " GB"
}

func (s *Server) settings(c *call) (response, error) {
	return show(c.settingsOf(s.System.Settings())), nil
}

// settingsOf shows the configuration by its sections.
func (c *call) settingsOf(list []Setting) *document {
	d := &document{Heading: "Settings", Lead: "The configuration that this node started with. config.yaml and the environment set it, and a restart takes up a change."}
	var section string
	var b *Block
	for _, x := range list {
		if at, _, _ := strings.Cut(x.Key, "."); b == nil || at != section {
			if b != nil {
				d.add(*b)
			}
			section, b = at, &Block{Heading: at}
		}
		_, name, _ := strings.Cut(x.Key, ".")
		b.Facts = append(b.Facts, fact(name, Cell{Text: x.Value, Note: either(x.Default, "", "changed")}))
	}
	if b != nil {
		d.add(*b)
	}
	return d
}
