package health

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

var (
	account = Account{"m", "mca_1"}
	visa    = Slice{"Visa", "DE", "EUR"}
)

// clock is the time of a test.
type clock struct{ time.Time }

func (c *clock) now() time.Time        { return c.Time }
func (c *clock) pass(d time.Duration)  { c.Time = c.Add(d) }
func newClock() *clock                 { return &clock{time.UnixMilli(1_700_000_000_000)} }
func (c *clock) board(s *shelf) *Board { return New(Deps{Store: s, Now: c.now, Node: "n1"}) }
func count(b *Board, r Result) {
	b.Count(Attempt{Account: account, Connector: "c", Slice: visa, Result: r})
}
func times(n int, b *Board, r Result) {
	for range n {
		count(b, r)
	}
}
func (s *shelf) at(c *clock) *shelf     { s.now = c.now; return s }
func (b *Board) total(of Slice) float64 { _, n := b.Rates(account, of); return n }

// shelf is a store in memory.
type shelf struct {
	sync.Mutex
	now  func() time.Time
	rows map[[3]string]Row
	vols map[[4]any]Volume
	puts int
	fail error
}

func (s *shelf) Now() time.Time { return s.now() }
func (s *shelf) View(_ context.Context, f func(r Reader) error) error {
	s.Lock()
	defer s.Unlock()
	return errors.Join(s.fail, f(s))
}
func (s *shelf) Update(_ context.Context, f func(tx Tx) error) error {
	s.Lock()
	defer s.Unlock()
	if s.fail != nil {
		return s.fail
	}
	return f(s)
}
func (s *shelf) HealthSince(at time.Time) (list []*Row, err error) {
	for _, r := range s.rows {
		if !r.SavedAt.Before(at) {
			list = append(list, &r)
		}
	}
	slices.SortFunc(list, func(x, y *Row) int { return x.SavedAt.Compare(y.SavedAt) })
	return list, nil
}
func (s *shelf) PutHealth(r *Row) error {
	if s.rows == nil {
		s.rows = map[[3]string]Row{}
	}
	s.puts++
	s.rows[[3]string{r.MerchantID, r.AccountID, r.Node}] = *r
	return nil
}

func (s *shelf) VolumesSince(at time.Time) (list []*Volume, err error) {
	for _, v := range s.vols {
		if !v.SavedAt.Before(at) {
			list = append(list, &v)
		}
	}
	return list, nil
}
func (s *shelf) PutVolume(v *Volume) error {
	if s.vols == nil {
		s.vols = map[[4]any]Volume{}
	}
	s.vols[[4]any{v.MerchantID, v.AccountID, v.Node, v.Day}] = *v
	return nil
}

// Volumes count whole days at all nodes, survive a restart, and leave out what was the account's fault.
func TestVolumes(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := (&shelf{}).at(c)
	one, two := c.board(s), New(Deps{Store: s, Now: c.now, Node: "n2"})
	began := c.Time
	require.NoError(t, errors.Join(one.Sweep(t.Context()), two.Sweep(t.Context())))
	times(3, one, Approved)
	times(2, one, Declined)
	times(4, one, TimedOut)
	count(two, Approved)
	c.pass(24 * time.Hour)
	times(2, two, Approved)
	count(one, Approved)
	require.EqualValues(t, 6, one.Volume(account, began))
	require.NoError(t, errors.Join(one.Sweep(t.Context()), two.Sweep(t.Context()), one.Sweep(t.Context())))
	for name, b := range map[string]*Board{"first": one, "second": two} {
		require.EqualValues(t, 9, b.Volume(account, began), name)
		require.EqualValues(t, 3, b.Volume(account, began.Add(24*time.Hour)), name)
	}
	again := c.board(s)
	count(again, Approved) // before it has read anything
	require.NoError(t, again.Save(t.Context()))
	require.NoError(t, again.Sweep(t.Context()))
	require.EqualValues(t, 10, again.Volume(account, began))
	s.fail = errors.New("disk")
	count(again, Approved)
	require.Error(t, again.Sweep(t.Context()))
	s.fail = nil
	require.NoError(t, errors.Join(again.Sweep(t.Context()), two.Sweep(t.Context())))
	require.EqualValues(t, 11, two.Volume(account, began))
}

