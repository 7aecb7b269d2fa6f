// Package search finds a merchant's payments by filters. The blocks of package facet answer nearly every filter, together with the payments that are
// too new for them or have changed since. An index of the store finds the payments of a customer. Without blocks, and for filters that blocks do not
// have (a sealed e-mail address), it scans the payments in windows, from the newest on: no window keeps a database snapshot for long. Fields inside
// documents, and sealed ones, are compared here.
package search
