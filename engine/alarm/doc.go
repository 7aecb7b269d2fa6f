// Package alarm names what a person must look at. The operators' guide has a row with the remedy for each kind.
//
// Any higher room may import alarm. It must never raise an alarm: port.Metrics counts them.
package alarm
