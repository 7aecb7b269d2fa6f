package scrub

import (
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"

	"payswitch/sdk"
)

// fieldKind is the meaning of a field's name for its value.
// Values of Placement.Secret that name no credential field.
const (
	SecretNumber = "card_number"
	SecretCVC    = "cvc"
	SecretCAVV   = "cavv"
	SecretToken  = "access_token"
	SecretBody   = "body"
)

// CardData reports whether a placement's secret is card data.
func CardData(secret string) bool {
	return secret == SecretNumber || secret == SecretCVC || secret == SecretCAVV
}

type fieldKind byte

const (
	fieldOther    fieldKind = iota
	fieldCVC                // three or four digits are masked, whatever their form
	fieldSecret             // the whole value is masked, whatever it is
	fieldScheme             // as fieldSecret, after the name of a scheme: Bearer …
	fieldNamed              // the value is the name of a field, whose value follows
	fieldGeneric            // the name means nothing without its parent's name
	fieldReported           // the value of a field whose name stands next to it
	fieldNumber             // the name looks like an id, but the manifest sends card numbers under it
)

// cvcNames are the names of fields that hold a CVC, folded.
var cvcNames = []string{"cvc", "cvv", "cvv2", "cvc2", "cvn", "cvn2", "cid", "csc", "cvd", "ccv", "cav2", "cardcvc", "cardcvv", "cardcvv2", "cardcvc2", "cardcvn", "cardcid", "cardcsc", "cardcvd",
	"cccvc", "cccvv", "cccvv2", "cccsc", "cvccode", "cvvcode", "cvv2code", "csccode", "cvcnumber", "cvvnumber", "cvvvalue", "cvcvalue", "cvdvalue", "cvddata", "securitycode", "cardsecurity",
	"cardsecuritycode", "securitynumber", "securityvalue", "cardcode", "xcardcode", "cardcodevalue", "verificationvalue", "cardverification", "cardverificationvalue", "cardverificationcode",
	"cardverificationnumber", "cardverificationdata", "cardvalidationcode", "cardvalidationvalue", "cardvalidationnumber", "cardidentificationcode"}

// secretNames are the names of fields that hold a credential, folded.
var secretNames = []string{"password", "passwd", "pwd", "passphrase", "userpassword", "merchantpassword", "apipassword", "loginpassword", "secret", "apisecret", "appsecret", "sharedsecret", "merchantsecret",
	"secretkey", "apikey", "apisecretkey", "xapikey", "apiaccesskey", "accesskey", "secretaccesskey", "securitykey", "transactionkey", "merchantkey", "privatekey", "signingkey", "hmackey", "encryptionkey",
	"subscriptionkey", "ocpapimsubscriptionkey", "authkey", "xauthkey"}

// genericNames mean nothing without the name of the object that holds the field.
var genericNames = []string{"value", "code", "number", "id", "data", "key", "name", "type", "text", "token", "user", "username", "login", "auth", "hash", "body", "content", "field", "param", "item", "info", "payload"}

// nameNames are the names of fields that hold the name of another field: {"name":"cvc","value":"737"}.
var nameNames = []string{"name", "key", "field", "fieldname", "param", "parameter", "attribute", "label"}

// reportedNames are the names of fields that hold another field's value; the text around names it: {"value":"737","param":"cvc"}.
var reportedNames = []string{"value", "input", "inputvalue", "invalidvalue", "rejectedvalue", "attemptedvalue", "actualvalue", "received", "actual", "given"}

var fixedNames = func() *Names {
	n := newNames()
	for kind, all := range map[fieldKind][]string{fieldCVC: cvcNames, fieldSecret: secretNames, fieldScheme: {"authorization", "proxyauthorization"}, fieldNamed: nameNames, fieldReported: reportedNames} {
		for _, name := range all {
			n.add(name, kind)
		}
	}
	return n
}()

// Names are folded names of fields with their meanings.
type Names struct {
	kinds map[string]fieldKind
	ends  [32768 / 64]uint64 // a set of the names' ends, to skip most fields at once
}

func newNames() *Names { return &Names{kinds: make(map[string]fieldKind)} }

func (n *Names) add(name string, kind fieldKind) {
	n.kinds[name] = kind
	h := nameEnd(name)
	n.ends[h/64] |= 1 << (h % 64)
}

