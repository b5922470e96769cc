// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshpatch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
)

// noVersion stands for a development version, which no registry has.
const noVersion = "v0.0.0"

// module is the current module: that of the working directory.
type module struct {
	file           string // its go.mod
	crypto, unimac listed
}

// listed is what go list -m prints of a module. The path is empty if the
// current module does not depend on it.
type listed struct {
	Path, Version, Dir string
	Main               bool
	Replace            *struct{ Path, Version, Dir string }
}

func currentModule() (*module, error) {
	out, err := runGo("env", "GOMOD")
	if err != nil {
		return nil, err
	}
	m := &module{file: strings.TrimSpace(string(out))}
	if m.file == "" || m.file == os.DevNull {
		return nil, errors.New("no go.mod in this folder or above it")
	}
	if m.crypto, err = list(cryptoPath); err != nil {
		return nil, err
	}
	switch {
	case m.crypto.Path == "":
		return nil, fmt.Errorf("%s does not require %s", m.file, cryptoPath)
	case m.crypto.Main:
		return nil, fmt.Errorf("%s is that of %s itself", m.file, cryptoPath)
	}
	m.unimac, err = list(unimacPath)
	return m, err
}

// list asks for one module of the build list.
func list(path string) (l listed, err error) {
	// With -e, a module that is not in the list is no error, and one that could
	// not be downloaded is listed without its folder. With -mod=readonly, a
	// vendor folder, which has no whole modules, does not count.
	out, err := runGo("list", "-m", "-e", "-mod=readonly", "-json", path)
	if err != nil || len(out) == 0 {
		return l, err
	}
	err = json.Unmarshal(out, &l)
	if !l.Main && l.Version == "" {
		l = listed{}
	}
	return l, err
}

// cryptoSource returns the folder to copy.
func (m *module) cryptoSource() (string, error) {
	if r := m.crypto.Replace; r != nil {
		if r.Dir == "" {
			return "", fmt.Errorf("the replacement of %s, %s %s, is not there", cryptoPath, r.Path, r.Version)
		}
		_, err := os.Stat(filepath.Join(r.Dir, filepath.FromSlash(addedFile)))
		if err != nil {
			return r.Dir, nil
		}
	} else if m.crypto.Dir != "" {
		return m.crypto.Dir, nil
	}
	var downloaded struct{ Dir, Error string }
	out, err := runGo("mod", "download", "-json", cryptoPath+"@"+m.crypto.Version)
	if jsonErr := json.Unmarshal(out, &downloaded); err == nil {
		err = jsonErr
	}
	if downloaded.Error != "" {
		err = errors.New(downloaded.Error)
	}
	return downloaded.Dir, err
}

// unimacVersion returns the version of this module to require.
func (m *module) unimacVersion() string {
	if m.unimac.Path != "" && !m.unimac.Main {
		return m.unimac.Version
	}
	if info, ok := debug.ReadBuildInfo(); ok && m.unimac.Path == "" {
		for _, module := range append(info.Deps, &info.Main) {
			// A version with a build tag, such as +dirty, was never published.
			if module.Path == unimacPath && strings.HasPrefix(module.Version, "v") && !strings.Contains(module.Version, "+") {
				return module.Version
			}
		}
	}
	return noVersion
}

// addSums adds to the go.sum of a copy what the current module knows of the
// modules that the added file needs.
func (m *module) addSums(file string) error {
	known, err := os.ReadFile(filepath.Join(filepath.Dir(m.file), "go.sum"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	sums, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for line := range strings.Lines(string(known)) {
		path, _, _ := strings.Cut(line, " ")
		if (path == unimacPath || path == "golang.org/x/sys") && !bytes.Contains(sums, []byte(line)) {
			sums = append(sums, line...)
		}
	}
	return os.WriteFile(file, sums, 0o644)
}

// runGo runs the go command in the working directory and returns its standard
// output. What it says on standard error becomes the error.
func runGo(args ...string) ([]byte, error) {
	path, err := exec.LookPath("go")
	if err != nil {
		return nil, fmt.Errorf("no go command: %w", err)
	}
	out, err := exec.Command(path, args...).Output()
	if err == nil {
		return out, nil
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		if said := strings.TrimSpace(string(exit.Stderr)); said != "" {
			err = errors.New(said)
		}
	}
	return out, fmt.Errorf("go %s: %w", strings.Join(args[:min(2, len(args))], " "), err)
}
