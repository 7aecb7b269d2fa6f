package sandbox

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// slow returns a guest that works for some milliseconds when its input says so.
func slow() []byte {
	return newAdapter(1).step(tI32, get(1), opIf, typeEmpty,
		opLoop, typeEmpty, get(2), i32c(1), opI32Add, tee(2), i32c(5_000_000), opI32LtS, opBrIf, 0, opEnd, opEnd,
		answerAt(outputAt, 4)).build()
}

// TestHammer calls from many goroutines, a third of them trapping, and closes module and runtime meanwhile.
func TestHammer(t *testing.T) {
	for round := range 3 {
		r, err := New(context.Background(), Options{CacheDir: sharedCache, Limits: patient(Limits{Instances: 3})})
		require.NoError(t, err)
		m, err := r.Load(goWasm(t), workMessage)
		require.NoError(t, err)
		other, err := r.Load(slow(), nil)
		require.NoError(t, err)
		var group sync.WaitGroup
		var answered, refused atomic.Int64
		for i := range 16 {
			group.Go(func() {
				for k := 0; ; k++ {
					input := []string{"ehello", "k4242", "pwhy"}[(i+k)%3]
					b, err := m.Step(context.Background(), call(input))
					var trapped *TrapError
					switch {
					case errors.Is(err, ErrClosed):
						refused.Add(1)
						return
					case input == "pwhy":
						if !errors.As(err, &trapped) {
							t.Errorf("%q %v", b, err)
							return
						}
					case err != nil || string(b) != "hello" && string(b) != `1 ""`:
						t.Errorf("%q %v", b, err)
						return
					}
					answered.Add(1)
					if _, err := other.Step(context.Background(), call("1")); err != nil && !errors.Is(err, ErrClosed) {
						t.Error(err)
					}
					_ = m.Stats()
				}
			})
		}
		if round > 0 { // in the first round, close while it is being compiled
			_, err = m.Manifest(context.Background())
			require.NoError(t, err)
			time.Sleep(100 * time.Millisecond)
		}
		if round == 1 {
			require.NoError(t, m.Close(context.Background()))
		}
		require.NoError(t, r.Close(context.Background()))
		group.Wait()
		require.Equal(t, int64(16), refused.Load())
		require.Zero(t, m.Stats().Live)
		require.Zero(t, m.Stats().Idle)
		t.Logf("%d steps answered", answered.Load())
		_, err = r.Load(slow(), nil)
		require.ErrorIs(t, err, ErrClosed)
		_, err = m.Manifest(context.Background())
		require.ErrorIs(t, err, ErrClosed)
	}
}

func TestWaitForInstance(t *testing.T) {
	r := newRuntime(t, Options{Limits: Limits{Instances: 1, StepFuel: 20e9}})
	m, _ := compiled(t, r, slow())
	require.NoError(t, m.pool.acquire(context.Background())) // the only slot is taken
	release := sync.OnceFunc(m.pool.release)
	t.Cleanup(release) // the runtime's end waits for the slot, also if the test fails
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	_, err := m.Step(ctx, call("1"))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Positive(t, m.Stats().Waited)
	require.Equal(t, 1, m.Stats().InUse)

	closeCtx, cancelClose := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancelClose()
	require.ErrorIs(t, m.Close(closeCtx), context.DeadlineExceeded)
	_, err = m.Step(context.Background(), call("1"))
	require.ErrorIs(t, err, ErrClosed)
	release()
	require.NoError(t, m.Close(context.Background()))
	require.NoError(t, m.Close(context.Background()))
}

// TestPatientCallsLeaveRoom: however many patient calls wait, another call finds an instance.
func TestPatientCallsLeaveRoom(t *testing.T) {
	r := newRuntime(t, Options{Limits: patient(Limits{Instances: 2})})
	m, _ := compiled(t, r, slow())
	leave, err := m.pool.stand(context.Background()) // as the first of them does
	require.NoError(t, err)
	require.NoError(t, m.pool.acquire(context.Background()))
	end := sync.OnceFunc(func() { m.pool.release(); leave() })
	t.Cleanup(end)
	var group sync.WaitGroup
	var read atomic.Int64
	for range 20 {
		group.Go(func() {
			c := call("1")
			c.Patient = true
			if _, err := m.Step(context.Background(), c); err != nil {
				t.Error(err)
			}
			read.Add(1)
		})
	}
	time.Sleep(50 * time.Millisecond)
	_, err = m.Step(context.Background(), call("1"))
	require.NoError(t, err)
	require.Zero(t, read.Load(), "the other half of the instances is for other calls")
	end()
	group.Wait()

	leave, err = m.pool.stand(context.Background())
	require.NoError(t, err)
	defer leave()
	c, ctx := call("1"), t.Context()
	c.Patient = true
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	_, err = m.Step(ctx, c)
	require.ErrorIs(t, err, context.Canceled)
	waits := make(chan error, 1)
	go func() { _, err := m.Step(context.Background(), c); waits <- err }()
	require.NoError(t, m.Close(context.Background()))
	require.ErrorIs(t, <-waits, ErrClosed)
}

// TestPoolCountsWaits: the clock of the bubble moves only while all wait, so a wait lasts exactly as long as its context.
func TestPoolCountsWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(1)
		require.NoError(t, p.acquire(t.Context()))
		require.Zero(t, p.waited.Load())
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		require.ErrorIs(t, p.acquire(ctx), context.DeadlineExceeded)
		require.Equal(t, 20*time.Millisecond, time.Duration(p.waited.Load()))
		time.AfterFunc(5*time.Millisecond, p.release)
		require.NoError(t, p.acquire(t.Context()))
		require.Equal(t, 25*time.Millisecond, time.Duration(p.waited.Load()))
	})
}

