package scheme_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/scheme"
	"payswitch/sdk"
)

var now = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

// ago are declines that many hours before now.
func ago(hours ...int) (d scheme.Declines) {
	for _, h := range hours {
		d.Times = append(d.Times, now.Add(-time.Duration(h)*time.Hour))
	}
	return d
}

func every(n, first, step int) (hours []int) {
	for i := range n {
		hours = append(hours, first+i*step)
	}
	return hours
}

// TestLimits: when a card may be tried again, by its network and its declines.
func TestLimits(t *testing.T) {
	const day, month = 86400, 30 * 86400
	in := func(hours int) time.Time { return now.Add(time.Duration(hours) * time.Hour) }
	for name, c := range map[string]struct {
		network  sdk.CardNetwork
		declines scheme.Declines
		want     scheme.Standing
		room     int
	}{
		"none":                          {sdk.Visa, scheme.Declines{}, scheme.Standing{Most: 16, Seconds: month}, 16},
		"Visa: 15 retries":              {sdk.Visa, ago(every(15, 0, 1)...), scheme.Standing{Declined: 15, Most: 16, Seconds: month, Near: true}, 1},
		"Visa: the sixteenth":           {sdk.Visa, ago(every(16, 0, 1)...), scheme.Standing{Declined: 16, Most: 16, Seconds: month, Near: true, Refused: "limit", Again: in(720 - 15)}, 0},
		"Visa: one is too old":          {sdk.Visa, ago(append(every(15, 0, 1), 720)...), scheme.Standing{Declined: 15, Most: 16, Seconds: month, Near: true}, 1},
		"Visa: no warning yet":          {sdk.Visa, ago(every(11, 0, 1)...), scheme.Standing{Declined: 11, Most: 16, Seconds: month}, 5},
		"Visa: the warning":             {sdk.Visa, ago(every(12, 0, 1)...), scheme.Standing{Declined: 12, Most: 16, Seconds: month, Near: true}, 4},
		"Mastercard: nine of a day":     {sdk.Mastercard, ago(every(9, 0, 2)...), scheme.Standing{Declined: 9, Most: 10, Seconds: day, Near: true}, 1},
		"Mastercard: ten of a day":      {sdk.Mastercard, ago(every(10, 0, 2)...), scheme.Standing{Declined: 10, Most: 10, Seconds: day, Near: true, Refused: "limit", Again: in(24 - 18)}, 0},
		"Mastercard: in any order":      {sdk.Mastercard, ago(18, 0, 16, 2, 14, 4, 12, 6, 10, 8), scheme.Standing{Declined: 10, Most: 10, Seconds: day, Near: true, Refused: "limit", Again: in(24 - 18)}, 0},
		"Mastercard: eleven of a day":   {sdk.Mastercard, ago(every(11, 0, 2)...), scheme.Standing{Declined: 11, Most: 10, Seconds: day, Near: true, Refused: "limit", Again: in(24 - 18)}, 0},
		"Mastercard: the day is over":   {sdk.Mastercard, ago(every(10, 24, 1)...), scheme.Standing{Declined: 10, Most: 35, Seconds: month}, 25},
		"Mastercard: 35 of a month":     {sdk.Mastercard, ago(every(35, 1, 20)...), scheme.Standing{Declined: 35, Most: 35, Seconds: month, Near: true, Refused: "limit", Again: in(720 - 681)}, 0},
		"Mastercard: 34 of a month":     {sdk.Mastercard, ago(every(34, 1, 20)...), scheme.Standing{Declined: 34, Most: 35, Seconds: month, Near: true}, 1},
		"Maestro is Mastercard's":       {sdk.Maestro, ago(every(10, 0, 2)...), scheme.Standing{Declined: 10, Most: 10, Seconds: day, Near: true, Refused: "limit", Again: in(24 - 18)}, 0},
		"a network without limits":      {sdk.AmericanExpress, ago(every(35, 0, 1)...), scheme.Standing{Declined: 35}, 35},
		"a wait":                        {sdk.Mastercard, scheme.Declines{Wait: in(48)}, scheme.Standing{Most: 10, Seconds: day, Refused: "wait", Again: in(48)}, 10},
		"the wait is over":              {sdk.Mastercard, scheme.Declines{Wait: now}, scheme.Standing{Most: 10, Seconds: day}, 10},
		"the limit outlasts the wait":   {sdk.Mastercard, scheme.Declines{Times: ago(every(10, 0, 2)...).Times, Wait: in(1)}, scheme.Standing{Declined: 10, Most: 10, Seconds: day, Near: true, Refused: "limit", Again: in(6)}, 0},
		"never":                         {sdk.Visa, scheme.Declines{Never: in(720), Wait: in(1)}, scheme.Standing{Most: 16, Seconds: month, Refused: "never", Again: in(720)}, 16},
		"never, without a network":      {"", scheme.Declines{Never: in(1)}, scheme.Standing{Refused: "never", Again: in(1)}, 35},
		"what was forbidden is allowed": {sdk.Visa, scheme.Declines{Never: now}, scheme.Standing{Most: 16, Seconds: month}, 16},
	} {
		got := c.declines.Of(c.network, now)
		require.Equal(t, c.want, got, name)
		require.Equal(t, c.room, got.Room(), name)
	}
}