func (n *Names) mayHold(h int) bool { return n.ends[h/64]&(1<<(h%64)) != 0 }

// nameEnd returns a number for the last three characters of a folded name, and 0 for a shorter name.
func nameEnd[T string | []byte](name T) int {
	n := len(name)
	if n < 3 {
		return 0
	}
	return endOf(name[n-3], name[n-2], name[n-1])
}

func endOf(a, b, c byte) int { return int(c&31) | int(b&31)<<5 | int(a&31)<<10 }

// NamesOf returns the names of the fields under which a manifest sends CVCs and credentials. An echo uses the same names.
func NamesOf(m *sdk.Manifest) *Names {
	n := newNames()
	public := func(name string) bool { // a merchant's code at the processor, say: messages name it, and signatures cover it
		return slices.ContainsFunc(m.Credentials, func(f sdk.Field) bool { return f.Name == name && f.Type == "text" })
	}
	for _, p := range slices.Concat(m.Authentication, m.Placements) {
		kind := fieldSecret
		switch {
		case p.Secret == SecretCVC:
			kind = fieldCVC
		case p.Secret == SecretNumber:
			if all := foldedSegments(p.Field); len(all) > 0 && saysID(all[len(all)-1]) {
				n.add(all[len(all)-1], fieldNumber)
			}
			continue
		case CardData(p.Secret) || p.Secret == SecretBody || p.Secret == SecretToken || p.In == sdk.InResponse || p.In == sdk.InTLS || p.In == sdk.InPath ||
			public(p.Secret):
			continue
		}
		segments := foldedSegments(p.Field)
		if len(segments) == 0 {
			continue
		}
		last := segments[len(segments)-1]
		switch {
		case fixedNames.kinds[last] == fieldScheme:
		case !slices.Contains(genericNames, last):
			n.add(last, kind)
		case len(segments) > 1:
			n.add(segments[len(segments)-2]+"."+last, kind)
			if _, ok := n.kinds[last]; !ok {
				n.add(last, fieldGeneric)
			}
		}
	}
	return n
}

// foldedSegments returns the folded names of a field's path: card[cvc], card.cvc, request/card.@cvc.
func foldedSegments(field string) (all []string) {
	for s := range strings.FieldsFuncSeq(field, func(r rune) bool { return strings.ContainsRune(".[]/@:", r) }) {
		if s = Folded(s); s != "" {
			all = append(all, s)
		}
	}
	return all
}

// kindOf returns the meaning of a folded name. It calls parent only if the meaning depends on the parent.
func (r *reading) kindOf(name []byte, parent func() string) fieldKind {
	h := nameEnd(name)
	kind := fieldOther
	if fixedNames.mayHold(h) {
		kind = fixedNames.kinds[string(name)]
	}
	if r.names == nil || !r.names.mayHold(h) {
		return kind
	}
	declared := r.names.kinds[string(name)]
	if declared == fieldGeneric {
		declared = r.names.kinds[parent()+"."+string(name)]
	}
	if declared != fieldOther {
		return declared
	}
	return kind
}

// Limits of the distance around a mark in which a field is searched.
const (
	maxFieldName  = 64
	maxFieldTag   = 160
	maxFieldOuter = 1024
	maxFieldValue = 16 << 10
	maxPairGap    = 64
)

// fields masks the values of all fields with the name of a secret.
func (r *reading) fields(v *view) {
	v.fields, v.schemeEnd = nil, 0
	for i := 0; i < len(v.text); i++ {
		switch kinds[v.text[i]] {
		case kindMark:
			if !r.isOtherMember(v.text, i) {
				r.field(v, i)
			}
		case kindDigit:
			g := group{i, i + 1}
			for g.end < len(v.text) && v.text[g.end]-'0' <= 9 {
				g.end++
			}
			r.spoken(v, g)
			i = g.end - 1
		}
	}
}

// isOtherMember reports whether a mark follows the name of a JSON member with an end that no secret's name has. Most marks are such marks.
func (r *reading) isOtherMember(t string, at int) bool {
	if at <= 3 || t[at] != ':' || t[at-1] != '"' || !isAlphanumeric(t[at-2]) || !isAlphanumeric(t[at-3]) || !isAlphanumeric(t[at-4]) {
		return false
	}
	h := endOf(t[at-4], t[at-3], t[at-2])
	return !fixedNames.mayHold(h) && (r.names == nil || !r.names.mayHold(h))
}

