//go:build !race

package sandbox

// raceEnabled says that the race detector is built in.
const raceEnabled = false
