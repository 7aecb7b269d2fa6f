package flow

import (
	"errors"
	"fmt"
	"runtime"
)

type node struct {
	next  *node
	pad   [5000]byte
	value int
}

func panics(say func(...any)) {
	var none *node
	var empty []int
	var nothing fmt.Stringer
	var names map[string]int
	zero, far := 0, 7
	for i, f := range []func() int{
		func() int { return none.value },
		func() int { return none.next.next.value },
		func() int { none.pad[far] = 1; return 0 },
		func() int { return empty[far] },
		func() int { return len(empty[far:]) },
		func() int { return far / zero },
		func() int { return far % zero },
		func() int { return len(nothing.String()) },
		func() int { return len(any(far).(string)) },
		func() int { names["x"] = far; return 0 },
		func() int { panic(errors.New("an error")) },
		func() int { close((chan int)(nil)); return 0 },
	} {
		say(i, caught(f))
	}
	say(caught(func() int { // again, from a deferred call, after a call that went well
		defer func() {
			r := recover()
			add(1, 2, <-once(3))
			panic(fmt.Sprint("again: ", r))
		}()
		return add(far, far, zero) / zero
	}))
	for i := range 6 { // in a loop that goes on
		func() {
			defer func() { say("in a loop", i, recover() != nil) }()
			if i%2 == 0 {
				_ = empty[i]
			}
		}()
	}
}

// caught calls f and says what it returned or panicked with.
func caught(f func() int) (said string) {
	defer func() {
		if r := recover(); r != nil {
			said = fmt.Sprint(said, "caught: ", r)
		}
	}()
	said = "called, "
	return fmt.Sprint("returned ", f())
}

func defers(say func(...any)) {
	say(named(3))
	say(named(0))
	for n := range 4 {
		say(conditional(n))
	}
	func() {
		for i := range 3 {
			defer func() { say("deferred", i, add(i, i, <-once(i))) }()
		}
		defer func() { say("recovered", recover()) }()
		defer say("before")
		panic("in a function with many")
	}()
}

func named(n int) (result int, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
			result++
		}
	}()
	result = 40
	result += 6 / n
	return result, nil
}

func conditional(n int) (s string) {
	if n > 0 {
		defer func() { s += "a" }()
	}
	if n > 1 {
		defer func() { s += fmt.Sprint(recover()) }()
	}
	if n > 2 {
		panic("b")
	}
	return fmt.Sprint(n)
}

func goexit(say func(...any)) {
	said := make(chan string)
	for i := range 3 {
		go func() {
			defer close(said)
			defer func() { said <- fmt.Sprint("leaving ", i, recover()) }()
			for k := 0; ; k++ {
				if k > i {
					leave(k)
				}
			}
		}()
		for s := range said {
			say(s)
		}
		said = make(chan string)
	}
}

func leave(n int) {
	defer runtime.Gosched()
	if n > 0 {
		runtime.Goexit()
	}
}
