// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package modcopy

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Release is the origin of a copy that is made of what the current module requires, and not
// of what it replaces that by.
const Release = ""

// In each kind of copy there is a file that packages xcrypto and sshpatch know it by. A line
// of it names the origin.
const (
	KernelsFile = "internal/unimac/COPY"
	PatchFile   = "ssh/unimac_umac.go"

	forkField = "fork: "
	noFork    = "none" // no folder in go.mod has such a name
)

// ForkLine is the line that names an origin.
func ForkLine(origin string) string {
	if origin == Release {
		origin = noFork
	}
	return forkField + origin + "\n"
}

// copiedFrom reports whether a folder is a copy, by either package, and what it was made of.
func copiedFrom(dir string) (origin string, ok bool) {
	for _, name := range []string{KernelsFile, PatchFile} {
		if text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name))); err == nil {
			return OriginIn(text), true
		}
	}
	return "", false
}

// OriginIn is the reverse of ForkLine, in the whole text of a file in which the line may be a
// comment.
func OriginIn(text []byte) string {
	for line := range strings.Lines(string(text)) {
		if origin, ok := strings.CutPrefix(strings.TrimPrefix(line, "// "), forkField); ok {
			if origin = strings.TrimSpace(origin); origin != noFork {
				return origin
			}
		}
	}
	return Release
}

// Origin returns what a copy in the folder to is to be made of: what the current module
// replaces the required module by, as go.mod spells it, which is a folder, or a module's path and
// version. If that is a copy, it is what this was made of. If it is the folder to, or if
// nothing is replaced, a copy may have been there: it is what the file says that
// WriteCopy has left, or else Release.
func (m *Module) Origin(to string) (string, error) {
	r := m.required.Replace
	if r != nil && r.Version != "" {
		return r.Path + " " + r.Version, nil
	}
	if r != nil && !samePlace(m.folder(r.Path), to) {
		dir := m.folder(r.Path)
		if origin, ok := copiedFrom(dir); ok {
			return origin, nil
		}
		if _, err := os.Stat(dir); err != nil {
			return "", fmt.Errorf("the replacement of %s: %w", m.required.Path, err)
		}
		return r.Path, nil
	}
	origin, err := os.ReadFile(originFile(to))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return strings.TrimSpace(string(origin)), err
}

// samePlace reports whether two names are of the same folder, which need not be there.
func samePlace(a, b string) bool {
	x, err := os.Stat(filepath.Dir(a))
	if err != nil {
		return false
	}
	y, err := os.Stat(filepath.Dir(b))
	return err == nil && os.SameFile(x, y) && filepath.Base(a) == filepath.Base(b)
}

// WriteCopy is Write. It leaves a file next to the copy of a fork that names the fork, because
// the copy may be removed to make it again.
func (t Tree) WriteCopy(dir, origin string) error {
	if err := t.Write(dir); err != nil || origin == Release {
		return err
	}
	return os.WriteFile(originFile(dir), []byte(origin+"\n"), 0o644)
}

// originFile is the file next to a copy of a fork.
func originFile(dir string) string { return filepath.Clean(dir) + ".origin" }
