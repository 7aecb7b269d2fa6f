package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/v2"

	"payswitch/engine/secret"
	"payswitch/sdk/nearest"
)

const envPrefix = "PAYSWITCH_"

// loadConfig reads the file at path ("" for none) and the environment ("NAME=value") over defaults, the environment last. A missing
// file is an error only with required. The error joins all problems, those of Validate too.
func loadConfig(defaults Config, path string, required bool, environ []string) (Config, error) {
	c := defaults
	l := &loader{fields: fieldsOf(&c), environ: environ}
	if path != "" {
		l.file(path, required)
	}
	l.environment()
	c.secretFiles = l.secretFiles
	return c, errors.Join(errors.Join(l.problems...), c.Validate())
}

// loader sets the fields of one Config by flat key ("server.listen"), and collects the errors.
type loader struct {
	fields     map[string]reflect.Value
	environ    []string
	referenced []string // variables that the file names as env:NAME

	secretFiles map[string]string // files that settings name as file:/path, by key
	problems    []error
}

var (
	secretType   = reflect.TypeFor[secret.Value]()
	durationType = reflect.TypeFor[time.Duration]()
)

// fieldsOf returns the settable fields of c by flat key.
func fieldsOf(c *Config) map[string]reflect.Value {
	fields := map[string]reflect.Value{}
	var walk func(v reflect.Value, prefix string)
	walk = func(v reflect.Value, prefix string) {
		for i := range v.NumField() {
			name, f := v.Type().Field(i).Tag.Get("key"), v.Field(i)
			if name == "" { // no setting of an operator
				continue
			}
			key := prefix + name
			if f.Kind() == reflect.Struct && f.Type() != secretType {
				walk(f, key+".")
				continue
			}
			fields[key] = f
		}
	}
	walk(reflect.ValueOf(c).Elem(), "")
	return fields
}

func (l *loader) bad(err error) { l.problems = append(l.problems, err) }

func (l *loader) file(path string, required bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		if required || !errors.Is(err, fs.ErrNotExist) {
			l.bad(fmt.Errorf("read configuration %s: %w", path, err))
		}
		return
	}
	k := koanf.New(".")
	if err := k.Load(readText(text), yaml.Parser()); err != nil {
		l.bad(fmt.Errorf("read configuration %s: %s", path, plainYAML(err, string(text))))
		return
	}
	if line := secondDocument(string(text)); line > 0 {
		l.bad(fmt.Errorf("read configuration %s: line %d begins a second document, which would be ignored: remove the line", path, line))
	}
	values := k.All()
	for _, key := range slices.Sorted(maps.Keys(values)) {
		f, known := l.fields[key]
		switch v := values[key]; {
		case known:
			if err := l.set(f, key, v, true); err != nil {
				l.bad(fmt.Errorf("%s: %w", path, err))
			}
		case l.section(key) && isEmpty(v): // a section whose keys are all commented out
		case l.section(key):
			l.bad(fmt.Errorf("%s: %s: is a section: put its keys below it, indented", path, key))
		default:
			l.bad(fmt.Errorf("%s: %s: unknown key%s", path, key, l.suggest(key, func(k string) string { return k })))
		}
	}
}

// readText is a koanf.Provider of a text that was read before.
type readText []byte

// ReadBytes implements koanf.Provider.
func (t readText) ReadBytes() ([]byte, error) { return t, nil }

// Read implements koanf.Provider. koanf calls ReadBytes instead, because there is a parser.
func (readText) Read() (map[string]any, error) { return nil, errors.ErrUnsupported }

var (
	twice  = regexp.MustCompile(`line (\d+): mapping key "([^"]*)" (already defined at line \d+)`)
	tabbed = regexp.MustCompile(`^ *\t`)
)

