// Package ids makes ids that sort by time, and unguessable texts.
//
// Any higher room may import ids. It imports the standard library only. It must never take random numbers from anything but crypto/rand.
package ids
