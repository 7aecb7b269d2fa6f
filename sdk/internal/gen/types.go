package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"sort"
	"strconv"
	"strings"
)

// A pkg holds the types of package sdk that the generator needs.
type pkg struct {
	structs map[string]*structType
	strings map[string]*stringType // named types whose underlying type is string
	order   []string               // structs reachable from roots, in order of first use
}

type structType struct {
	name, doc string
	fields    []field
	body      bool // has Body and BodyLength: the message holds the length of Body
}

type stringType struct {
	doc    string
	values []constant
}

type constant struct{ value, doc string }

type field struct {
	name, key, doc string
	omit           bool
	typ            typ
}

// A typ is a type that messages can use.
type typ struct {
	kind string // string, int, int64, bool, struct, pointer, slice, map (keys are strings)
	name string // Go name of a struct, or of a string type if it is not "string"
	elem *typ   // of pointer, slice and map
}

func parse(dir string) (*pkg, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	sort.Strings(names)
	specs := map[string]*ast.TypeSpec{}
	p := &pkg{structs: map[string]*structType{}, strings: map[string]*stringType{}}
	docs := map[string]string{}
	var consts []*ast.GenDecl
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "_gen.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			if g.Tok == token.CONST {
				consts = append(consts, g)
			}
			for _, s := range g.Specs {
				if t, ok := s.(*ast.TypeSpec); ok {
					specs[t.Name.Name] = t
					docs[t.Name.Name] = listed(t.Doc, g.Doc)
				}
			}
		}
	}
	for name, spec := range specs {
		if id, ok := spec.Type.(*ast.Ident); ok && id.Name == "string" {
			p.strings[name] = &stringType{doc: docs[name]}
		}
	}
	for _, g := range consts {
		p.addConstants(g)
	}
	for _, r := range roots {
		if err := p.addStruct(r, specs, docs); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *pkg) addConstants(g *ast.GenDecl) {
	for _, s := range g.Specs {
		v := s.(*ast.ValueSpec)
		id, ok := v.Type.(*ast.Ident)
		if !ok || p.strings[id.Name] == nil || len(v.Values) != 1 {
			continue
		}
		lit, ok := v.Values[0].(*ast.BasicLit)
		if !ok {
			continue
		}
		value, err := strconv.Unquote(lit.Value)
		if err != nil {
			continue
		}
		t := p.strings[id.Name]
		t.values = append(t.values, constant{value, text(v.Comment, v.Doc)})
	}
}

func (p *pkg) addStruct(name string, specs map[string]*ast.TypeSpec, docs map[string]string) error {
	if p.structs[name] != nil {
		return nil
	}
	spec := specs[name]
	if spec == nil {
		return fmt.Errorf("package sdk has no type %s", name)
	}
	st, ok := spec.Type.(*ast.StructType)
	if !ok {
		return fmt.Errorf("%s is not a struct", name)
	}
	s := &structType{name: name, doc: docs[name]}
	p.structs[name] = s
	p.order = append(p.order, name)
	for _, f := range st.Fields.List {
		if len(f.Names) != 1 || f.Tag == nil {
			return fmt.Errorf("%s: every field needs one name and a json tag", name)
		}
		tag, err := strconv.Unquote(f.Tag.Value)
		if err != nil {
			return err
		}
		key, opts, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
		if key == "-" {
			s.body = s.body || f.Names[0].Name == "Body"
			continue
		}
		t, err := p.typeOf(f.Type, specs)
		if err != nil {
			return fmt.Errorf("%s.%s: %w", name, f.Names[0].Name, err)
		}
		s.fields = append(s.fields, field{name: f.Names[0].Name, key: key, doc: text(f.Doc, f.Comment), omit: opts == "omitempty", typ: t})
	}
	if len(s.fields) > 64 {
		return fmt.Errorf("%s: more than 64 fields", name)
	}
	for _, f := range s.fields {
		for t := &f.typ; t != nil; t = t.elem {
			if t.kind == "struct" {
				if err := p.addStruct(t.name, specs, docs); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (p *pkg) typeOf(e ast.Expr, specs map[string]*ast.TypeSpec) (typ, error) {
	of := func(kind string, e ast.Expr) (typ, error) {
		t, err := p.typeOf(e, specs)
		return typ{kind: kind, elem: &t}, err
	}
	switch e := e.(type) {
	case *ast.Ident:
		switch {
		case e.Name == "string" || p.strings[e.Name] != nil:
			return typ{kind: "string", name: e.Name}, nil
		case e.Name == "int" || e.Name == "int64" || e.Name == "bool":
			return typ{kind: e.Name}, nil
		case specs[e.Name] != nil:
			return typ{kind: "struct", name: e.Name}, nil
		}
	case *ast.StarExpr:
		return of("pointer", e.X)
	case *ast.ArrayType:
		if e.Len == nil {
			return of("slice", e.Elt)
		}
	case *ast.MapType:
		if k, ok := e.Key.(*ast.Ident); ok && k.Name == "string" {
			return of("map", e.Value)
		}
	}
	return typ{}, fmt.Errorf("messages cannot use the type %v (%T)", e, e)
}

// text joins comment groups into one line.
func text(groups ...*ast.CommentGroup) string {
	var parts []string
	for _, g := range groups {
		if g != nil {
			if t := strings.Join(strings.Fields(g.Text()), " "); t != "" {
				parts = append(parts, t)
			}
		}
	}
	return strings.Join(parts, " ")
}

// listed is text for the comment of a type. A line with a tab, as of a table, becomes a row of a Markdown list: its first column, and the rest.
func listed(groups ...*ast.CommentGroup) string {
	var b strings.Builder
	for _, g := range groups {
		rows := false
		for line := range strings.Lines(g.Text()) { // "" without a comment
			words := strings.Join(strings.Fields(line), " ")
			column, rest, _ := strings.Cut(strings.TrimSpace(line), "  ")
			switch {
			case words == "":
			case strings.HasPrefix(line, "\t"):
				b.WriteString(when(rows, "\n", "\n\n") + "- " + column + ": " + strings.TrimSpace(rest))
				rows = true
			default:
				b.WriteString(when(rows, "\n\n", when(b.Len() > 0, " ", "")) + words)
				rows = false
			}
		}
	}
	return b.String()
}

func when(holds bool, then, otherwise string) string {
	if holds {
		return then
	}
	return otherwise
}