// A fault fills the bucket by one, and time empties it.
func TestFaults(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := (&shelf{}).at(c)
	one, two := c.board(s), New(Deps{Store: s, Now: c.now, Node: "n2"})
	times(2, one, Failed)
	count(two, TimedOut)
	times(9, one, Declined)
	require.InDelta(t, 2, one.Faults(account, time.Minute), 1e-9)
	require.NoError(t, errors.Join(two.Sweep(t.Context()), one.Sweep(t.Context())))
	require.InDelta(t, 3, one.Faults(account, time.Minute), 1e-9)
	c.pass(90 * time.Second)
	require.InDelta(t, 1.5, one.Faults(account, time.Minute), 1e-9)
	require.InDelta(t, 2.9, one.Faults(account, 15*time.Minute), 1e-9)
	again := c.board(s)
	require.NoError(t, again.Sweep(t.Context()))
	require.InDelta(t, 1.5, again.Faults(account, time.Minute), 1e-9)
	times(3*MaxFaultTimes, one, Failed)
	require.LessOrEqual(t, one.Faults(account, time.Minute), float64(MaxFaultTimes)+1.5)
	c.pass(time.Hour)
	require.Zero(t, one.Faults(Account{"m", "mca_2"}, time.Minute))
}

// What is known of all slices together is the sum of the slices, also after a restart and from another node.
func TestWholeIsTheSum(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := (&shelf{}).at(c)
	one := c.board(s)
	slice := func(n int) Slice { return Slice{"Visa", fmt.Sprint(n), "EUR"} }
	for n := range 40 {
		one.Count(Attempt{Account: account, Slice: slice(n), Result: Result(n % kinds)})
		c.pass(time.Hour)
	}
	require.NoError(t, one.Sweep(t.Context()))
	again, two := c.board(s), New(Deps{Store: s, Now: c.now, Node: "n2"})
	require.NoError(t, errors.Join(again.Sweep(t.Context()), two.Sweep(t.Context())))
	for _, b := range []*Board{one, again, two} {
		var approved, total float64
		for n := range 40 {
			x, y := b.Rates(account, slice(n))
			approved, total = approved+x, total+y
		}
		x, y := b.Rates(account, Slice{})
		require.InDeltaSlice(t, []float64{approved, total}, []float64{x, y}, 0.05)
		require.Greater(t, y, 5.0)
	}
}

func TestCountsDecay(t *testing.T) {
	t.Parallel()
	c := newClock()
	b := c.board(nil)
	times(3, b, Approved)
	times(1, b, Declined)
	approved, total := b.Rates(account, visa)
	require.Equal(t, []float64{3, 4}, []float64{approved, total})
	c.pass(SliceHalfLife)
	approved, total = b.Rates(account, visa)
	require.InDeltaSlice(t, []float64{1.5, 2}, []float64{approved, total}, 1e-9)
	count(b, Approved)
	require.InDelta(t, 3, b.total(visa), 1e-9)
	require.InDelta(t, 3, b.total(Slice{Currency: "EUR"}), 1e-9, "a part of a slice names all slices with it")
	require.Zero(t, b.total(Slice{Currency: "USD"}))
	r := b.Report(account)
	require.Equal(t, []SliceReport{{Slice: visa, Counts: r.Slices[0].Counts}}, r.Slices)
	require.Equal(t, sdk.DeclineGeneric, r.All.Reasons[0].Reason, "a reason that no adapter may give counts as generic")
	require.Equal(t, 100*time.Millisecond, r.All.Quantile(0.5))
}

