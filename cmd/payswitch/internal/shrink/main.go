// Command shrink writes text files into one compressed file that the binary embeds instead of them, for compress.Files. The same files give the same bytes.
package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: shrink FILE FOLDER [PATTERN…]: the files of FOLDER that match one of the patterns, without tests")
		os.Exit(2)
	}
	packed, err := shrink(os.DirFS(os.Args[2]), os.Args[3:])
	if err == nil {
		next := filepath.Join(filepath.Dir(os.Args[1]), ".next-"+filepath.Base(os.Args[1])) // an interrupted make leaves no half file
		if err = os.WriteFile(next, packed, 0o644); err == nil {
			err = os.Rename(next, os.Args[1])
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "shrink:", err)
		os.Exit(1)
	}
}

// shrink returns a compressed zip file of the files of folder that match one of the patterns, in their order. Of a folder that matches it takes all files.
func shrink(folder fs.FS, patterns []string) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, p := range patterns {
		names, err := fs.Glob(folder, p)
		if err != nil {
			return nil, err
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("no file matches %s", p)
		}
		for _, name := range names {
			err := fs.WalkDir(folder, name, func(name string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() || strings.HasSuffix(name, "_test.go") {
					return err
				}
				text, err := fs.ReadFile(folder, name)
				if err != nil {
					return err
				}
				f, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store}) // without a time
				if err == nil {
					_, err = f.Write(text)
				}
				return err
			})
			if err != nil {
				return nil, err
			}
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(8<<20))
	if err != nil {
		return nil, err
	}
	defer e.Close()
	return e.EncodeAll(b.Bytes(), nil), nil
}
