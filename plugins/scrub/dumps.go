package scrub

import (
	"regexp"
	"strconv"
	"strings"
)

// leastDump is the smallest number of bytes, as numbers in a row, that may be a dump of a text.
const leastDump = 10

// byteDump returns the part of a run of numbers that holds the decimal codes of a text with a secret: [52 49 49 ...]. Programs write a request's bytes
// like that. Numbers before and after the text, such as a status, do not hide it. to is 0 without such a part.
func (r *reading) byteDump(v *view, run []group) (from, to int) {
	if len(run) < leastDump || r.depth >= maxEncodings {
		return 0, 0
	}
	text := make([]byte, 0, len(run))
	for i := 0; i <= len(run); i++ {
		if i < len(run) {
			if code, ok := codeOf(v.text[run[i].start:run[i].end]); ok {
				text = append(text, code)
				continue
			}
		}
		if len(text) >= leastDump && r.holds(string(text)) {
			return i - len(text), i
		}
		text = text[:0]
	}
	return 0, 0
}

// codeOf returns the byte with a decimal code. ok is false for the codes of control characters that no text holds.
func codeOf(digits string) (code byte, ok bool) {
	if len(digits) > 3 {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n > 0xFF || IsControl(byte(n)) {
		return 0, false
	}
	return byte(n), true
}

// hexDump matches the bytes of a text as Go and C write them: 0x34, 0x31.
var hexDump = regexp.MustCompile(`(?:0[xX][0-9a-fA-F]{2}[,\s]{0,8}){10,}`)

// hexRow matches a line of hexdump or xxd: its place, its bytes, and its characters.
var hexRow = regexp.MustCompile(`(?:^|\n)[0-9a-fA-F]{8}:?[ \t]+((?:(?:[0-9a-fA-F]{2}){1,2}[ \t]{1,2}){1,16})[^\n]{0,40}`)

// indexed matches the members of a text or a list that a program took for an object: "0":52,"1":49 or "0":"4","1":"1".
var (
	indexed = regexp.MustCompile(`(?:"[0-9]{1,5}"\s{0,8}:\s{0,8}(?:[0-9]{1,3}|"[^"\\]")\s{0,8},?\s{0,8}){10,}`)
	member1 = regexp.MustCompile(`:\s*([0-9]{1,3}|"[^"\\]")`)
)

// dumped masks dumps of a text with a secret, whose bytes stand apart from each other. It looks for rare bytes first,
// which is quick.
func (r *reading) dumped(v *view) {
	t := v.text
	if hexBytes(t, 'x') >= leastDump || hexBytes(t, 'X') >= leastDump {
		for _, at := range hexDump.FindAllStringIndex(t, -1) {
			if r.holds(unhexed(hexDigits.Replace(t[at[0]:at[1]]))) {
				v.blank(at[0], at[1])
			}
		}
	}
	if strings.Contains(t, "00000010") {
		var text strings.Builder
		all := hexRow.FindAllStringSubmatchIndex(t, -1)
		for _, m := range all {
			text.WriteString(unhexed(hexDigits.Replace(t[m[2]:m[3]])))
		}
		if len(all) > 0 && r.holds(text.String()) {
			v.blank(all[0][2], all[len(all)-1][1])
		}
	}
	if !strings.Contains(t, `9"`) || !strings.Contains(t, `8"`) || !strings.Contains(t, `"9"`) || !strings.Contains(t, `"8"`) {
		return
	}
	for _, at := range indexed.FindAllStringIndex(t, -1) {
		all := member1.FindAllStringSubmatchIndex(t[at[0]:at[1]], -1)
		text := make([]byte, 0, len(all))
		for _, m := range all {
			value := t[at[0]+m[2] : at[0]+m[3]]
			if value[0] == '"' {
				text = append(text, value[1:len(value)-1]...)
			} else if code, ok := codeOf(value); ok {
				text = append(text, code)
			} else {
				text = append(text, 0)
			}
		}
		if !r.holds(string(text)) {
			continue
		}
		for _, m := range all {
			start, end := at[0]+m[2], at[0]+m[3]
			if t[start] == '"' {
				v.put(start+1, end-1, "*")
			} else {
				v.put(start, end, "0")
			}
		}
	}
}

// hexBytes counts 0x, or 0X.
func hexBytes(t string, x byte) (n int) {
	for {
		i := strings.IndexByte(t, x)
		if i < 0 {
			return n
		}
		if i > 0 && t[i-1] == '0' {
			n++
		}
		t = t[i+1:]
	}
}

var hexDigits = strings.NewReplacer("0x", "", "0X", "", ",", "", " ", "", "\t", "", "\r", "", "\n", "")

// maxHexDump is the distance from a number in a dump of hexadecimal bytes within which the rest of the dump is masked.
const maxHexDump = 1024

// hexBytesAround returns the edit that blanks the dump of hexadecimal bytes around a run: 34 31, 34:31.
func hexBytesAround(t string, run []group) (start, end int, text string) {
	start, end = run[0].start, run[len(run)-1].end
	isDump := func(c byte) bool { return isHex(c) || strings.IndexByte(" :\t\r\n", c) >= 0 }
	for low := max(0, start-maxHexDump); start > low && isDump(t[start-1]); {
		start--
	}
	for high := min(len(t), end+maxHexDump); end < high && isDump(t[end]); {
		end++
	}
	return start, end, Blanked
}

// serialized matches what PHP's serialize writes before a value.
var serialized = regexp.MustCompile(`["';](?:s:[34]:\\*"|i:)$`)

// Limits of the text between the name of a CVC's field and a CVC that follows it without a mark.
const (
	maxCodeGlue  = 16
	maxCodeNames = 3 // "card security code"
)

// spoken masks three or four digits that follow the name of a CVC's field, as sentences and some languages write them: security code 737,
// :cvc "737", {cvc,<<"737">>}.
func (r *reading) spoken(v *view, g group) {
	t := v.text
	if n := g.end - g.start; n != 3 && n != 4 || g.start == 0 || isWord(t[g.start-1]) || g.end < len(t) && isWord(t[g.end]) ||
		g.end+1 < len(t) && strings.IndexByte(".-/", t[g.end]) >= 0 && t[g.end+1]-'0' <= 9 { // a fraction, a date
		return
	}
	end := g.start
	low := max(0, end-maxCodeGlue)
	if near := t[low:end]; strings.HasSuffix(near, "i:") || strings.Contains(near, ";s:") {
		if m := serialized.FindStringIndex(near); m != nil {
			end = low + m[0] + 1
		}
	}
	for end > low && strings.IndexByte(" \"'`\\<>([{,:;", t[end-1]) >= 0 {
		end--
	}
	if end == g.start || end == low {
		return
	}
	for _, word := range [...]string{"is", "was", "equals"} {
		if before, ok := strings.CutSuffix(t[max(0, end-8):end], word); ok && t[end] == ' ' && strings.HasSuffix(before, " ") {
			end -= len(word)
			for end > 0 && (t[end-1] == ' ' || t[end-1] == '"' || t[end-1] == '\'') {
				end--
			}
			break
		}
	}
	var room [maxFieldName]byte
	from := end
	for range maxCodeNames {
		for from > 0 && (isAlphanumeric(t[from-1]) || t[from-1] == '_' || t[from-1] == '-') && end-from < maxFieldName {
			from--
		}
		if from == end {
			return
		}
		if r.kindOf(AppendFolded(room[:0], t[from:end]), func() string { return "" }) == fieldCVC {
			start, stop := v.place(g.start, g.end)
			if n := len(v.fields); n > 0 && v.fields[n-1].end > start && v.fields[n-1].start < stop {
				return // the field's mark has led to it
			}
			r.blankCode(v, g.start, g.start, g.end, true)
			return
		}
		if from < 2 || t[from-1] != ' ' || !isAlphanumeric(t[from-2]) {
			return
		}
		from--
	}
}

// IsControl reports whether c is a control character that no text holds. Separators of records (0x1C to 0x1F) and escapes are in some texts.
func IsControl(c byte) bool { return c < ' ' && controls[c] }

var controls = [' ']bool{0: true, 1: true, 2: true, 3: true, 4: true, 5: true, 6: true, 7: true, 8: true, 0x0E: true, 0x0F: true, 0x10: true, 0x11: true,
	0x12: true, 0x13: true, 0x14: true, 0x15: true, 0x16: true, 0x17: true, 0x18: true, 0x19: true, 0x1A: true}
