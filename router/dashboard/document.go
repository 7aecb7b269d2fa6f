package dashboard

import (
	"slices"
)

// document is a page that is made of blocks: most pages of settings are.
type document struct {
	Heading string
	Back    *Link  // to the list that the page belongs to
	Lead    string // one sentence under the heading
	Links   []Link // next to the heading
	Blocks  []Block
}

func (*document) file() string    { return "document" }
func (d *document) Title() string { return d.Heading }

func (d *document) add(b ...Block) { d.Blocks = append(d.Blocks, b...) }

// Block is a part of a document. What is empty is left out; the rest stands in the order of the fields.
type Block struct {
	ID      string // for links to the block
	Heading string
	Chip    *Chip
	Tone    string // class of the box: doubt, wait, bad or good; "" for a plain one
	Bare    bool   // without a box around it
	Text    []string
	Steps   []Step
	Facts   []Named
	Table   *Table
	Moments []*Moment // a timeline
	Cards   []Card
	Code    string // a command or a document, with a button that copies it
	Folds   []Fold
	Once    string // a secret that no later page shows, or an address to copy
	QR      string // a QR code (qrImage) of the text in Once
	Links   []Link
	Empty   *Empty
	Forms   []Form
	Frame   *Frame
}

// Frame shows another page of the dashboard within the page. A form's Try with the target Name draws it again.
type Frame struct{ Name, Title, URL string }

// Try is a second button of a form. It posts the form to another address and shows the answer in the frame with this name. Nothing is saved.
type Try struct{ Action, Text, Target string }

// Fold is a long text below its name: it opens when the name is clicked.
type Fold struct{ Name, Text string }

// Step is a line of a list that ticks itself.
type Step struct {
	Done       bool
	Optional   bool // the list is complete without it
	Text, Note string
	Link       *Link
}

// Card is one thing to choose.
type Card struct {
	URL, Heading, Text string
	Chip               *Chip
}

// Named is a name with its value.
type Named struct {
	Name  string
	Value Cell
}

// Cell is a value. The page shows those of its fields that are set.
type Cell struct {
	Text   string
	URL    string // links Text
	Note   string // small, after the rest
	ID     string // an id or a URL to copy
	Chip   *Chip
	Time   *Time
	Amount *Money
	Form   *Form // one button
}

// Table is a list of rows with the same columns.
type Table struct {
	Caption string
	Columns []Column
	Rows    []Row
	Pager   Pager
}

// Column is the heading of a column. Class is num for amounts and counts.
type Column struct{ Name, Class string }

// Row is a row of a table. A row with a URL is one link, and its first cell is the link's text.
type Row struct {
	URL   string
	Cells []Cell
}

func columns(names ...string) (out []Column) {
	for _, n := range names {
		out = append(out, Column{Name: n})
	}
	return out
}

// Named returns a row's cell with its column, for the template.
func (t *Table) Named(row Row, i int) NamedCell {
	return NamedCell{t.Columns[i], row.Cells[i]}
}

// NamedCell is a cell with its column.
type NamedCell struct {
	Column Column
	Cell   Cell
}

// Form is a form, or with no visible field a button.
type Form struct {
	ID      string // ids of its inputs begin with it; must be set where a page has several forms with fields
	Action  string
	Get     bool   // a form that changes nothing, such as a search
	File    bool   // has a file to send
	Heading string // of the form; Fold, if set, is shown in its place, and the form opens below it
	Fold    string
	Open    bool
	Text    string // the consequence
	Problem string // what was refused, if no field is at fault
	Fields  []Field
	Submit  string
	Tone    string // go, danger or ""
	Inline  bool   // fields in one line, such as filters
	Try     *Try
}

// Visible reports whether a form has a field that people see.
func (f *Form) Visible() bool {
	return slices.ContainsFunc(f.Fields, func(x Field) bool { return x.Kind != "hidden" })
}

// Active counts the fields of a form of filters that filter.
func (f *Form) Active() (n int) {
	for _, x := range f.Fields {
		if x.Kind == "select" {
			x.Value = ""
			for _, o := range x.Options {
				if o.Chosen {
					x.Value = o.Value
				}
			}
		}
		if x.Kind != "hidden" && x.Value != "" {
			n++
		}
	}
	return n
}

// Named returns the form's fields, with ids of their own.
func (f *Form) Named() []Field {
	out := slices.Clone(f.Fields)
	for i := range out {
		out[i].In = f.ID
	}
	return out
}

func linked(text, url string) Cell    { return Cell{Text: text, URL: url} }
func ident(id string) Cell            { return Cell{ID: id} }
func fact(name string, c Cell) Named  { return Named{name, c} }
func hidden(name, value string) Field { return Field{Name: name, Kind: "hidden", Value: value} }
