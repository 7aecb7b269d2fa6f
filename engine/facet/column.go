package facet

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"
	"sort"
	"strings"
)

// List is a list that columns make quick. The values are stored.
type List int

// Lists have their blocks apart. The numbers 0 to 2 stood for lists whose hashes had 32 bits. An earlier release that runs during an upgrade keeps
// using its own blocks.
const (
	Payments List = iota + 3
	Refunds
	Disputes
)

// String returns the name of a list for logs.
func (l List) String() string { return [...]string{"payments", "refunds", "disputes"}[l-Payments] }

// Kind is what a column holds. The values are stored. A list leaves kinds empty that it does not filter by: an empty column takes a few bytes.
type Kind int

// Numbers come first, then words.
const (
	Created  Kind = iota // Unix milliseconds
	Seq                  // listed.Place.Seq
	Amount               // minor units
	Attempts             // number of attempts
	LastFour             // digits of the card, -1 without a card
	Order                // OrderHash of the order reference, 0 without one
	Email                // Deps.Email: a keyed hash of the customer's e-mail address, 0 without one
	Status
	Currency
	Connector
	Account
	Profile
	Method
	MethodType
	Authentication
	Network
	Discovery
	Stage  // of a dispute
	Reason // of a dispute

	firstWord = Status
	numbers   = int(firstWord)
	words     = int(Reason-firstWord) + 1
	kinds     = numbers + words
)

// Column is one column of a block as stores keep it.
type Column struct {
	Kind          Kind
	Block         int64 // 0, 1, 2 … in the order of time
	Summary, Data []byte
}

// ErrSpoiled is the error of a column that this package did not write.
var ErrSpoiled = errors.New("the columns of lists are damaged; payswitch makes them again")

// mostRows bounds the payments of a block, so that a damaged number takes no memory. Payments that are inserted long after their time make a block grow:
// one that is larger is made again, in parts.
const mostRows = 1 << 20

// encodeNumbers writes the least and the greatest value into the summary. It writes the values in as few bytes each as hold their difference to the least.
func encodeNumbers(values []int64) (summary, data []byte) {
	low, high := slices.Min(values), slices.Max(values)
	summary = binary.AppendVarint(binary.AppendVarint(binary.AppendUvarint(nil, uint64(len(values))), low), high)
	width := widthOf(low, high)
	data = make([]byte, 0, width*len(values))
	var b [8]byte
	for _, v := range values {
		binary.LittleEndian.PutUint64(b[:], uint64(v)-uint64(low))
		data = append(data, b[:width]...)
	}
	return summary, data
}

func widthOf(low, high int64) int { return (bits.Len64(uint64(high)-uint64(low)) + 7) / 8 }

// numberColumn are the values of a column of numbers.
type numberColumn struct {
	n         int
	low, high int64
	width     int
	data      []byte
}

func numberSummary(summary []byte) (c numberColumn, err error) {
	n, a := binary.Uvarint(summary)
	if a <= 0 || n == 0 || n > mostRows {
		return c, ErrSpoiled
	}
	low, b := binary.Varint(summary[a:])
	if b <= 0 {
		return c, ErrSpoiled
	}
	high, d := binary.Varint(summary[a+b:])
	if d <= 0 || high < low {
		return c, ErrSpoiled
	}
	return numberColumn{n: int(n), low: low, high: high, width: widthOf(low, high)}, nil
}

func decodeNumbers(c Column) (numberColumn, error) {
	out, err := numberSummary(c.Summary)
	if err != nil || len(c.Data) != out.n*out.width {
		return out, ErrSpoiled
	}
	out.data = c.Data
	return out, nil
}

// raw returns a value as it is stored: its difference to the least.
func (c *numberColumn) raw(i int) uint64 {
	at := i * c.width
	if at+8 <= len(c.data) {
		return binary.LittleEndian.Uint64(c.data[at:]) & (1<<(8*c.width) - 1)
	}
	var last [8]byte // no bytes follow
	copy(last[:c.width], c.data[at:])
	return binary.LittleEndian.Uint64(last[:])
}

// at returns a value.
func (c *numberColumn) at(i int) int64 {
	if c.width == 0 {
		return c.low
	}
	return c.low + int64(c.raw(i))
}

// within returns the numbers of the payments whose value is in a range. It compares what is stored, because it runs over all payments of a merchant.
func (c *numberColumn) within(b bounds) []int32 {
	if b.low > b.high || b.low > c.high || b.high < c.low {
		return nil
	}
	first := uint64(max(b.low, c.low)) - uint64(c.low)
	size := uint64(min(b.high, c.high)) - uint64(c.low) - first
	out, mask := make([]int32, 0, 64), uint64(1)<<(8*c.width)-1
	i := 0
	for at := 0; i < c.n && at+8 <= len(c.data); i, at = i+1, at+c.width {
		if binary.LittleEndian.Uint64(c.data[at:])&mask-first <= size {
			out = append(out, int32(i))
		}
	}
	for ; i < c.n; i++ {
		if c.raw(i)-first <= size {
			out = append(out, int32(i))
		}
	}
	return out
}

