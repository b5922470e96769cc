// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package xcrypto

import (
	"bytes"
	"fmt"
	"go/build/constraint"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/unimac/unimac"
	"github.com/unimac/unimac/internal/modcopy"
)

const (
	// kernelFolder is the folder of this module's packages in a copy.
	kernelFolder = "internal/unimac"

	// ours is the build constraint of files that replace upstream's code. Its last part also
	// selects the language version Go 1.26 in a module of an older version.
	ours = "(amd64 || arm64) && gc && !purego && go1.26"

	// newer is the build constraint of UMAC, which upstream lacks.
	newer = "go1.26"
)

// copied lists the packages of this module that a copy contains, and the build constraints that are
// added to their files.
var copied = []struct{ folder, constraint string }{
	{"internal/cpu", newer},
	{"internal/impl", newer},
	{"internal/umac", newer},
	{"umac", newer},
	{"internal/alias", ours},
	{"internal/constanttime", ours},
	{"internal/chacha20", ours},
	{"internal/chacha20poly1305", ours},
	{"internal/blake2b", ours},
	{"internal/poly1305", ours},
	{"internal/salsa20", ours},
	{"sshpatch/internal/packet", ours},
}

// addKernels adds the packages of this module to a copy.
func addKernels(tree modcopy.Tree) error {
	var imports []string
	for _, pkg := range copied {
		imports = append(imports, `"`+modcopy.Unimac+"/"+pkg.folder+`"`, `"`+modcopy.Crypto+"/"+inCopy(pkg.folder)+`"`)
	}
	rename := strings.NewReplacer(imports...)
	for _, pkg := range copied {
		entries, err := fs.ReadDir(unimac.Source, pkg.folder)
		if err != nil {
			return err
		}
		for _, entry := range entries {
			name := entry.Name()
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			content, err := fs.ReadFile(unimac.Source, path.Join(pkg.folder, name))
			if err != nil {
				return err
			}
			content, err = constrain(content, pkg.constraint)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if !compiled(content) {
				continue
			}
			content = []byte(rename.Replace(withoutDirectives(string(content))))
			if bytes.Contains(content, []byte(`"`+modcopy.Unimac+"/")) {
				return fmt.Errorf("%s/%s imports a package that is not copied", pkg.folder, name)
			}
			tree[path.Join(inCopy(pkg.folder), name)] = content
		}
	}
	license, err := fs.ReadFile(unimac.Source, "LICENSE")
	tree[path.Join(kernelFolder, "LICENSE")] = license
	return err
}

// inCopy returns the path in a copy of a folder of this module. It omits folders named internal, because
// all kernels of a copy are internal. The folder of UMAC's kernels keeps its path, because the package
// that uses the kernels has the same name.
func inCopy(folder string) string {
	if folder == "internal/umac" {
		return path.Join(kernelFolder, "umac", folder)
	}
	return path.Join(kernelFolder, path.Base(folder))
}

// withoutDirectives removes go:generate directives, because the generators are not copied.
func withoutDirectives(source string) string {
	var kept strings.Builder
	for line := range strings.Lines(source) {
		if !strings.HasPrefix(line, "//go:generate ") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// constrain returns a source file with a build constraint that requires more besides what
// the file's own constraint requires. It removes "// +build" lines, because go vet
// would report that they contradict the constraint.
func constrain(source []byte, more string) ([]byte, error) {
	line, begin, end, err := constraintOf(source)
	if err != nil {
		return nil, err
	}
	combined, err := constraint.Parse("//go:build " + and(line, more))
	if err != nil {
		return nil, err
	}
	directive := "//go:build " + combined.String() + "\n"
	if begin == end {
		directive += "\n"
	}
	return bytes.Join([][]byte{source[:begin], []byte(directive), source[end:]}, nil), nil
}

// compiled reports whether the kernels' processors, or a processor without kernels, compile a
// source file.
func compiled(source []byte) bool {
	line, _, _, err := constraintOf(source)
	if err != nil || line == "" {
		return err == nil
	}
	parsed, err := constraint.Parse("//go:build " + line)
	if err != nil {
		return false
	}
	for _, arch := range []string{"amd64", "arm64", "another"} {
		for _, tags := range []string{"gc go1.26", "gc", "purego go1.26"} {
			if parsed.Eval(func(tag string) bool { return tag == arch || slices.Contains(strings.Fields(tags), tag) }) {
				return true
			}
		}
	}
	return false
}

// and returns the conjunction of two constraints. The first may be empty.
func and(a, b string) string {
	if a == "" {
		return b
	}
	return "(" + a + ") && (" + b + ")"
}

// constraintOf returns the build constraint of a source file and the offsets at which its
// lines begin and end, including the lines of its old form, "// +build". If the file has no
// constraint, text is empty, and begin and end are where a constraint belongs: before the package
// clause or the first line of assembly, and before the comment that documents it.
func constraintOf(source []byte) (text string, begin, end int, err error) {
	paragraph := 0 // beginning of the last comment
	offset := 0
	for line := range bytes.Lines(source) {
		trimmed := strings.TrimSpace(string(line))
		switch {
		case constraint.IsGoBuild(trimmed):
			parsed, err := constraint.Parse(trimmed)
			if err != nil {
				return "", 0, 0, err
			}
			end := offset + len(line)
			for constraint.IsPlusBuild(firstLine(source[end:])) {
				end += len(firstLine(source[end:])) + 1
			}
			return parsed.String(), offset, end, nil
		case trimmed == "":
			paragraph = offset + len(line)
		case !strings.HasPrefix(trimmed, "//"):
			return "", paragraph, paragraph, nil
		}
		offset += len(line)
	}
	return "", 0, 0, fmt.Errorf("no code")
}

// firstLine returns the first line of a text without the newline.
func firstLine(text []byte) string {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return string(line)
}
