// Package flow goes all the ways that control can take in a Go program: what it answers must be the same in a guest as natively.
package flow

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Names are those of the ways.
var Names = []string{"goroutines", "select", "locks", "panics", "defers", "goexit", "stack", "ranges", "jumps", "calls"}

// All goes all of them.
func All() (said []string) {
	for _, name := range Names {
		said = append(said, Run(name))
	}
	return said
}

// Run goes one of them, and says what it met.
func Run(name string) string {
	var s strings.Builder
	say := func(v ...any) { fmt.Fprintln(&s, v...) }
	map[string]func(func(...any)){"goroutines": goroutines, "select": selects, "locks": locks, "panics": panics, "defers": defers, "goexit": goexit,
		"stack": stack, "ranges": ranges, "jumps": jumps, "calls": calls}[name](say)
	return s.String()
}

// goroutines stop in the middle of loops, in arguments of calls and in conditions.
func goroutines(say func(...any)) {
	numbers := make(chan int)
	go func() {
		defer close(numbers)
		for i := range 10 {
			for k := range i {
				if k%3 == i%3 {
					numbers <- i*100 + k
				}
			}
		}
	}()
	squares := make(chan int)
	go func() {
		defer close(squares)
		for n := range numbers {
			squares <- n * n
		}
	}()
	sum := 0
	for n, ok := <-squares; ok; n, ok = <-squares {
		sum = add(sum, n, <-once(n%7))
	}
	say(sum)
	primes, next := make([]int, 0, 10), count()
	for range 10 { // a sieve: each prime is a goroutine more
		p := <-next
		primes = append(primes, p)
		in, out := next, make(chan int)
		go func() {
			for {
				if n := <-in; n%p != 0 {
					out <- n
				}
			}
		}()
		next = out
	}
	say(primes)
}

func add(a, b, c int) int { return a + b + c }

func once(n int) chan int {
	c := make(chan int)
	go func() { runtime.Gosched(); c <- n }()
	return c
}

func count() chan int {
	c := make(chan int)
	go func() {
		for n := 2; ; n++ {
			c <- n
		}
	}()
	return c
}

func selects(say func(...any)) {
	a, b, stop := make(chan int), make(chan string), make(chan struct{})
	go func() {
		for i := range 5 {
			select {
			case a <- i:
			case <-stop:
				return
			}
		}
		close(a)
	}()
	go func() {
		for _, w := range strings.Fields("the quick brown fox jumps over the lazy dog") {
			b <- w
		}
		close(b)
	}()
	sum, words := 0, 0
	for a, b := a, b; a != nil || b != nil; {
		select {
		case n, ok := <-a:
			if !ok {
				a = nil
				continue
			}
			sum += n
		case w, ok := <-b:
			if !ok {
				b = nil
				break
			}
			words += len(w)
		}
	}
	select {
	case <-stop:
	default:
		say("nothing", sum, words)
	}
}

func locks(say func(...any)) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	total := 0
	for i := range 20 {
		wg.Go(func() {
			for k := range 5 {
				mu.Lock()
				was := total
				if (i+k)%4 == 0 {
					runtime.Gosched() // with the lock
				}
				total = was + i*k
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	var first sync.Once
	c, ready := sync.NewCond(&mu), false
	go func() { mu.Lock(); ready = true; first.Do(c.Broadcast); mu.Unlock() }()
	mu.Lock()
	for !ready {
		c.Wait()
	}
	mu.Unlock()
	say(total, ready)
}

// stack grows in the middle of things, with pointers into it.
func stack(say func(...any)) {
	var first [3]int
	done := make(chan int)
	go func() { done <- deep(300, &first) }()
	say(<-done, first)
	say(deep(20, &first), first)
}

func deep(n int, at *[3]int) int {
	var room [40]int
	for i := range room {
		if room[i] = i * n; i == n%40 && n > 0 {
			var next [3]int
			next[n%3] = n
			room[i] += deep(n-1, &next)
			at[n%3] += next[(n+2)%3]
		}
	}
	sum := 0
	for _, v := range room {
		sum += v % 1000
	}
	return sum
}

func ranges(say func(...any)) {
	pairs := func(yield func(int, string) bool) {
		defer say("pairs end")
		for i, w := range strings.Fields("one two three four five") {
			if !yield(i, w) {
				return
			}
		}
	}
	find := func(want string) (at int) {
		defer func() { at *= 10 }()
		for i, w := range pairs {
			defer say("found nothing at", i)
			switch {
			case w == want:
				return i
			case i == 3:
				break
			default:
				continue
			}
		}
		return -1
	}
	say(find("three"), find("six"))
outer:
	for i := range 4 {
		for k, w := range pairs {
			if k == i {
				continue outer
			}
			if k+len(w) > 7 {
				break outer
			}
		}
	}
	for i, r := range "aé漢\xff😀" {
		say(i, r)
	}
	m := map[int]string{}
	for i := range 30 {
		m[i*i] = strings.Repeat("x", i)
	}
	keys := make([]int, 0, len(m))
	for k, v := range m {
		if delete(m, k); len(v)%2 == 0 {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	say(keys, len(m))
}

func jumps(say func(...any)) {
	words := 0
	i := 0
next:
	switch i++; {
	case i < 3:
		words++
		fallthrough
	case i < 6:
		words += 10
		goto next
	case i == 6, i == 8:
		for words%7 != 0 {
			if words++; words%5 == 0 {
				goto next
			}
		}
		goto next
	case i < 12:
		goto next
	}
	say(i, words)
	for _, s := range []string{"", "authorize", "capture", "void", "refund", "sync", "verify", "complete", "webhook", "other"} {
		say(s, number(s), number(len(s)), number(errors.New(s)), number([]byte(s)))
	}
}

func number(v any) int {
	switch v := v.(type) {
	case string:
		switch v {
		case "authorize", "verify":
			return 1
		case "capture":
			return 2
		case "void", "refund":
			return 3
		case "sync", "complete":
			return 4
		}
		return 5
	case int:
		switch v {
		case 0:
			return 10
		case 1, 2, 3, 4:
			return 11
		case 5, 6:
			return 12
		case 7:
			return 13
		case 8, 9:
			return 14
		}
	case error:
		return number(v.Error()) + 20
	}
	return -1
}

// Add is called by reflection's tables as well.
func (n *node) Add(v int) int { n.value += v; return n.value }

func calls(say func(...any)) {
	n := &node{}
	adder := n.Add
	by := reflect.ValueOf(n).MethodByName("Add")
	made := reflect.MakeFunc(reflect.TypeFor[func(int, string) (string, error)](), func(in []reflect.Value) []reflect.Value {
		runtime.Gosched()
		return []reflect.Value{reflect.ValueOf(fmt.Sprint(in[1], in[0])), reflect.Zero(reflect.TypeFor[error]())}
	}).Interface().(func(int, string) (string, error))
	for i := range 5 {
		defer adder(i)
		adder(i)
		s, err := made(i, "made ")
		say(s, err, n.value, by.IsValid())
	}
	words := strings.Fields("sorted by a function that waits now and then")
	slices.SortStableFunc(words, func(a, b string) int {
		if len(a) == len(b) {
			runtime.Gosched()
		}
		return len(a) - len(b)
	})
	say(words, apply(words, strings.ToUpper), apply([]int{1, 2, 3}, adder))
}

func apply[T, U any](in []T, f func(T) U) (out []U) {
	for _, v := range in {
		out = append(out, f(v))
	}
	return out
}