// encodeWords writes the values with their counts into the summary, sorted. It writes for each payment the number of its value in as few bits as hold it.
func encodeWords(values []string) (summary, data []byte) {
	count := map[string]int{}
	for _, v := range values {
		count[v]++
	}
	list := make([]string, 0, len(count))
	for v := range count {
		list = append(list, v)
	}
	sort.Strings(list)
	code := make(map[string]uint32, len(list))
	summary = binary.AppendUvarint(binary.AppendUvarint(nil, uint64(len(values))), uint64(len(list)))
	for i, v := range list {
		code[v] = uint32(i)
		summary = binary.AppendUvarint(append(binary.AppendUvarint(summary, uint64(len(v))), v...), uint64(count[v]))
	}
	size := bitsOf(len(list))
	data = make([]byte, (len(values)*size+7)/8)
	for i, v := range values {
		at, c := i*size, code[v]
		switch {
		case size == 0:
		case size < 8:
			data[at/8] |= byte(c << (at % 8))
		case size == 8:
			data[at/8] = byte(c)
		default:
			binary.LittleEndian.PutUint32(data[at/8:], c)
		}
	}
	return summary, data
}

// bitsOf returns the size of a code among n: 0, 1, 2, 4, 8 or 32 bits.
func bitsOf(n int) int {
	switch {
	case n <= 1:
		return 0
	case n <= 2:
		return 1
	case n <= 4:
		return 2
	case n <= 16:
		return 4
	case n <= 256:
		return 8
	}
	return 32
}

// eachWord calls see with every value of a summary and its count. It returns the number of payments.
func eachWord(summary []byte, see func(value []byte, count int)) (n, values int, err error) {
	total, a := binary.Uvarint(summary)
	if a <= 0 || total == 0 || total > mostRows {
		return 0, 0, ErrSpoiled
	}
	number, b := binary.Uvarint(summary[a:])
	if b <= 0 || number == 0 || number > total {
		return 0, 0, ErrSpoiled
	}
	rest, left := summary[a+b:], total
	for range number {
		size, c := binary.Uvarint(rest)
		if c <= 0 || size > uint64(len(rest)-c) {
			return 0, 0, ErrSpoiled
		}
		value := rest[c : c+int(size)]
		count, d := binary.Uvarint(rest[c+int(size):])
		if d <= 0 || count > left {
			return 0, 0, ErrSpoiled
		}
		left -= count
		see(value, int(count))
		rest = rest[c+int(size)+d:]
	}
	if left != 0 || len(rest) != 0 {
		return 0, 0, ErrSpoiled
	}
	return int(total), int(number), nil
}

// wordColumn are the values of a column of words.
type wordColumn struct {
	n, size int
	values  []string
	data    []byte
}

func decodeWords(c Column) (w wordColumn, err error) {
	var values int
	w.n, values, err = eachWord(c.Summary, func(value []byte, _ int) { w.values = append(w.values, string(value)) })
	if err != nil {
		return w, err
	}
	w.size, w.data = bitsOf(values), c.Data
	if len(c.Data) != (w.n*w.size+7)/8 {
		return w, ErrSpoiled
	}
	for i := range w.n {
		if w.code(i) >= len(w.values) {
			return w, ErrSpoiled
		}
	}
	return w, nil
}

// code returns the number of a payment's value.
func (w *wordColumn) code(i int) int {
	switch w.size {
	case 0:
		return 0
	case 8:
		return int(w.data[i])
	case 32:
		return int(binary.LittleEndian.Uint32(w.data[4*i:]))
	}
	at := i * w.size
	return int(w.data[at/8]>>(at%8)) & (1<<w.size - 1)
}

// HashBits is the size of the hashes of order references and e-mail addresses.
const HashBits = 48

// Hash returns the number by which columns find a text whose hash begins with some bytes: 1 to 1<<HashBits.
func Hash(of []byte) int64 { return int64(binary.BigEndian.Uint64(of)>>(64-HashBits)) + 1 }

// OrderHash returns the number by which columns find an order reference. Several references may have one number.
func OrderHash(reference string) int64 {
	if reference == "" {
		return 0
	}
	h := sha256.Sum256([]byte(reference))
	return Hash(h[:])
}

// lastFour returns the number of four digits, -1 for another text.
func lastFour(s string) int64 {
	if len(s) != 4 || strings.Trim(s, "0123456789") != "" {
		return -1
	}
	return int64(s[0]-'0')*1000 + int64(s[1]-'0')*100 + int64(s[2]-'0')*10 + int64(s[3]-'0')
}
