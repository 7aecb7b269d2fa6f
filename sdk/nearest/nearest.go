// Package nearest finds the name that an author probably meant.
package nearest

// Of returns the name that is nearest to a mistaken one, "" if none is close: half of the characters may differ at most. Of equally near names
// it returns the first.
func Of(mistaken string, names []string) string {
	nearest, best := "", len(mistaken)/2+1
	for _, name := range names {
		if d := Distance(mistaken, name); d < best {
			nearest, best = name, d
		}
	}
	return nearest
}

// Distance returns the number of characters to remove, add or change to turn a into b.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := corner
			if a[i] != b[j] {
				change++
			}
			corner = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
