// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshpatch

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	_ "embed"
)

const (
	cryptoPath = "golang.org/x/crypto"
	unimacPath = "github.com/unimac/unimac"

	// addedFile is the one file of a copy that x/crypto does not have.
	addedFile = "ssh/unimac_umac.go"
)

//go:embed vendored.go.txt
var addedSource []byte

// Vendor writes a copy of golang.org/x/crypto to the folder dir, with one file
// added in ssh, which registers the four algorithms where the program does not
// run in FIPS 140-3 mode. It prints to standard output the directive that makes
// the current module use the copy; behind it belongs a "go mod tidy":
//
//	replace golang.org/x/crypto => ./dir
//
// The current module is that of the working directory, as the go command sees
// it. The copy has the version of x/crypto which that module requires and comes
// from the module cache, where it is downloaded to if it is not there. If the
// module replaces x/crypto already, the copy is made of the replacement, unless
// that is a copy by Vendor: then it is made of the required version, so that
// Vendor into a new folder follows an update. The copy's go.mod requires
// github.com/unimac/unimac in the version that the current module requires, or
// else that of this program.
//
// The folder may exist if it is empty. It is an error if it is not; if there is
// no go command, no go.mod, or no x/crypto among the requirements; and one that
// wraps [ErrIncompatible] if the source is not laid out as known. After an error
// there is no copy, not even a part of one.
//
// The result is a folder to keep under version control. Changes made inside a
// vendor folder instead would be lost at the next "go mod vendor".
func Vendor(dir string) error {
	directives, err := vendor(dir)
	if err != nil {
		return fmt.Errorf("sshpatch: %w", err)
	}
	_, err = os.Stdout.WriteString(directives)
	return err
}

// vendor is Vendor, but for printing the directives.
func vendor(dir string) (directives string, err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if err := checkEmpty(dir); err != nil {
		return "", err
	}
	main, err := currentModule()
	if err != nil {
		return "", err
	}
	source, err := main.cryptoSource()
	if err != nil {
		return "", err
	}
	if err := checkSource(filepath.Join(source, "ssh")); err != nil {
		return "", err
	}
	version := main.unimacVersion()
	if err := writeCopy(dir, source, main, version); err != nil {
		return "", err
	}
	directives = fmt.Sprintf("replace %s => %s\n", cryptoPath, main.relative(dir))
	if version == noVersion && main.unimac.Path == "" {
		directives += fmt.Sprintf("// This is a development version of unimac. Replace it as well: replace %s => its folder\n", unimacPath)
	}
	return directives, nil
}

// checkEmpty checks that dir does not exist or is an empty folder.
func checkEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(entries) > 0:
		return fmt.Errorf("folder %s is not empty", dir)
	}
	return nil
}

// writeCopy writes the copy under another name beside dir and renames it when
// it is whole.
func writeCopy(dir, source string, main *module, version string) (err error) {
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(parent, "."+filepath.Base(dir)+"-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := copyTree(tmp, source); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(tmp, filepath.FromSlash(addedFile)), addedSource, 0o644); err != nil {
		return err
	}
	if _, err := runGo("mod", "edit", "-require="+unimacPath+"@"+version, filepath.Join(tmp, "go.mod")); err != nil {
		return err
	}
	if err := main.addSums(filepath.Join(tmp, "go.sum")); err != nil {
		return err
	}
	// A folder of MkdirTemp is for its owner alone.
	if err := os.Chmod(tmp, 0o755); err != nil {
		return err
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(tmp, dir)
}

// copyTree copies the files and folders in source to the folder dst, but for
// those of version control. Files in the module cache are read-only; the copies
// are not.
func copyTree(dst, source string) error {
	return filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(source, path)
		if err != nil {
			return err
		}
		to := filepath.Join(dst, relative)
		switch {
		case entry.IsDir() && entry.Name() == ".git":
			return fs.SkipDir
		case entry.IsDir():
			return os.MkdirAll(to, 0o755)
		case !entry.Type().IsRegular():
			return nil
		}
		return copyFile(to, path)
	})
}

func copyFile(dst, source string) error {
	from, err := os.Open(source)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.OpenFile(dst, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	if _, err := io.Copy(to, from); err != nil {
		to.Close()
		return err
	}
	return to.Close()
}

// relative spells a folder as a replace directive of the module wants it.
func (m *module) relative(dir string) string {
	spelled := dir
	if rel, err := filepath.Rel(filepath.Dir(m.file), dir); err == nil {
		spelled = filepath.ToSlash(rel)
		if !strings.HasPrefix(spelled, "../") {
			spelled = "./" + spelled
		}
	}
	if strings.ContainsAny(spelled, " \t\"'`,()[]{}") || strings.Contains(spelled, "//") {
		return strconv.Quote(spelled)
	}
	return spelled
}