// The attempt counts once: at the end of a pending one, its result counts and not its time.
func TestPendingCountsOnce(t *testing.T) {
	t.Parallel()
	b := newClock().board(nil)
	b.Count(Attempt{Account: account, Slice: visa, Result: Pending, Took: 3 * time.Second})
	require.Zero(t, b.total(visa))
	b.Count(Attempt{Account: account, Slice: visa, Result: Approved, Took: time.Hour, Late: true})
	require.EqualValues(t, 1, b.total(visa))
	r := b.Report(account)
	require.EqualValues(t, 1, sum(r.All.Latency[:]))
	require.EqualValues(t, 1, r.Good)
}

func TestBreaker(t *testing.T) {
	t.Parallel()
	c := newClock()
	var moves []bool
	b := New(Deps{Now: c.now, Moved: func(_ Account, _ string, out bool) { moves = append(moves, out) }})
	times(4, b, TimedOut)
	require.Equal(t, In, b.Standing(account), "four faults are too few")
	times(1, b, Failed)
	require.Equal(t, Out, b.Standing(account))
	require.False(t, b.Begin(account))

	c.pass(FirstPause)
	require.Equal(t, Trial, b.Standing(account))
	require.True(t, b.Begin(account))
	require.Equal(t, Out, b.Standing(account), "one trial at a time")
	require.False(t, b.Begin(account))
	count(b, TimedOut)
	require.Equal(t, Out, b.Standing(account))
	c.pass(FirstPause)
	require.Equal(t, Out, b.Standing(account), "the second pause is longer")
	c.pass(FirstPause)
	for range TrialsNeeded {
		require.Equal(t, Trial, b.Standing(account))
		require.True(t, b.Begin(account))
		count(b, Declined) // an answer is an answer
	}
	require.Equal(t, In, b.Standing(account))
	times(4, b, Failed)
	require.Equal(t, In, b.Standing(account), "it starts anew")
	count(b, Failed)
	c.pass(2*FirstPause + time.Second)
	require.Equal(t, Out, b.Standing(account), "an account that fails again soon waits longer")
	c.pass(2 * FirstPause)
	require.Equal(t, Trial, b.Standing(account))
	require.True(t, b.Begin(account))
	c.pass(trialTime)
	require.Equal(t, Trial, b.Standing(account), "a trial without an end does not keep the account out")
	require.Equal(t, []bool{true, false, true}, moves)
}

// Attempts that began before the account was taken out say nothing about its health since.
func TestBreakerIgnoresWhatBeganBefore(t *testing.T) {
	t.Parallel()
	c := newClock()
	b := c.board(nil)
	times(5, b, Failed)
	c.pass(FirstPause)
	for range 10 {
		b.Count(Attempt{Account: account, Slice: visa, Result: Approved, Took: FirstPause + time.Second})
		b.Count(Attempt{Account: account, Slice: visa, Result: TimedOut, Took: FirstPause + time.Second})
	}
	require.Equal(t, Trial, b.Standing(account))
	require.Zero(t, b.Report(account).Breaker.Trials)
}

// Declines of cards never take an account out. Otherwise a person who tests stolen cards could switch an account off.
func TestDeclinesAreNoFaults(t *testing.T) {
	t.Parallel()
	b := newClock().board(nil)
	times(1000, b, Declined)
	require.Equal(t, In, b.Standing(account))
	times(MinFaults, b, Failed)
	require.Equal(t, In, b.Standing(account), "few of many attempts failed")
	times(FaultsInARow-MinFaults, b, Failed)
	require.Equal(t, Out, b.Standing(account), "the latest ones all failed")
}

func TestFaultsMustBeRecent(t *testing.T) {
	t.Parallel()
	c := newClock()
	b := c.board(nil)
	for range FaultsInARow - 1 {
		count(b, TimedOut)
		c.pass(2 * FaultHalfLife)
	}
	require.Equal(t, In, b.Standing(account))
	count(b, TimedOut)
	require.Equal(t, Out, b.Standing(account), "an account with few payments is taken out for a row of faults")
}

