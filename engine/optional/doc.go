// Package optional handles fields that a request may leave out. Every room may import it. It must know nothing of payments.
package optional
