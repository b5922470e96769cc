// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package repository

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// foreign lists names in comments and pages that look like identifiers or files of this
// repository but are not: products, algorithms, and names of other programs.
var foreign = strings.Fields(`
	C2SP ChaCha ChrootDirectory ForceCommand FreeBSD GitHub PuTTY WebAssembly WireGuard
	Cobblestone128Decryptor DecryptReader DecryptReaderAt DecryptWriter EncryptReader EncryptWriter EncryptedSize
	CipherSuites MethodByName NewGCMWithRandomNonce ReadSeeker TextUnmarshaler WithDataIndependentTiming
	blocksPerBuf encCtx macCtx numBlocks macKeys
	_test.go copy.md internal/x/sum_amd64.s
`)

var (
	// identifier matches words with an upper-case letter inside, such as mustKey and
	// NewKey. Other identifiers cannot be distinguished from prose.
	identifier = regexp.MustCompile(`\b(?:[a-z][a-z0-9]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*)\b`)

	// fileName matches the names and paths of files.
	fileName = regexp.MustCompile(`[\w./-]*\w\.(?:go|s|md|json|yml|py|svg|mod|sum)\b(?:\.txt)?`)

	// address matches text that is not checked: addresses, mail addresses and import
	// paths.
	address = regexp.MustCompile(`\w+://\S+|\S+@\S+|\b[\w-]+\.(?:com|org|io|dev|net|cr)/\S*|golang\.org/\S*|pkg\.go\.dev\S*`)
)

// sources contains the names and texts that comments and pages may refer to.
type sources struct {
	identifiers map[string]bool
	files       map[string]bool // paths, and names without folders
	comments    map[string]string
}

// collectNames reads all Go files, assembly and pages of the repository.
func collectNames(t *testing.T) *sources {
	s := &sources{map[string]bool{}, map[string]bool{}, map[string]string{}}
	word := regexp.MustCompile(`\w+`)
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		name = filepath.ToSlash(name)
		switch {
		case err != nil:
			return err
		case d.IsDir() && name == ".git":
			return filepath.SkipDir
		}
		s.files[name], s.files[path.Base(name)] = true, true
		if d.IsDir() || path.Ext(name) != ".go" && path.Ext(name) != ".s" && path.Ext(name) != ".md" {
			return nil
		}
		data, err := os.ReadFile(filepath.FromSlash(name))
		if err != nil {
			return err
		}
		switch path.Ext(name) {
		case ".s":
			for _, w := range word.FindAllString(string(data), -1) {
				s.identifiers[w] = true
			}
		case ".md":
			s.comments[name] = string(data)
		default:
			s.read(name, data, word)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// read adds the identifiers, the words in strings and the comments of a Go file.
func (s *sources) read(name string, data []byte, word *regexp.Regexp) {
	var comments strings.Builder
	files := token.NewFileSet()
	file := files.AddFile(name, -1, len(data))
	var scan scanner.Scanner
	scan.Init(file, data, nil, scanner.ScanComments)
	for {
		_, kind, text := scan.Scan()
		switch kind {
		case token.EOF:
			if !generated(data) {
				s.comments[name] = comments.String()
			}
			return
		case token.COMMENT:
			comments.WriteString(text + "\n")
		case token.IDENT:
			s.identifiers[text] = true
		case token.STRING:
			if path.Base(name) == "names_test.go" {
				continue // the list foreign
			}
			for _, w := range word.FindAllString(text, -1) {
				s.identifiers[w] = true
			}
		}
	}
}

// generated reports whether a file says that it is generated.
func generated(data []byte) bool {
	return regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`).Match(data[:min(len(data), 500)])
}

// TestNames checks that the identifiers and files mentioned in comments and pages exist.
func TestNames(t *testing.T) {
	s := collectNames(t)
	used := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(s.comments)) {
		text := address.ReplaceAllString(s.comments[name], "")
		for _, found := range fileName.FindAllString(text, -1) {
			base := strings.TrimPrefix(found, "./")
			if s.files[base] || s.files[path.Join(path.Dir(name), found)] || s.files[path.Base(found)] && !strings.Contains(base, "/") {
				continue
			}
			if slices.Contains(foreign, found) {
				used[found] = true
				continue
			}
			t.Errorf("%s mentions the file %s, which does not exist", name, found)
		}
		for _, found := range identifier.FindAllString(fileName.ReplaceAllString(text, ""), -1) {
			switch {
			case s.identifiers["Test"+found]: // an argument of go test -run
			case s.identifiers[found]:
			case slices.Contains(foreign, found):
				used[found] = true
			default:
				t.Errorf("%s mentions %s, which does not exist", name, found)
			}
		}
	}
	for _, name := range foreign {
		if !used[name] {
			t.Errorf("the list foreign contains %s, which nothing mentions", name)
		}
	}
}