func TestSlicesAreBounded(t *testing.T) {
	t.Parallel()
	c := newClock()
	b := c.board(nil)
	slice := func(n int) Slice { return Slice{"Visa", fmt.Sprint("X", n), "EUR"} }
	for n := range 3 * maxSlices {
		b.Count(Attempt{Account: account, Slice: slice(n), Result: Approved})
	}
	r := b.Report(account)
	require.LessOrEqual(t, len(r.Slices), maxSlices+1)
	require.InDelta(t, 3*maxSlices, r.All.Total(), 1e-6, "nothing is lost")
	require.True(t, slices.ContainsFunc(r.Slices, func(s SliceReport) bool { return s.Other }))
	c.pass(2 * SliceHalfLife)
	b.Count(Attempt{Account: account, Slice: slice(1000), Result: Approved})
	require.InDelta(t, 1, b.total(slice(1000)), 1e-9, "a new slice takes the place of one that is hardly used")
	require.LessOrEqual(t, len(b.Report(account).Slices), maxSlices+1)
}

// A node that starts again knows what it knew. Another node knows it too, and both agree which accounts are out.
func TestSaveAndMerge(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := (&shelf{}).at(c)
	one := c.board(s)
	times(6, one, Approved)
	times(2, one, Declined)
	require.NoError(t, one.Sweep(t.Context()))
	require.NoError(t, one.Sweep(t.Context()))
	require.Equal(t, 1, s.puts, "nothing is written while nothing changes")

	two := New(Deps{Store: s, Now: c.now, Node: "n2"})
	require.NoError(t, two.Sweep(t.Context()))
	require.EqualValues(t, 8, two.total(visa))
	times(2, two, Declined)
	require.EqualValues(t, 10, two.total(visa))
	require.NoError(t, two.Sweep(t.Context()))
	require.NoError(t, one.Sweep(t.Context()))
	require.EqualValues(t, 10, one.total(visa))

	again := c.board(s)
	require.NoError(t, again.Sweep(t.Context()))
	require.Equal(t, one.Report(account), again.Report(account))
	require.NoError(t, again.Sweep(t.Context()))
	require.EqualValues(t, 10, again.total(visa), "its own row counts once")

	c.pass(time.Second)
	times(FaultsInARow, one, TimedOut)
	require.Equal(t, Out, one.Standing(account))
	require.Len(t, one.Wake(), 1)
	require.NoError(t, one.Sweep(t.Context()))
	require.NoError(t, two.Sweep(t.Context()))
	require.Equal(t, Out, two.Standing(account))
	c.pass(FirstPause)
	for range TrialsNeeded {
		require.True(t, two.Begin(account))
		count(two, Approved)
	}
	require.NoError(t, two.Sweep(t.Context()))
	require.NoError(t, one.Sweep(t.Context()))
	require.Equal(t, In, one.Standing(account))
	again = c.board(s)
	require.NoError(t, again.Sweep(t.Context()))
	require.Equal(t, In, again.Standing(account))
}

func TestSaveAgainAfterError(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := (&shelf{fail: errors.New("disk")}).at(c)
	b := c.board(s)
	count(b, Approved)
	require.Error(t, b.Sweep(t.Context()))
	s.fail = nil
	require.NoError(t, b.Sweep(t.Context()))
	require.Equal(t, 1, s.puts)
}

// A row that no node has written does no harm.
func TestStrangeRows(t *testing.T) {
	t.Parallel()
	c := newClock()
	for name, raw := range map[string]string{
		"no object":   `[]`,
		"negative":    `{"g":-5,"f":-1,"s":[{"n":"Visa","c":"DE","u":"EUR","t":1,"r":[-9,-9,-9,-9],"l":[-1]}]}`,
		"huge":        `{"g":1e300,"s":[{"n":"Visa","c":"DE","u":"EUR","t":1,"r":[1e300,1e300,0,0]}]}`,
		"many":        `{"s":[{"t":1,"r":[0,0,0,0],"l":[1,2,3,4,5,6,7,8,9,10,11,12],"d":{"nonsense":4}}]}`,
		"wrong types": `{"b":{"open":7}}`,
	} {
		s := (&shelf{}).at(c)
		require.NoError(t, s.PutHealth(&Row{MerchantID: "m", AccountID: "mca_1", Node: "n9", Counts: json.RawMessage(raw), SavedAt: c.Time, ExpiresAt: c.Add(time.Hour)}))
		b := c.board(s)
		_ = b.Sweep(t.Context())
		require.Equal(t, In, b.Standing(account), name)
		require.Zero(t, b.total(visa), name)
		count(b, Approved)
		require.EqualValues(t, 1, b.total(visa), name)
	}
}

