// Package search finds a merchant's payments by filters. An index of the store finds the payments of a customer, of a rare status, or all of them.
// Any other filter scans the payments in windows, from the newest on: no window keeps a database snapshot for long. Fields inside documents, and
// sealed ones, are compared here.
package search
