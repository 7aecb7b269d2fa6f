// Package ids makes ids that sort by time, and unguessable texts.
//
// Every package may import ids. It imports the standard library only.
package ids
