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

	// kernelConstraint is the build constraint for files that replace upstream's code.
	// The last term also selects the language version Go 1.26 if go.mod specifies an
	// older version.
	kernelConstraint = "(amd64 || arm64) && gc && !purego && go1.26"

	// umacConstraint is the build constraint of UMAC, which upstream lacks.
	umacConstraint = "go1.26"
)

// copied lists the packages of this module that a copy contains, and the build
// constraints added to their files.
var copied = []struct{ folder, constraint string }{
	{"internal/cpu", umacConstraint},
	{"internal/dispatch", umacConstraint},
	{"internal/umac", umacConstraint},
	{"umac", umacConstraint},
	{"internal/alias", kernelConstraint},
	{"internal/constanttime", kernelConstraint},
	{"internal/chacha20", kernelConstraint},
	{"internal/chacha20poly1305", kernelConstraint},
	{"internal/blake2b", kernelConstraint},
	{"internal/poly1305", kernelConstraint},
	{"internal/salsa20", kernelConstraint},
	{"sshpatch/internal/packet", kernelConstraint},
}

// addKernels adds this module's packages to tree.
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

// inCopy returns the path in a copy for a folder of this module. It removes internal
// from the path, because all packages below internal/unimac are internal anyway. The
// folder of UMAC's kernels is an exception, because without internal, it would have the
// same path as package umac, which uses these kernels.
func inCopy(folder string) string {
	if folder == "internal/umac" {
		return path.Join(kernelFolder, "umac", folder)
	}
	return path.Join(kernelFolder, path.Base(folder))
}

// withoutDirectives removes go:generate directives, because a copy does not contain the
// generators.
func withoutDirectives(source string) string {
	var kept strings.Builder
	for line := range strings.Lines(source) {
		if !strings.HasPrefix(line, "//go:generate ") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// constrain returns source with a build constraint that requires both the constraint
// more and any existing constraint of source. It removes "// +build" lines, because go
// vet would report that these lines contradict the new constraint.
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

// compiled reports whether source is compiled on at least one processor, with or
// without kernels.
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

// and returns the conjunction of the build constraints a and b. The first constraint
// may be empty.
func and(a, b string) string {
	if a == "" {
		return b
	}
	return "(" + a + ") && (" + b + ")"
}

// constraintOf returns the build constraint of source and the range of the lines that
// contain it, including old "// +build" lines. If source has no constraint,
// constraintOf returns an empty text and an empty range at the position for a
// constraint. This position precedes the doc comment of the package clause, or of the
// first line of assembly.
func constraintOf(source []byte) (text string, begin, end int, err error) {
	paragraph := 0 // offset of the last comment
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

// firstLine returns the first line of text without the newline.
func firstLine(text []byte) string {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return string(line)
}
