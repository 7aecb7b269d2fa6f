package payment

import "strconv"

// AnnouncementOf identifies a state for which merchants receive one event. A further partial capture makes a new state.
func AnnouncementOf(p *Payment, a *Attempt) string {
	s := string(p.Status) + "/" + strconv.Itoa(a.Number)
	if a.Captured > 0 {
		s += "/" + strconv.FormatInt(a.Captured, 10)
	}
	return s
}
