package plugins

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"mime"
	"regexp"
	"strings"

	"payswitch/plugins/scrub"
	"payswitch/sdk"
)

// failUnreadable is the failure of an answer in whose bytes the host cannot look for secrets. The request has arrived.
const failUnreadable = "unreadable"

// identity is the only content encoding that the host asks for and accepts.
const identity = "identity"

// readable turns an answer into a failure where its bytes are not the text itself: compressed, or in a charset whose digits are not those of
// ASCII. The host could not mask such an answer, but the guest could decode it.
func readable(a answer) answer {
	if a.failure != "" {
		return a
	}
	why := unreadable(a.headers, a.body)
	if why == "" {
		return a
	}
	return answer{sent: true, failure: failUnreadable, err: fmt.Errorf("the host cannot search the answer for secrets: %s; "+
		"the processor must answer without compression in UTF-8 or another charset that extends ASCII", why)}
}

// unreadable returns the reason why the host cannot read an answer, "" if it can.
func unreadable(headers []sdk.Header, body []byte) string {
	for i := range headers {
		name, value := headers[i].Name, headers[i].Value
		switch {
		case strings.EqualFold(name, "Content-Encoding"), strings.EqualFold(name, "Transfer-Encoding"):
			for encoding := range strings.SplitSeq(value, ",") {
				if e := strings.ToLower(strings.TrimSpace(encoding)); e != "" && e != identity && e != "chunked" {
					return fmt.Sprintf("%s %.40q", name, value)
				}
			}
		case strings.EqualFold(name, "Content-Range"):
			return "a part of a document"
		case strings.EqualFold(name, "Content-Type"):
			if charset, ok := charsetOf(value); !ok || !readableCharset(charset) {
				return fmt.Sprintf("Content-Type %.80q", value)
			}
		}
	}
	return unreadableBody(body)
}

// charsetOf returns the charset that a Content-Type names, "" where it names none. ok is false if the header is malformed.
func charsetOf(contentType string) (charset string, ok bool) {
	lower := strings.ToLower(contentType)
	if !strings.Contains(lower, "charset") {
		return "", true
	}
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil || params["charset"] == "" {
		rest := strings.Trim(lower[strings.Index(lower, "charset")+len("charset"):], " =\"';,") // some servers write it this way
		return rest, rest != ""
	}
	return strings.ToLower(params["charset"]), true
}

// singleByte are charsets in which every byte below 0x80 is the ASCII character.
var singleByte = regexp.MustCompile(`^(iso[-_]?8859[-_]\d{1,2}|latin-?\d|l\d|windows-?125\d|cp-?125\d|x-cp125\d|us-?ascii|ascii|ansi_x3\.4-19\d\d)$`)

func readableCharset(charset string) bool {
	switch charset {
	case "", "utf-8", "utf8", "unicode-1-1-utf-8", "utf-8-sig":
		return true
	}
	return singleByte.MatchString(charset)
}

// magics are the beginnings of compressed data.
var magics = []string{"\x1f\x8b", "\x28\xb5\x2f\xfd", "PK\x03\x04", "BZh", "\xfd7zXZ", "\x04\x22\x4d\x18", "\x1f\x9d", "\x1f\xa0", "7z\xbc\xaf"}

// xmlEncoding is the charset that an XML document declares.
var xmlEncoding = regexp.MustCompile(`^\s*<\?xml[^>]{0,100}?encoding\s*=\s*["']([^"']{1,40})["']`)

// In a text at most one of binaryShare bytes is a control character. In compressed data every tenth byte is.
const binaryShare = 50

func unreadableBody(body []byte) string {
	for _, m := range magics {
		if bytes.HasPrefix(body, []byte(m)) {
			return "compressed data"
		}
	}
	if bytes.HasPrefix(body, []byte("\xff\xfe")) || bytes.HasPrefix(body, []byte("\xfe\xff")) || bytes.HasPrefix(body, []byte("\x00\x00\xfe\xff")) {
		return "a byte order mark of UTF-16 or UTF-32"
	}
	text := bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	if bytes.HasPrefix(bytes.TrimLeft(text[:min(len(text), 64)], " \t\r\n"), []byte("<?xml")) {
		if m := xmlEncoding.FindSubmatch(text[:min(len(text), 300)]); m != nil && !readableCharset(strings.ToLower(string(m[1]))) {
			return fmt.Sprintf("XML in %.40q", m[1])
		}
	}
	controls := 0
	for i := 0; i < len(body); {
		if i+8 <= len(body) {
			if x := binary.LittleEndian.Uint64(body[i:]); (x-0x2020202020202020)&^x&0x8080808080808080 == 0 { // none of the eight is below a space
				i += 8
				continue
			}
		}
		if c := body[i]; scrub.IsControl(c) {
			controls++
		}
		i++
	}
	if controls*binaryShare > len(body) {
		return "binary data"
	}
	return ""
}
