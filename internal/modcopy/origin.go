// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package modcopy

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// An Origin identifies what a copy of x/crypto was made from: a fork, or the version of
// x/crypto that the current module selects with a require or replace directive.
type Origin struct {
	Version string
	Fork    string // replacement of x/crypto in go.mod: a directory, or a module's path and version
}

// Oldest is the first tagged release of x/crypto. Older versions are not supported.
const Oldest = "v0.1.0"

// Supported is the end of errors about an unknown layout.
const Supported = "supported releases begin with " + Oldest + "; if yours is older, run: go get " + Crypto + "@latest"

// CheckVersion returns an error if o is a version before [Oldest].
func (o Origin) CheckVersion() error {
	// Oldest is the first tagged release, so older commits have pseudo-versions. The
	// version of a fork does not show on which version of x/crypto the fork is based.
	if o.Fork == "" && strings.HasPrefix(o.Version, "v0.0.0-") {
		return fmt.Errorf("version %s is too old", o.Version)
	}
	return nil
}

func (o Origin) String() string {
	if o.Fork != "" {
		return "the fork " + o.Fork
	}
	return Crypto + " " + o.Version
}

// These files in a copy of x/crypto name the copy's origin. Package xcrypto adds
// KernelsFile to its copies, and package sshpatch adds PatchFile.
const (
	KernelsFile = "internal/unimac/COPY"
	PatchFile   = "ssh/unimac_umac.go"

	versionField = "x/crypto: "
	forkField    = "fork: "
	none         = "none" // no version and no directory in go.mod has such a name
)

// Lines returns the two lines that name o, each after the prefix comment.
func (o Origin) Lines(comment string) string {
	return comment + versionField + cmp.Or(o.Version, none) + "\n" + comment + forkField + cmp.Or(o.Fork, none) + "\n"
}

// OriginIn returns the origin that the lines of a file state.
func OriginIn(text []byte) (o Origin) {
	for line := range strings.Lines(string(text)) {
		line = strings.TrimPrefix(line, "// ")
		if version, ok := strings.CutPrefix(line, versionField); ok && o.Version == "" {
			o.Version = parseName(version)
		} else if fork, ok := strings.CutPrefix(line, forkField); ok && o.Fork == "" {
			o.Fork = parseName(fork)
		}
	}
	return o
}

// parseName trims text and replaces the placeholder none with an empty string.
func parseName(text string) string {
	if text = strings.TrimSpace(text); text != none {
		return text
	}
	return ""
}

// OriginOf returns the version or fork of x/crypto from which the copy in dir was made.
// ok is false if dir contains no copy.
func OriginOf(dir string) (o Origin, ok bool) {
	for _, name := range []string{KernelsFile, PatchFile} {
		if text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name))); err == nil {
			return OriginIn(text), true
		}
	}
	return o, false
}

// Origin returns the origin of a new copy in the directory named by to.
//
// If the current module replaces x/crypto with a fork, the origin is this fork. If the
// replacement is a copy in another directory, the origin is the fork from which that
// copy was written. If the replacement is the directory of the new copy, or if there is
// no replacement, the origin is the fork named by the file that WriteCopy writes.
// Without a fork, it is the version of x/crypto.
func (m *Module) Origin(to string) (o Origin, err error) {
	r := m.crypto.Replace
	switch {
	case r != nil && r.Version != "":
		o.Fork = r.Path + " " + r.Version
	case r != nil && !samePlace(r.Dir, to):
		copied, ok := OriginOf(r.Dir)
		if o.Fork = copied.Fork; ok {
			break
		}
		if _, err := os.Stat(r.Dir); err != nil {
			return o, fmt.Errorf("the replacement of %s: %w", Crypto, err)
		}
		o.Fork = m.goModPath(r.Path, r.Dir)
	default:
		text, err := readOptional(originFile(to))
		if err != nil {
			return o, err
		}
		o.Fork = strings.TrimSpace(string(text))
	}
	// A replacement by a release of x/crypto is not a fork.
	if path, _, _ := strings.Cut(o.Fork, " "); path == Crypto {
		o.Fork = ""
	}
	if o.Fork == "" {
		o.Version = m.Version()
	}
	return o, nil
}

// samePlace reports whether two names refer to the same directory. The directory need
// not exist.
func samePlace(a, b string) bool {
	if sameFile(a, b) {
		return true
	}
	return sameFile(filepath.Dir(a), filepath.Dir(b)) && filepath.Base(a) == filepath.Base(b)
}

// sameFile reports whether two names refer to the same existing file or directory.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// WriteCopy writes the tree to dir, which must be empty or not exist. If o is a fork,
// WriteCopy also writes its name to a file next to dir.
func (t Tree) WriteCopy(dir string, o Origin) error {
	file := originFile(dir)
	before, err := readOptional(file)
	if err != nil {
		return err
	}
	// The file keeps the fork's name if the user deletes the copy.
	var after []byte
	if o.Fork != "" {
		after = []byte(o.Fork + "\n")
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	if err := writeOptional(file, after); err != nil { // removes the file if after is nil
		return err
	}
	if err := t.Write(dir); err != nil {
		return errors.Join(err, writeOptional(file, before)) // restores the previous file
	}
	return nil
}

// readOptional reads a file. If the file does not exist, it returns nil.
func readOptional(file string) ([]byte, error) {
	content, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return content, err
}

func writeOptional(file string, content []byte) error {
	if content != nil {
		return os.WriteFile(file, content, 0o644)
	}
	err := os.Remove(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// originFile returns the path of the file next to dir that records the copy's fork.
func originFile(dir string) string { return filepath.Clean(dir) + ".origin" }