// plainYAML returns what is wrong with the text of a configuration file, and what to do, in words of an operator.
func plainYAML(err error, text string) string {
	var out []string
	for _, m := range twice.FindAllStringSubmatch(err.Error(), -1) {
		out = append(out, fmt.Sprintf("line %s: %s is %s: keep one of them", m[1], m[2], m[3]))
	}
	if len(out) > 0 {
		return strings.Join(out, "; ")
	}
	if strings.Contains(err.Error(), "cannot unmarshal") {
		return "the file has no sections: write a section such as server: and its keys below it, indented, as config.yaml of the distribution does"
	}
	for i, line := range strings.Split(text, "\n") {
		if tabbed.MatchString(line) {
			return fmt.Sprintf("line %d is indented by a tab: use spaces (%v)", i+1, err)
		}
	}
	return err.Error()
}

// secondDocument returns the line at which a second YAML document begins, 0 without one. YAML's reader stops there.
func secondDocument(text string) int {
	begun, ended := false, 0
	for i, line := range strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n") {
		line = strings.TrimRight(line, " \t\r")
		marker := line == "---" || line == "..." || strings.HasPrefix(line, "--- ")
		switch {
		case line == "" || strings.HasPrefix(strings.TrimLeft(line, " "), "#") || !begun && strings.HasPrefix(line, "%"):
		case marker && begun && ended == 0:
			ended = i + 1
		case marker && !begun:
			begun = strings.HasPrefix(line, "--- ")
		case ended > 0:
			return ended
		default:
			begun = true
		}
	}
	return 0
}

// orchestrated matches the variables that Kubernetes and Docker inject for a service called payswitch. They are no settings.
var orchestrated = regexp.MustCompile(`^PAYSWITCH_(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_\d+_(TCP|UDP)(_.*)?)?|NAME|ENV_.*)$`)

func (l *loader) environment() {
	k := koanf.New(".")
	err := k.Load(env.Provider("", env.Opt{
		Prefix:      envPrefix,
		EnvironFunc: func() []string { return l.environ },
		TransformFunc: func(name, value string) (string, any) {
			if value == "" || orchestrated.MatchString(name) || slices.Contains(l.referenced, name) {
				return "", nil
			}
			return keyOf(name), value
		},
	}), nil)
	if err != nil {
		l.bad(fmt.Errorf("read environment: %w", err))
		return
	}
	values := k.All()
	for _, key := range slices.Sorted(maps.Keys(values)) {
		f, known := l.fields[key]
		if !known {
			l.bad(fmt.Errorf("environment: %s: unknown variable%s", variableOf(key), l.suggest(key, variableOf)))
		} else if err := l.set(f, key, values[key], false); err != nil {
			l.bad(fmt.Errorf("environment: %s: %w", variableOf(key), err))
		}
	}
}

// keyOf and variableOf translate between PAYSWITCH_SERVER__LISTEN and server.listen.
func keyOf(variable string) string {
	return strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(variable, envPrefix), "__", "."))
}

func variableOf(key string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(key, ".", "__"))
}

func (l *loader) section(key string) bool {
	for k := range l.fields {
		if strings.HasPrefix(k, key+".") {
			return true
		}
	}
	return false
}

func isEmpty(v any) bool {
	m, ok := v.(map[string]any)
	return v == nil || ok && len(m) == 0
}

// set assigns v, a YAML value or a string from the environment, to a field. Its errors never repeat a secret.
func (l *loader) set(f reflect.Value, key string, v any, fromFile bool) error {
	text, isText := v.(string)
	switch {
	case v == nil: // "key:" without a value keeps the default
		return nil
	case f.Type() == secretType:
		s, err := l.secret(key, v, fromFile)
		if err == nil {
			f.Set(reflect.ValueOf(secret.New(s)))
		}
		return err
	case f.Type() == durationType:
		d, err := time.ParseDuration(text)
		if err != nil {
			return problem(key, "%v is not a duration: write a number and its unit, as 5s, 500ms or 2m; a day is 24h", v)
		}
		f.SetInt(int64(d))
	case f.Kind() == reflect.Bool:
		b, isBool := v.(bool)
		if isText && (text == "true" || text == "false") {
			b, isBool = text == "true", true
		}
		if !isBool {
			return problem(key, "%v is neither true nor false", v)
		}
		f.SetBool(b)
	case f.CanInt():
		n, err := strconv.ParseInt(fmt.Sprint(v), 10, f.Type().Bits())
		if err != nil {
			return problem(key, "%v is not a whole number: write digits alone, without a unit", v)
		}
		f.SetInt(n)
	case f.Kind() == reflect.String:
		if !isText {
			return problem(key, "%v is not text: put it in quotes", v)
		}
		f.SetString(text)
	case f.Kind() == reflect.Slice: // of strings
		list, err := textList(v)
		if err != nil {
			return problem(key, "%v", err)
		}
		f.Set(reflect.ValueOf(list))
	default:
		return problem(key, "has a type that cannot be set: %s", f.Type())
	}
	return nil
}

