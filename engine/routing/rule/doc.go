// Package rule is the rule language of routing and of the decisions about 3-D Secure and surcharges. Parse reads a program and refuses what cannot
// be evaluated. Compile makes the form that payments evaluate. Input holds the facts of one payment.
//
// The package is pure: it knows no store and no account. A program has selections, which its rules choose among, and the package that evaluates a
// program decides what follows from a selection.
//
// Of the rooms, engine, routing and routing/rank import rule. It must never evaluate a program that Parse would refuse.
package rule
