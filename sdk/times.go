package sdk

import "time"

// Millis reads a time as processors write it in ISO 8601 and RFC 3339, such as "2026-02-13T10:20:30Z". The seconds may have a fraction, an offset
// (+02:00 or +0200) may stand in place of the Z, and a date may stand alone. A time without a zone is in UTC. Millis returns Unix milliseconds, and 0 for any other
// text. The parser of package time would make a module 120 KB larger.
func Millis(text string) int64 {
	s := timeText(text)
	year, month, day := s.number(4, '-'), s.number(2, '-'), s.number(2, 0)
	var hour, minute, second, fraction int64
	if len(s) > 0 && (s[0] == 'T' || s[0] == ' ') {
		s = s[1:]
		hour, minute, second = s.number(2, ':'), s.number(2, ':'), s.number(2, 0)
		fraction = s.fraction()
	}
	offset, known := s.offset()
	if !known || year < 1970 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month) ||
		hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59 {
		return 0
	}
	return ((daysUntil(year, month, day)*24+hour)*60+minute-offset)*60_000 + second*1000 + fraction
}

// timeText is the rest of a time that is being read.
type timeText string

// number takes a number of so many digits and the separator behind them, if there is to be one. It returns -1 for any other text.
func (s *timeText) number(digits int, separator byte) (n int64) {
	size := digits
	if separator != 0 {
		size++
	}
	if len(*s) < size || separator != 0 && (*s)[digits] != separator {
		return -1
	}
	for i := range digits {
		if (*s)[i]-'0' > 9 {
			return -1
		}
		n = n*10 + int64((*s)[i]-'0')
	}
	*s = (*s)[size:]
	return n
}

// fraction takes the fraction of a second, and returns its milliseconds.
func (s *timeText) fraction() (ms int64) {
	if len(*s) < 2 || (*s)[0] != '.' || (*s)[1]-'0' > 9 {
		return 0
	}
	*s = (*s)[1:]
	for weight := int64(100); len(*s) > 0 && (*s)[0]-'0' <= 9; weight /= 10 {
		ms += int64((*s)[0]-'0') * weight
		*s = (*s)[1:]
	}
	return ms
}

// offset takes the zone at the end, and returns how many minutes it is ahead of UTC.
func (s *timeText) offset() (minutes int64, known bool) {
	switch {
	case *s == "" || *s == "Z" || *s == "z":
		return 0, true
	case (*s)[0] != '+' && (*s)[0] != '-':
		return 0, false
	}
	sign := int64(1)
	if (*s)[0] == '-' {
		sign = -1
	}
	*s = (*s)[1:]
	separator := byte(':')
	if len(*s) == 4 { // "+0200"
		separator = 0
	}
	hour, minute := s.number(2, separator), s.number(2, 0)
	return sign * (hour*60 + minute), hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && *s == ""
}

// daysIn returns the number of days of a month.
func daysIn(year, month int64) int64 {
	switch {
	case month == 2 && year%4 == 0 && (year%100 != 0 || year%400 == 0):
		return 29
	case month == 2:
		return 28
	case month == 4 || month == 6 || month == 9 || month == 11:
		return 30
	}
	return 31
}

// daysUntil returns the days from 1970-01-01 to a date. It counts years from March, so that the leap day is their last.
func daysUntil(year, month, day int64) int64 {
	if month < 3 {
		year, month = year-1, month+12
	}
	return 365*year + year/4 - year/100 + year/400 + (153*(month-3)+2)/5 + day - 719469
}

// Stamp writes a time in UTC, without a fraction of the second, as in "2026-02-13T10:20:30Z": see Millis. The formatter of package time would make a
// module 40 KB larger.
func Stamp(t time.Time) string {
	t = t.UTC()
	year, month, day := t.Date()
	hour, minute, second := t.Clock()
	return twoDigits(year/100) + twoDigits(year) + "-" + twoDigits(int(month)) + "-" + twoDigits(day) +
		"T" + twoDigits(hour) + ":" + twoDigits(minute) + ":" + twoDigits(second) + "Z"
}
