package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"aead.dev/minisign"

	"payswitch/plugins"
)

// releaseComment is the signed comment of a release's sums. The signature of an adapter's bundle has another comment, so neither signature passes for
// the other.
const releaseComment = "payswitch release"

// releaseSign signs the sums of a release's files, in minisign's format.
func (p *program) releaseSign(_ context.Context, args []string) error {
	f := p.flags("release sign SHA256SUMS")
	sign := f.String("sign", "", "sign with the secret key in this `file` (payswitch plugin keygen, or minisign -G)")
	password := passwordFlag(f)
	out := f.String("o", "", "write the signature to this `file`; without the flag, to SHA256SUMS.minisig")
	path, err := operand(f, args, "a file of sums, as: payswitch release sign SHA256SUMS --sign release.key")
	if err != nil {
		return err
	}
	if *sign == "" {
		return usageError{"release sign needs --sign with the file of the secret key"}
	}
	sums, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	list, err := parseSums(path, sums)
	if err != nil {
		return err
	}
	key, err := readSigningKey(*sign, *password)
	if err != nil {
		return err
	}
	if *out == "" {
		*out = path + ".minisig"
	}
	if err := os.WriteFile(*out, minisign.SignWithComments(key, sums, releaseComment, "signed by payswitch release sign"), 0o644); err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "%s signs the sums of %d files, by key %s\n", *out, len(list), plugins.KeyID(key.ID()))
	return nil
}

// releaseVerify checks the signature of a release's sums, and then the files. It reads those that are named; without names, those of the sums that lie
// in the same folder.
func (p *program) releaseVerify(_ context.Context, args []string) error {
	f := p.flags("release verify SHA256SUMS [FILE…]")
	given := f.String("key", "", "the minisign public `key` of the release (its text, or a file)")
	files, err := operands(f, args, 1000)
	if err != nil {
		return err
	}
	if len(files) == 0 || *given == "" {
		return usageError{"release verify needs a file of sums and a key, as: payswitch release verify SHA256SUMS --key RW…"}
	}
	trusted, err := trustedKeys(nil, []string{*given})
	if err != nil {
		return err
	}
	path := files[0]
	sums, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := verifyRelease(path, sums, trusted[0]); err != nil {
		return err
	}
	list, err := parseSums(path, sums)
	if err != nil {
		return err
	}
	named := files[1:]
	if len(named) == 0 {
		for _, s := range list {
			if file := filepath.Join(filepath.Dir(path), s.file); exists(file) {
				named = append(named, file)
			}
		}
	}
	if len(named) == 0 {
		return fmt.Errorf("none of the %d files in %s lies in the same folder: name a file, or run the command in the folder of the downloads", len(list), path)
	}
	var problems []error
	for _, file := range named {
		if err := verifyFile(file, list); err != nil {
			problems = append(problems, err)
			continue
		}
		fmt.Fprintf(p.stdout, "%s is genuine\n", file)
	}
	return errors.Join(problems...)
}

// verifyRelease checks that a key has signed the sums as those of a release.
func verifyRelease(path string, sums []byte, key minisign.PublicKey) error {
	text, err := os.ReadFile(path + ".minisig")
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s.minisig is missing: download the signature too. Nothing was verified", path)
	}
	if err != nil {
		return err
	}
	var s minisign.Signature
	if err := s.UnmarshalText(text); err != nil {
		return fmt.Errorf("%s.minisig is no signature in minisign's format: %w", path, err)
	}
	switch {
	case s.KeyID != key.ID():
		return fmt.Errorf("%s is signed by key %s, not by %s: do not install these files", path, plugins.KeyID(s.KeyID), plugins.KeyID(key.ID()))
	case !minisign.Verify(key, sums, text):
		return fmt.Errorf("%s was changed after it was signed: do not install these files", path)
	case s.TrustedComment != releaseComment:
		return fmt.Errorf("%s is signed as %q, not as %q: do not install these files", path, s.TrustedComment, releaseComment)
	}
	return nil
}

// fileSum is one line of a file of sums.
type fileSum struct{ sum, file string }

var sumLine = regexp.MustCompile(`^([0-9a-f]{64}) [ *]([^/\\]+)$`)

// parseSums reads the lines of sha256sum. A file of another folder, a repeated file and any other line are errors: a line that release verify does
// not understand is never verified.
func parseSums(path string, text []byte) (list []fileSum, err error) {
	for i, line := range strings.Split(strings.TrimRight(string(text), "\n"), "\n") {
		m := sumLine.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("%s line %d: %q is no line of sha256sum with a file of the same folder", path, i+1, line)
		}
		if slices.ContainsFunc(list, func(s fileSum) bool { return s.file == m[2] }) {
			return nil, fmt.Errorf("%s line %d: %s stands twice", path, i+1, m[2])
		}
		list = append(list, fileSum{m[1], m[2]})
	}
	return list, nil
}

func verifyFile(file string, list []fileSum) error {
	i := slices.IndexFunc(list, func(s fileSum) bool { return s.file == filepath.Base(file) })
	if i < 0 {
		return fmt.Errorf("%s is not among the signed files: do not install it", file)
	}
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	h := sha256.New()
	if _, err := io.Copy(h, in); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if want, err := hex.DecodeString(list[i].sum); err != nil || !bytes.Equal(h.Sum(nil), want) {
		return fmt.Errorf("%s differs from what was signed: do not install it, and download it again", file)
	}
	return nil
}