func TestCloseWaitsForSteps(t *testing.T) {
	r := newRuntime(t, Options{Limits: Limits{StepFuel: 20e9}})
	m, _ := compiled(t, r, slow())
	done := make(chan error)
	go func() {
		_, err := m.Step(context.Background(), call("1"))
		done <- err
	}()
	for m.Stats().InUse == 0 && m.Stats().Steps == 0 {
		time.Sleep(time.Microsecond)
	}
	require.NoError(t, m.Close(context.Background()))
	require.NoError(t, <-done)
}

// TestCloseDoesNotWaitForCompilations: a caller learns at once that the runtime closes, whether its compilation is under way or waits for another one.
// Close waits for the one that wazero cannot interrupt, and leaves it alone when its own time is over.
func TestCloseDoesNotWaitForCompilations(t *testing.T) {
	for _, row := range []string{"waiting", "under way"} {
		t.Run(row, func(t *testing.T) {
			var log bytes.Buffer
			r, err := New(t.Context(), Options{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))})
			require.NoError(t, err)
			if row == "waiting" {
				r.compiling <- struct{}{}
			}
			m, err := r.Load(goWasm(t), nil)
			require.NoError(t, err)
			ended := make(chan error, 1)
			go func() { ended <- m.Prepare(context.Background()) }()
			require.Eventually(t, func() bool {
				m.mu.Lock()
				defer m.mu.Unlock()
				return m.building != nil && len(r.compiling) == 1
			}, time.Minute, time.Millisecond)
			limit, over := context.WithCancel(t.Context())
			defer over()
			closed := make(chan error, 1)
			go func() { closed <- r.Close(limit) }()
			require.ErrorIs(t, <-ended, ErrClosed)
			<-m.startClose()
			over()
			require.NoError(t, <-closed)
			if row == "waiting" {
				<-r.compiling
			}
			require.NoError(t, r.Close(context.Background()))
			require.Empty(t, r.compiling)
			require.Empty(t, log.String())
		})
	}
}

// TestFirstCallersCompileOnce: and one of them giving up spoils nothing for the others.
func TestFirstCallersCompileOnce(t *testing.T) {
	m := loadGo(t, Options{Limits: Limits{Instances: 8}})
	require.False(t, m.Stats().Compiled)
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := m.Step(gone, call("ehello"))
	require.ErrorIs(t, err, context.Canceled)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if b, err := m.Step(context.Background(), call("ehello")); err != nil || string(b) != "hello" {
				t.Error(err)
			}
		})
	}
	m.mu.Lock()
	building := m.building
	m.mu.Unlock()
	group.Wait()
	m.mu.Lock()
	require.Same(t, building, m.building)
	m.mu.Unlock()
	require.True(t, m.Stats().Compiled)
}

func TestCompileTime(t *testing.T) {
	costlyAlone(t)
	r := newRuntime(t, Options{Limits: Limits{CompileTime: time.Millisecond}})
	m, err := r.Load(goWasm(t), nil)
	require.NoError(t, err)
	_, err = m.Manifest(context.Background())
	require.ErrorContains(t, err, "takes longer than 1ms to compile")
	r.limits.CompileTime = time.Minute
	_, err = m.Manifest(context.Background())
	require.NoError(t, err, "the next caller may try again")
}

// TestInstancesAreBounded: the pool never holds more instances than it may.
func TestInstancesAreBounded(t *testing.T) {
	r := newRuntime(t, Options{Limits: Limits{Instances: 2}})
	m, _ := compiled(t, r, slow())
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() {
			for range 20 {
				if _, err := m.Step(context.Background(), call("1")); err != nil {
					t.Error(err)
				}
				if live := m.Stats().Live; live > 2 {
					t.Errorf("%d instances", live)
				}
			}
		})
	}
	group.Wait()
	require.Equal(t, uint64(200), m.Stats().Steps)
	require.Equal(t, uint64(200), m.Stats().Resets)
	require.Zero(t, m.Stats().InUse)
}

// TestRest: a module that is put to rest wakes up with the next step, however many steps and rests meet.
func TestRest(t *testing.T) {
	costly(t)
	m := loadGo(t, Options{CacheDir: sharedCache, Limits: Limits{Instances: 3}})
	require.False(t, m.Rest(), "there is nothing to give up")
	require.Equal(t, "hello", step(t, m, "ehello"))
	require.NoError(t, m.pool.acquire(context.Background()))
	require.False(t, m.Rest(), "somebody uses it")
	m.pool.release()
	require.True(t, m.Rest())
	require.False(t, m.Stats().Compiled)
	require.Zero(t, m.Stats().Live)
	require.False(t, m.Rest())
	require.Equal(t, "hello", step(t, m, "ehello"))
	require.Equal(t, 1, m.Stats().Live)

	// A small module rests often in little time.
	m, _ = compiled(t, newRuntime(t, Options{CacheDir: t.TempDir(), Limits: Limits{Instances: 3}}), newAdapter(1).step("", answerAt(outputAt, 4)).build())
	var group sync.WaitGroup
	var rests atomic.Int64
	for range 4 {
		group.Go(func() {
			for range 50 {
				b, err := m.Step(context.Background(), call("ehello"))
				if err != nil || len(b) != 4 {
					t.Errorf("%q %v", b, err)
				}
				if m.Rest() {
					rests.Add(1)
				}
			}
		})
	}
	group.Wait()
	require.Positive(t, rests.Load())
	require.NoError(t, m.Close(context.Background()))
	require.False(t, m.Rest())
	require.Zero(t, m.Stats().Live)
}
