// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshpatch

import (
	"slices"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/modcopy"
)

// FuzzSource reads any source in the place of package ssh: it is an error, or it
// has both declarations.
func FuzzSource(f *testing.F) {
	const good = "package ssh\n\ntype macMode struct {\n\tkeySize int\n\tetm bool\n\tnew func(key []byte) hash.Hash\n}\n\n"
	f.Add([]byte(good + "var macModes = map[string]*macMode{}\n"))
	f.Add([]byte("\ufeff" + good + "var macModes map[string]*macMode"))
	f.Add([]byte(good + "//line other.go:1\nvar macModes, other = f()\n"))
	f.Add([]byte("package ssh\n\ntype macMode struct { keySize, size int; hash.Hash }\nvar ( macModes = 1 )"))
	f.Add([]byte("package"))
	f.Add([]byte("package ssh\ntype macMode = struct{}\ntype ( macMode[T any] struct { keySize T } )\nvar macModes [2]struct{}"))
	f.Fuzz(func(t *testing.T, source []byte) {
		err := checkSource(modcopy.Tree{"ssh/mac.go": source})
		d, readErr := modcopy.Declarations(source)
		fields := 0
		for _, text := range d.Full {
			if strings.HasPrefix(text, "field macMode.") {
				fields++
			}
		}
		known := slices.Contains(d.Full, "field macMode.keySize int") && slices.Contains(d.Full, "field macMode.etm bool") &&
			slices.Contains(d.Full, "field macMode.new func(key []byte) hash.Hash") && slices.Contains(d.Full, "var macModes map[string]*macMode")
		if err == nil && (readErr != nil || fields != 3 || !known) {
			t.Errorf("%q is as known, and declares %q: %v", source, d.Full, readErr)
		}
	})
}