// TestNote: what a decline says about the next attempt.
func TestNote(t *testing.T) {
	hours := func(n int) time.Time { return now.Add(time.Duration(n) * time.Hour) }
	for name, c := range map[string]struct {
		network     sdk.CardNetwork
		decline     sdk.Decline
		never, wait time.Time
	}{
		"nothing":                 {sdk.Visa, sdk.Decline{NetworkCode: "51"}, time.Time{}, time.Time{}},
		"Visa: category 1":        {sdk.Visa, sdk.Decline{NetworkCode: "14"}, hours(720), time.Time{}},
		"not Visa":                {sdk.Mastercard, sdk.Decline{NetworkCode: "14"}, time.Time{}, time.Time{}},
		"Mastercard: 03":          {sdk.Mastercard, sdk.Decline{AdviceCode: "03"}, hours(720), time.Time{}},
		"Mastercard: 21":          {sdk.Mastercard, sdk.Decline{AdviceCode: "21"}, hours(720), time.Time{}},
		"Mastercard: 02":          {sdk.Mastercard, sdk.Decline{AdviceCode: "02"}, time.Time{}, time.Time{}},
		"Mastercard: an hour":     {sdk.Mastercard, sdk.Decline{AdviceCode: "24"}, time.Time{}, hours(1)},
		"Mastercard: a day":       {sdk.Mastercard, sdk.Decline{AdviceCode: "25"}, time.Time{}, hours(24)},
		"Mastercard: two days":    {sdk.Mastercard, sdk.Decline{AdviceCode: "26"}, time.Time{}, hours(48)},
		"Mastercard: four days":   {sdk.Mastercard, sdk.Decline{AdviceCode: "27"}, time.Time{}, hours(96)},
		"Mastercard: six days":    {sdk.Mastercard, sdk.Decline{AdviceCode: "28"}, time.Time{}, hours(144)},
		"Mastercard: eight days":  {sdk.Mastercard, sdk.Decline{AdviceCode: "29"}, time.Time{}, hours(192)},
		"Mastercard: ten days":    {sdk.Mastercard, sdk.Decline{AdviceCode: "30"}, time.Time{}, hours(240)},
		"Visa has no such advice": {sdk.Visa, sdk.Decline{AdviceCode: "30"}, time.Time{}, time.Time{}},
		"a stolen card":           {sdk.Visa, sdk.Decline{Reason: sdk.DeclineStolenCard}, hours(720), time.Time{}},
		"a duplicate":             {sdk.Visa, sdk.Decline{Reason: sdk.DeclineDuplicate}, time.Time{}, time.Time{}},
		"fraud":                   {sdk.Visa, sdk.Decline{Reason: sdk.DeclineFraud}, time.Time{}, time.Time{}},
	} {
		require.Equal(t, scheme.Decline{At: now, Never: c.never, Wait: c.wait}, scheme.Note(c.network, c.decline, now), name)
	}
	require.False(t, scheme.Counts(sdk.Decline{Reason: sdk.DeclineAbandoned}))
	require.True(t, scheme.Counts(sdk.Decline{Reason: sdk.DeclineDoNotHonor}))
}

// TestWith: a decline changes no other copy, and an earlier wait does not shorten a later one.
func TestWith(t *testing.T) {
	d := ago(2)
	d.Times = append(make([]time.Time, 0, 2), d.Times...) // with room that With must not use
	d.Wait = now.Add(time.Hour)
	a, b := d.With(scheme.Decline{At: now, Wait: now.Add(time.Minute)}), d.With(scheme.Decline{At: now.Add(time.Second), Never: now})
	require.Equal(t, []time.Time{now.Add(-2 * time.Hour), now}, a.Times)
	require.Equal(t, now.Add(time.Hour), a.Wait)
	require.Equal(t, now.Add(time.Second), b.Times[1])
	require.Equal(t, now, b.Never)
}