// textList reads a YAML list of texts, or one text with commas. It returns nil for an empty list, as in the defaults.
func textList(v any) ([]string, error) {
	var list []string
	switch v := v.(type) {
	case string:
		for part := range strings.SplitSeq(v, ",") {
			if part = strings.TrimSpace(part); part != "" {
				list = append(list, part)
			}
		}
	case []any:
		for _, item := range v {
			s, ok := item.(string)
			if !ok {
				return nil, fmt.Errorf("%v is not text: put it in quotes", item)
			}
			list = append(list, s)
		}
	default:
		return nil, fmt.Errorf("%v is not a list: write [a, b] or a text with commas", v)
	}
	return list, nil
}

// secret resolves env:NAME and file:/path. It accepts a secret in clear from the environment, but not from the configuration file, which
// people copy, commit and mail. A database address without a password is no secret.
func (l *loader) secret(key string, v any, fromFile bool) (string, error) {
	s, isText := v.(string)
	if !isText {
		return "", problem(key, "is not text: put it in quotes")
	}
	if name, ok := strings.CutPrefix(s, "env:"); ok {
		l.referenced = append(l.referenced, name)
		for _, e := range l.environ {
			if n, value, _ := strings.Cut(e, "="); n == name && value != "" {
				return value, nil
			}
		}
		return "", problem(key, "names the environment variable %s, which is not set", name)
	}
	if path, ok := strings.CutPrefix(s, "file:"); ok {
		b, err := os.ReadFile(path)
		if err != nil {
			return "", problem(key, "names a file that cannot be read: %v", err)
		}
		s := strings.TrimRight(string(b), "\r\n")
		if s == "" {
			return "", problem(key, "names the file %s, which is empty", path)
		}
		if l.secretFiles == nil {
			l.secretFiles = map[string]string{}
		}
		l.secretFiles[key] = path
		return s, nil
	}
	if fromFile && s != "" && (key != "storage.dsn" || hasPassword(s)) {
		return "", problem(key, "must not stand in a file in clear: write env:NAME or file:/path, or set %s", variableOf(key))
	}
	return s, nil
}

func hasPassword(dsn string) bool {
	if strings.HasPrefix(dsn, "sqlite:") {
		return false
	}
	u, err := url.Parse(dsn)
	if err != nil {
		return true // it may hold a password
	}
	_, inUser := u.User.Password()
	return inUser || u.Query().Has("password")
}

// suggest returns a hint with the known key closest to an unknown one: in the form that show gives it, or with the place of the list.
func (l *loader) suggest(key string, show func(string) string) string {
	best, distance := "", len(key)/3+1
	for _, k := range slices.Sorted(maps.Keys(l.fields)) {
		d := nearest.Distance(key, k)
		if last := k[strings.LastIndex(k, ".")+1:]; key[strings.LastIndex(key, ".")+1:] == last {
			d = min(d, distance-1) // the right name in the wrong section
		}
		if d < distance {
			best, distance = k, d
		}
	}
	if best == "" {
		return "; config.yaml of the distribution lists them all"
	}
	return "; did you mean " + show(best) + "?"
}