// The same attempts at the same times give the same health, whatever the order of the accounts in memory.
func TestDeterministic(t *testing.T) {
	t.Parallel()
	run := func() []Report {
		c := newClock()
		b := c.board(nil)
		var out []Report
		for n := range 2000 {
			c.pass(time.Duration(n%7) * time.Second)
			a := Account{"m", fmt.Sprint("mca_", n%5)}
			b.Count(Attempt{Account: a, Slice: Slice{"Visa", fmt.Sprint(n % 60), "EUR"}, Result: Result(n * 7 % 5), Took: time.Duration(n%9) * time.Second})
			out = append(out, b.Report(a))
		}
		return out
	}
	require.Equal(t, run(), run())
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	s := &shelf{now: time.Now}
	b := New(Deps{Store: s, Now: time.Now, Node: "n1"})
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			for i := range 200 {
				b.Count(Attempt{Account: Account{"m", fmt.Sprint(i % 3)}, Slice: Slice{Currency: fmt.Sprint(n)}, Result: Result(i % 5)})
				b.Standing(Account{"m", "1"})
				b.Begin(Account{"m", "1"})
				b.Report(Account{"m", "2"})
				if i%50 == 0 {
					_ = b.Sweep(context.Background())
				}
			}
		})
	}
	all.Wait()
	var total float64
	for i := range 3 {
		r := b.Report(Account{"m", fmt.Sprint(i)})
		total += r.All.Total()
	}
	require.InDelta(t, 8*200*4/5, total, 1)
}

// The health of 100 accounts in 50 slices each fits 10 MB, also after it was read from the store.
func TestMemory(t *testing.T) {
	s := &shelf{now: time.Now}
	b := New(Deps{Store: s, Now: time.Now, Node: "n1"})
	used := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	reasons := []sdk.DeclineReason{sdk.DeclineDoNotHonor, sdk.DeclineInsufficientFunds, sdk.DeclineExpiredCard, sdk.DeclineFraud, sdk.DeclineIncorrectCVC, sdk.DeclineLimitExceeded}
	before := used()
	for a := range 100 {
		for n := range maxSlices {
			for i := range 12 {
				b.Count(Attempt{Account: Account{"m", fmt.Sprint("mca_", a)}, Slice: Slice{"Visa", fmt.Sprint(n), "EUR"}, Result: Declined, Reason: reasons[i%len(reasons)],
					Took: time.Duration(i) * time.Second})
			}
		}
	}
	size := used() - before
	require.Less(t, size, int64(10<<20))
	require.NoError(t, b.Sweep(t.Context()))
	var saved int
	for _, r := range s.rows {
		saved += len(r.Counts)
	}
	require.Less(t, saved, 10<<20)
	t.Logf("in memory: %d KB; saved: %d KB", size>>10, saved>>10)
	runtime.KeepAlive(b)
}

func BenchmarkCount(b *testing.B) {
	h := New(Deps{Now: time.Now})
	b.ReportAllocs()
	for b.Loop() {
		h.Count(Attempt{Account: account, Slice: visa, Result: Approved, Took: time.Second})
	}
}

func BenchmarkRates(b *testing.B) {
	h := New(Deps{Now: time.Now})
	for n := range maxSlices {
		h.Count(Attempt{Account: account, Slice: Slice{"Visa", fmt.Sprint(n), "EUR"}, Result: Approved})
	}
	b.ReportAllocs()
	for b.Loop() {
		h.Rates(account, visa)
	}
}
