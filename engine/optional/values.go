package optional

// Set sets *to to v, unless v is nil.
func Set[T any](to **T, v *T) {
	if v != nil {
		*to = v
	}
}

// SetText sets *to to v, unless v is "".
func SetText[S ~string](to *S, v S) {
	if v != "" {
		*to = v
	}
}

// IsTrue reports whether b is given and true.
func IsTrue(b *bool) bool { return b != nil && *b }

// SetValue sets *to to *v, unless v is nil.
func SetValue[T any](to *T, v *T) {
	if v != nil {
		*to = *v
	}
}

// OrNil returns a pointer to v, or nil for "": answers show null for it.
func OrNil[S ~string](v S) *S {
	if v == "" {
		return nil
	}
	return &v
}
