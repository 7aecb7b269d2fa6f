package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// tested runs a project's tests while the switch serves. They begin when a build is live, so that a saved file does not wait for them.
type tested struct {
	cancel context.CancelFunc
	ended  chan struct{}
}

// start runs the tests and prints what they say.
func (t *tested) start(ctx context.Context, d *developing) {
	t.stop()
	ctx, t.cancel = context.WithCancel(ctx)
	ended := make(chan struct{})
	t.ended = ended
	module := filepath.Join(d.directory, d.manifest.Name+".wasm")
	go func() {
		defer close(ended)
		began := time.Now()
		err := d.p.testProject(ctx, d.dir, module)
		switch took := time.Since(began).Round(10 * time.Millisecond); {
		case ctx.Err() != nil: // a newer file, or the end
		case err != nil:
			fmt.Fprintf(d.p.stdout, "tests failed after %v: %v\n", took, err)
		default:
			fmt.Fprintf(d.p.stdout, "tests passed after %v\n", took)
		}
	}()
}

// stop ends the tests if they still run.
func (t *tested) stop() {
	if t.cancel != nil {
		t.cancel()
		<-t.ended
		t.cancel = nil
	}
}

// testProject runs go test in a Go project. A project in another language is checked like a finished module: its cases are its tests.
func (p *program) testProject(ctx context.Context, dir, module string) error {
	if exists(filepath.Join(dir, "go.mod")) {
		tool, ok := p.look("go")
		if !ok {
			return errors.New("go is not on PATH")
		}
		cmd := exec.CommandContext(ctx, tool, "test", "./...")
		cmd.Dir, cmd.Env = dir, append(append([]string{}, p.env...), settingsOff...)
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // go ends the tests' process with itself
		cmd.WaitDelay = time.Second
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%w\n%s", err, bytes.TrimSpace(out))
		}
		return nil
	}
	wasm, err := os.ReadFile(module)
	if err != nil {
		return err
	}
	report, m, err := certify(ctx, wasm, filepath.Join(dir, "testdata"), module)
	if err != nil {
		return err
	}
	if m != nil {
		m.Close()
	}
	if report.Passed {
		return nil
	}
	var b bytes.Buffer
	report.print(&b)
	return fmt.Errorf("%s\n%s", report.summary(), bytes.TrimSpace(b.Bytes()))
}