// field masks the value of a field at its mark: "cvc":"737", cvc=737, <cvc>737</cvc>, cvc => 737.
func (r *reading) field(v *view, at int) {
	t := v.text
	start, end, element := fieldNameAt(t, at)
	if start >= end {
		return
	}
	var room [maxFieldName]byte
	name := AppendFolded(room[:0], t[start:end])
	parent := func() string { return parentOf(t, start, element) }
	kind := r.kindOf(name, parent)
	for from, words := start, 0; kind == fieldOther && words < 2 && from > 1 && t[from-1] == ' ' && isAlphanumeric(t[from-2]); words++ { // "card security code"
		from--
		for from > 0 && isAlphanumeric(t[from-1]) && end-from < maxFieldName {
			from--
		}
		kind = r.kindOf(AppendFolded(room[:0], t[from:end]), parent)
	}
	if kind == fieldOther || kind == fieldGeneric || kind == fieldNumber || kind == fieldScheme && at < v.schemeEnd {
		return
	}
	from, to, quoted := fieldValueAt(t, at, element, kind == fieldScheme)
	if from >= to && kind != fieldCVC {
		return
	}
	switch value := t[from:to]; kind {
	case fieldCVC:
		if i := strings.IndexFunc(value, func(r rune) bool { return r < 0x80 && !isAlphanumeric(byte(r)) && r != '=' }); i > 0 && !quoted {
			if rest := value[i:]; len(rest) > 1 && rest[0] == '.' && rest[1]-'0' <= 9 && v.isNumber(from) {
				if strings.Trim(rest[1:], "0") == "" && isCodeNumber(value[:i]) { // 737.0
					r.blankCode(v, at, from, to, false)
				}
				return // a number with a fraction
			}
			value, to = value[:i], from+i
		}
		switch {
		case IsShortCode(strings.TrimSpace(value)) || isCodeNumber(value) && v.isNumber(from):
			r.blankCode(v, at, from, to, quoted || element)
		case !quoted && !element:
			if m := wrappedCode.FindStringSubmatchIndex(t[at+1 : min(len(t), at+1+maxPairGap)]); m != nil {
				r.blankCode(v, at, at+1+m[2], at+1+m[3], true)
			}
		}
	case fieldReported:
		if IsShortCode(strings.TrimSpace(value)) && (r.kindOf([]byte(parent()), func() string { return "" }) == fieldCVC || r.besideCode(t, start, to)) {
			r.blankCode(v, at, from, to, quoted || element)
		}
	case fieldNamed:
		segments := foldedSegments(value) // card.cvc
		if len(segments) == 0 {
			return
		}
		if fold := segments[len(segments)-1]; fixedNames.kinds[fold] == fieldCVC || r.names != nil && r.names.kinds[fold] == fieldCVC {
			r.pair(v, to)
		}
	case fieldScheme:
		v.schemeEnd = to
		if _, credential, ok := strings.Cut(value, " "); ok {
			r.blankSecret(v, to-len(credential), to, quoted)
		}
	default:
		if named := strings.TrimRight(t[:at], " \t"); !quoted && t[at] == ':' && strings.HasSuffix(named, `"`) && !v.isNumber(from) {
			return // a quoted word and a colon within a text
		}
		r.blankSecret(v, from, to, quoted || element)
	}
}

// wrappedCode matches a CVC in what programs write around a value: u'737', Decimal('737'), Some("737"), string(3) "737", rejected value [737].
var wrappedCode = regexp.MustCompile(`^(?:\s|\\[rn])*(?:(?:rejected )?[A-Za-z]\w{0,20}(?:\([0-9]{0,2}\))? ?[(\["'\\]{1,8}|!!?[a-z]{1,8} |[|>]-?(?:\s|\\[rn]){1,8})([0-9]{3,4})(?:[^0-9A-Za-z_.]|$)`)

// isCodeNumber reports whether a number may be a CVC that lost its leading zeros.
func isCodeNumber(s string) bool { return len(s) <= 4 && isDigits(s) && s != "0" }

