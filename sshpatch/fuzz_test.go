// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshpatch

import (
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
		var d declarations
		readErr := d.read("mac.go", source)
		if (err == nil) != (readErr == nil && len(d.fields) == 3 && d.fields[0] == "keySize int" && d.fields[1] == "etm bool" &&
			d.fields[2] == "new func(key []byte) hash.Hash" && d.modes == "map[string]*macMode") {
			t.Errorf("%q: %v, with the fields %q and macModes %q", source, err, d.fields, d.modes)
		}
	})
}
