package nearest

import "testing"

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"status", "status", 0}, {"staus", "status", 1}, {"statuss", "status", 1}, {"stetus", "status", 1}, {"sttaus", "status", 1}, {"kitten", "sitting", 3}} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
		if got := Distance(c.b, c.a); got != c.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", c.b, c.a, got, c.want)
		}
	}
}

func TestOf(t *testing.T) {
	names := []string{"authorize", "capture", "void"}
	for mistaken, want := range map[string]string{"captuer": "capture", "vodi": "void", "authorise": "authorize", "refund": "", "": ""} {
		if got := Of(mistaken, names); got != want {
			t.Errorf("Of(%q) = %q, want %q", mistaken, got, want)
		}
	}
}
