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

// An Origin is what a copy is made of: a version of x/crypto, which the current module requires,
// or pins by a replacement with x/crypto itself; or a fork.
type Origin struct {
	Version string
	Fork    string // what go.mod replaces x/crypto by: a folder, or a module's path and version
}

// Oldest is the oldest supported release of x/crypto, and the first that was tagged.
const Oldest = "v0.1.0"

// Supported ends errors about an unknown layout. It names [Oldest] and the command by which
// the current module requires the newest release.
const Supported = "supported releases begin with " + Oldest + "; if yours is older, run: go get " + Crypto + "@latest"

// CheckVersion returns an error if o is older than [Oldest]. Forks, whose versions tell
// nothing about the version of x/crypto, are never rejected.
func (o Origin) CheckVersion() error {
	// No release precedes Oldest, so the version of an older commit is a pseudo-version of
	// this form.
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

// In each kind of copy there is a file that packages xcrypto and sshpatch know it by. Lines
// of it name the origin.
const (
	KernelsFile = "internal/unimac/COPY"
	PatchFile   = "ssh/unimac_umac.go"

	versionField = "x/crypto: "
	forkField    = "fork: "
	none         = "none" // no version and no folder in go.mod has such a name
)

// Lines names the origin in lines of a file, after something that may make them comments.
func (o Origin) Lines(comment string) string {
	return comment + versionField + cmp.Or(o.Version, none) + "\n" + comment + forkField + cmp.Or(o.Fork, none) + "\n"
}

// OriginIn is the reverse of Lines, in the whole text of the file.
func OriginIn(text []byte) (o Origin) {
	for line := range strings.Lines(string(text)) {
		line = strings.TrimPrefix(line, "// ")
		if version, ok := strings.CutPrefix(line, versionField); ok && o.Version == "" {
			o.Version = named(version)
		} else if fork, ok := strings.CutPrefix(line, forkField); ok && o.Fork == "" {
			o.Fork = named(fork)
		}
	}
	return o
}

// named is a name in a line, or "".
func named(text string) string {
	if text = strings.TrimSpace(text); text != none {
		return text
	}
	return ""
}

// OriginOf returns what the copy in a folder is made of, a copy by either package. There may be
// none.
func OriginOf(dir string) (o Origin, ok bool) {
	for _, name := range []string{KernelsFile, PatchFile} {
		if text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name))); err == nil {
			return OriginIn(text), true
		}
	}
	return o, false
}

// Origin returns what a copy in the folder to is to be made of: what the current module
// replaces x/crypto by. If that is a copy, it is the fork that this was made of. If it is the
// folder to, or if nothing is replaced, a copy may have been there: it is the fork that the file
// names which WriteCopy has left. Without a fork it is the version of x/crypto.
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
		o.Fork = m.spelled(r.Path, r.Dir)
	default:
		text, err := readOptional(originFile(to))
		if err != nil {
			return o, err
		}
		o.Fork = strings.TrimSpace(string(text))
	}
	// A release is no fork, whatever its version.
	if path, _, _ := strings.Cut(o.Fork, " "); path == Crypto {
		o.Fork = ""
	}
	if o.Fork == "" {
		o.Version = m.Version()
	}
	return o, nil
}

// samePlace reports whether two names are of the same folder, which need not be there.
func samePlace(a, b string) bool {
	if sameFile(a, b) {
		return true
	}
	return sameFile(filepath.Dir(a), filepath.Dir(b)) && filepath.Base(a) == filepath.Base(b)
}

// sameFile reports whether two names are of one thing that is there.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// WriteCopy is Write. It leaves a file next to the copy of a fork that names the fork, because
// the copy may be removed to make it again, and removes such a file next to any other copy.
// After an error that file is as it was.
func (t Tree) WriteCopy(dir string, o Origin) error {
	file := originFile(dir)
	before, err := readOptional(file)
	if err != nil {
		return err
	}
	var after []byte
	if o.Fork != "" {
		after = []byte(o.Fork + "\n")
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	if err := writeOptional(file, after); err != nil {
		return err
	}
	if err := t.Write(dir); err != nil {
		return errors.Join(err, writeOptional(file, before))
	}
	return nil
}

// readOptional is os.ReadFile. The content of a file that is not there is nil.
func readOptional(file string) ([]byte, error) {
	content, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return content, err
}

// writeOptional is the reverse of readOptional.
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

// originFile is the file next to a copy of a fork.
func originFile(dir string) string { return filepath.Clean(dir) + ".origin" }
