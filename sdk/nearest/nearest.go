// Package nearest finds the name that an author probably meant: the name with the fewest different characters.
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

// Distance returns the number of steps that turn a into b. A step removes, adds or changes one byte, or swaps two neighbours.
func Distance(a, b string) int {
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	before, last, row := rows[0], rows[1], rows[2]
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