// maxBeside is the distance around a value in which the name of its field is searched.
const maxBeside = 200

// besideCode reports whether the object or element around a field holds the name of a CVC's field as a separate text; or at the end of a path:
// "cvc", "card.cvc". The names of other fields do not count.
func (r *reading) besideCode(t string, start, end int) bool {
	low, to := max(0, start-maxBeside), min(len(t), end+maxBeside)
	low += strings.LastIndexAny(t[low:start], "{}<") + 1
	if i := strings.IndexAny(t[end:to], "{}>"); i >= 0 {
		to = end + i
	}
	isName := func(c byte) bool { return isAlphanumeric(c) || c == '_' || c == '-' }
	for i := low; i < to; {
		if !isName(t[i]) {
			i++
			continue
		}
		from := i
		for i < to && isName(t[i]) {
			i++
		}
		if from == 0 || i-from > maxFieldName || strings.IndexByte("\"'./[", t[from-1]) < 0 {
			continue
		}
		rest := strings.TrimLeft(t[i:min(len(t), i+8)], "]\\")
		if rest == "" || rest[0] != '"' && rest[0] != '\'' || strings.HasPrefix(strings.TrimLeft(rest[1:], " "), ":") {
			continue
		}
		var room [maxFieldName]byte
		if r.kindOf(AppendFolded(room[:0], t[from:i]), func() string { return "" }) == fieldCVC {
			return true
		}
	}
	return false
}

// blankCode removes a whole CVC. Outside a JSON string the CVC becomes 0.
func (r *reading) blankCode(v *view, mark, start, end int, quoted bool) {
	with := ""
	if !quoted && v.text[mark] == ':' || v.isNumber(start) {
		with = "0"
	}
	r.known = true
	v.putField(start, end, with)
}

// pair masks three or four digits in a separate value that follows the name of a field.
func (r *reading) pair(v *view, from int) {
	t := v.text
	for i := from; i < min(len(t), from+maxPairGap); i++ {
		if t[i] == '}' || t[i] == '{' || t[i] == '*' {
			return
		}
		if t[i]-'0' > 9 {
			continue
		}
		end := i
		for end < len(t) && t[end]-'0' <= 9 {
			end++
		}
		if n := end - i; (n == 3 || n == 4) && !isWord(t[i-1]) && (end == len(t) || !isWord(t[end])) {
			r.blankCode(v, from, i, end, !v.isNumber(i))
		}
		return
	}
}

func (r *reading) blankSecret(v *view, start, end int, quoted bool) {
	value := v.text[start:end]
	switch {
	case start > 0 && v.text[start-1] == '[' && "["+value+"]" == Blanked:
		return
	case value == "null" || value == "true" || value == "false" || value == Blanked || strings.Trim(value, "*") == "":
		return
	case r.isStandIn != nil && r.isStandIn(value):
		return
	case !quoted && v.isNumber(start) && strings.IndexByte("{[-0123456789", value[0]) < 0:
		return
	}
	if value[0] == '{' || value[0] == '[' {
		return
	}
	r.known = true
	v.putField(v.blankOf(start, end))
}

// fieldNameAt returns the name of the field before a mark. element is true for an element of XML.
func fieldNameAt(t string, at int) (start, end int, element bool) {
	end = at
	if t[at] == '>' {
		if at == 0 {
			return 0, 0, false
		}
		if t[at-1] != '=' && t[at-1] != '-' { // the mark is not => or ->
			low := max(0, at-maxFieldTag)
			i := strings.LastIndexByte(t[low:at], '<')
			if i < 0 {
				return 0, 0, false
			}
			start = low + i + 1
			tag := t[start:at]
			if tag == "" || strings.IndexByte("/!?", tag[0]) >= 0 || tag[len(tag)-1] == '/' {
				return 0, 0, false
			}
			if i := strings.IndexAny(tag, " \t\r\n"); i >= 0 {
				tag = tag[:i]
			}
			end = start + len(tag)
			return start + strings.LastIndexByte(tag, ':') + 1, end, true
		}
		end--
	}
	quoted := false
	for end > 0 {
		switch t[end-1] {
		case '"', '\'':
			quoted = true
		case ' ', '\t', '\\', ']':
		default:
			goto found
		}
		end--
	}
found:
	start = end
	for start > 0 && end-start < maxFieldName {
		c := t[start-1]
		if !isAlphanumeric(c) && c != '_' && c != '-' && c != '$' && (c != ' ' || !quoted) {
			break
		}
		start--
	}
	return start, end, false
}

