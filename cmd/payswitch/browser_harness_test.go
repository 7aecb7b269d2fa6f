package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// browserTime bounds what one test does in a browser, patience how long it waits for one thing to happen.
const (
	browserTime = 3 * time.Minute
	patience    = 30 * time.Second
)

// tab is a page in a headless Chromium. Everything is done by scripts, so that frames of our own origin are in reach too.
type tab struct {
	*testing.T
	ctx context.Context
}

// newTab starts a browser, or skips the test where Chromium is missing. Tests in browsers wait more than they compute, so that newTab makes
// them parallel.
func newTab(t *testing.T, options ...chromedp.ExecAllocatorOption) *tab {
	t.Helper()
	t.Parallel()
	program := chromium(t)
	_, err := cache() // the time to build the program does not count as time in a browser
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), browserTime)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, append([]chromedp.ExecAllocatorOption{chromedp.ExecPath(program), chromedp.Headless, chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.UserDataDir(t.TempDir()), chromedp.WindowSize(1000, 800),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("site-per-process", true), // a default of the browser alone, not of its shell
		chromedp.Flag("disable-sync", true), chromedp.Flag("disable-dev-shm-usage", true)}, options...)...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &tab{t, ctx}
	b.do()
	return b
}

// chromium returns the path of Chromium without its windows, which needs half the processor time, else that of Chromium. It skips the test where both are missing.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium-headless-shell", "chromium"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	require.Empty(t, os.Getenv("TEST_ALL"), "make test skips nothing: install chromium-headless-shell or chromium")
	t.Skip("needs chromium")
	return ""
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	require.NoError(b, chromedp.Do(b.ctx, steps...))
}

// size sets the size of the page.
func (b *tab) size(width, height int64) { b.do(chromedp.EmulateViewport(width, height)) }

// script runs JavaScript in the page and returns its value.
func script[T any](b *tab, expression string) T {
	b.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	require.NoError(b, err, expression)
	return v
}

// back goes back as the browser's button does.
func (b *tab) back() { b.do(chromedp.NavigateBack()) }

// await waits until an expression is true in a page that was read whole. A page that is being replaced by another answers nothing meanwhile.
func (b *tab) await(expression string) {
	b.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if v, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("document.readyState !== 'loading' && Boolean("+expression+")")); err == nil && v {
			return
		}
		if time.Now().After(end) {
			at, _ := chromedp.Run(b.ctx, chromedp.Location())
			b.shot(b.Name())
			b.Fatalf("%s did not come true; at %s", expression, at)
		}
	}
}

// shot keeps a picture of the page in the folder that TEST_SCREENSHOTS names, for people to look at; unset, it keeps none.
func (b *tab) shot(name string) {
	b.Helper()
	folder := os.Getenv("TEST_SCREENSHOTS")
	if folder == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	require.NoError(b, err)
	require.NoError(b, os.WriteFile(filepath.Join(folder, filepath.Base(name)+".png"), png, 0o600))
}
