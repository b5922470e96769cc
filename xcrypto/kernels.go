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
	kernelFolder = "internal/unimac"

	// kernelConstraint is the build constraint for files that replace upstream's code.
	// The term go1.26 requires Go 1.26 and enables its language features even if go.mod
	// specifies an older version.
	kernelConstraint = "(amd64 || arm64) && gc && !purego && go1.26"

	// umacConstraint is the build constraint for UMAC, which upstream lacks.
	umacConstraint = "go1.26"
)

// copiedPackages lists the packages that a copy contains, with added build constraints.
var copiedPackages = []struct{ folder, constraint string }{
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

func addKernels(tree modcopy.Tree) error {
	var imports []string
	for _, pkg := range copiedPackages {
		imports = append(imports, `"`+modcopy.Unimac+"/"+pkg.folder+`"`, `"`+modcopy.Crypto+"/"+copyPath(pkg.folder)+`"`)
	}
	rename := strings.NewReplacer(imports...)
	for _, pkg := range copiedPackages {
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
			if !isCompiled(content) {
				continue
			}
			content = []byte(rename.Replace(withoutDirectives(string(content))))
			if bytes.Contains(content, []byte(`"`+modcopy.Unimac+"/")) {
				return fmt.Errorf("%s/%s imports a package that is not copied", pkg.folder, name)
			}
			tree[path.Join(copyPath(pkg.folder), name)] = content
		}
	}
	license, err := fs.ReadFile(unimac.Source, "LICENSE")
	tree[path.Join(kernelFolder, "LICENSE")] = license
	return err
}

// copyPath returns the directory of a copy that receives the package in folder.
func copyPath(folder string) string {
	// Package umac already occupies the directory named umac.
	if folder == "internal/umac" {
		return path.Join(kernelFolder, "umac", folder)
	}
	// All packages are below internal/unimac, so another "internal" is unnecessary.
	return path.Join(kernelFolder, path.Base(folder))
}

// withoutDirectives removes go:generate directives because a copy contains no
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

// constrain restricts source by the build constraint extra, in addition to any existing
// constraint. It removes "// +build" lines because go vet would report that they
// contradict the result.
func constrain(source []byte, extra string) ([]byte, error) {
	line, begin, end, err := constraintOf(source)
	if err != nil {
		return nil, err
	}
	combined, err := constraint.Parse("//go:build " + conjunction(line, extra))
	if err != nil {
		return nil, err
	}
	directive := "//go:build " + combined.String() + "\n"
	if begin == end {
		directive += "\n"
	}
	return bytes.Join([][]byte{source[:begin], []byte(directive), source[end:]}, nil), nil
}

// isCompiled reports whether any supported build configuration compiles source, with or
// without kernels.
func isCompiled(source []byte) bool {
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

func conjunction(a, b string) string {
	if a == "" {
		return b
	}
	return "(" + a + ") && (" + b + ")"
}

// constraintOf returns the build constraint of source and the range of the lines that
// contain it, including old "// +build" lines. If there is no constraint, it returns an
// empty text and an empty range before the doc comment of the first line of code, where
// a constraint belongs.
func constraintOf(source []byte) (text string, begin, end int, err error) {
	paragraph := 0 // offset after the last empty line
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

func firstLine(text []byte) string {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return string(line)
}