// fieldValueAt returns the value after a mark, without its quotes.
func fieldValueAt(t string, at int, element, spaces bool) (start, end int, quoted bool) {
	t = t[:min(len(t), at+maxFieldValue)]
	start = at + 1
	if element {
		start += len(t[start:]) - len(strings.TrimLeft(t[start:], " \t\r\n"))
		if rest, ok := strings.CutPrefix(t[start:], "<![CDATA["); ok {
			start = len(t) - len(rest)
			end = start + max(0, strings.Index(rest, "]]>"))
			return start, end, true
		}
		if end = strings.IndexByte(t[start:], '<'); end < 0 {
			return start, start, false
		}
		return start, start + len(strings.TrimRight(t[start:start+end], " \t\r\n")), false
	}
	escaped := false
	quote := byte(0)
	for ; start < len(t); start++ {
		switch c := t[start]; c {
		case '"', '\'':
			quoted, quote = true, c
		case '\\':
			escaped = !quoted || escaped
		case '[', ' ', '\t', '\r', '\n', '>':
			if quoted {
				goto found
			}
		default:
			goto found
		}
	}
found:
	for end = start; end < len(t); end++ {
		c := t[end]
		switch {
		case quoted && !escaped && c == '\\':
			end++
		case quoted && (c == quote || escaped && c == '\\'):
			return start, end, quoted
		case !quoted && (strings.IndexByte(",&;}]\"'<>|)\\\r\n", c) >= 0 || c == ' ' && !spaces || c == '\t'):
			return start, end, quoted
		}
	}
	return start, min(end, len(t)), quoted
}

// parentOf returns the folded name of the object around the field whose name begins at start.
func parentOf(t string, start int, element bool) string {
	low := max(0, start-maxFieldOuter)
	if element {
		depth := 0
		for i := start - 2; i >= low; i-- { // before the field's own tag
			if t[i] != '<' || i+1 >= len(t) {
				continue
			}
			switch {
			case t[i+1] == '/':
				depth++
			case depth > 0:
				depth--
			default:
				tag := t[i+1 : start]
				if j := strings.IndexAny(tag, " \t\r\n>/"); j >= 0 {
					tag = tag[:j]
				}
				return Folded(tag[strings.LastIndexByte(tag, ':')+1:])
			}
		}
		return ""
	}
	if start > 0 && strings.IndexByte("[./", t[start-1]) >= 0 {
		end := start - 1
		for end > low && t[end-1] == ']' {
			end--
		}
		begin := end
		for begin > low && (isAlphanumeric(t[begin-1]) || t[begin-1] == '_' || t[begin-1] == '-') {
			begin--
		}
		return Folded(t[begin:end])
	}
	depth := 0
	for i := start - 1; i >= low; i-- {
		switch t[i] {
		case '}', ']':
			depth++
		case '[':
			depth = max(0, depth-1)
		case '{':
			if depth > 0 {
				depth--
				continue
			}
			for i > low && strings.IndexByte("{[ \t\r\n", t[i]) >= 0 {
				i--
			}
			if t[i] != ':' {
				return ""
			}
			begin, end, _ := fieldNameAt(t, i)
			return Folded(t[begin:end])
		}
	}
	return ""
}

// IsShortCode reports whether a value is three or four digits, plain or in base64 or hexadecimal.
func IsShortCode(s string) bool {
	switch n := len(s); n {
	case 3, 4, 6, 8:
		if n < 6 && isDigits(s) {
			return true
		}
		if n >= 6 && s[0] == '3' {
			if b, err := hex.DecodeString(s); err == nil && isDigits(string(b)) {
				return true
			}
		}
		if s[0] < 'M' || s[0] > 'O' {
			return false
		}
		trimmed := strings.TrimRight(s, "=")
		b, err := base64.RawStdEncoding.DecodeString(trimmed)
		return err == nil && (len(b) == 3 || len(b) == 4) && isDigits(string(b))
	}
	return false
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i]-'0' > 9 {
			return false
		}
	}
	return s != ""
}
