// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package modcopy makes changed copies of a module that the current module requires,
// to be used by a replace directive. It asks the go command where things are, and works
// without a network if the module cache has the module.
package modcopy

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
)

// Unimac is the path of this module.
const Unimac = "github.com/unimac/unimac"

// NoVersion stands for a development version, which no registry has.
const NoVersion = "v0.0.0"

// A Module is the current module, that of the working directory, and what it says of a
// module that it requires.
type Module struct {
	File     string // its go.mod
	required listed
	unimac   listed
}

// listed is what go list -m prints of a module. The path is empty if the
// current module does not depend on it.
type listed struct {
	Path, Version, Dir string
	Main               bool
	Replace            *struct{ Path, Version, Dir string }
}

// Current returns the current module, which must require the module with this path.
func Current(path string) (*Module, error) {
	out, err := Go("env", "GOMOD")
	if err != nil {
		return nil, err
	}
	m := &Module{File: strings.TrimSpace(string(out))}
	if m.File == "" || m.File == os.DevNull {
		return nil, errors.New("no go.mod in this folder or above it")
	}
	if m.required, err = list(path); err != nil {
		return nil, err
	}
	switch {
	case m.required.Path == "":
		return nil, fmt.Errorf("%s does not require %s", m.File, path)
	case m.required.Main:
		return nil, fmt.Errorf("%s is that of %s itself", m.File, path)
	}
	m.unimac, err = list(Unimac)
	return m, err
}

// list asks for one module of the build list.
func list(path string) (l listed, err error) {
	// With -e, a module that is not in the list is no error, and one that could
	// not be downloaded is listed without its folder. With -mod=readonly, a
	// vendor folder, which has no whole modules, does not count.
	out, err := Go("list", "-m", "-e", "-mod=readonly", "-json", path)
	if err != nil || len(out) == 0 {
		return l, err
	}
	err = json.Unmarshal(out, &l)
	if !l.Main && l.Version == "" {
		l = listed{}
	}
	return l, err
}

// Version is the version of the required module.
func (m *Module) Version() string { return m.required.Version }

// folder is a folder that is named in go.mod.
func (m *Module) folder(name string) string {
	dir := filepath.FromSlash(name)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(filepath.Dir(m.File), dir)
	}
	return dir
}

// Uses reports whether the current module replaces the required module by a folder.
func (m *Module) Uses(dir string) bool {
	r := m.required.Replace
	if r == nil || r.Version != "" {
		return false
	}
	a, err := os.Stat(m.folder(r.Path))
	if err != nil {
		return false
	}
	b, err := os.Stat(dir)
	return err == nil && os.SameFile(a, b)
}

// Source returns the folder with the source of an origin.
func (m *Module) Source(origin string) (dir string, err error) {
	path, version, _ := strings.Cut(origin, " ")
	switch {
	case origin == Release && m.required.Replace == nil && m.required.Dir != "":
		return m.required.Dir, nil
	case origin == Release:
		path, version = m.required.Path, m.required.Version
	case strings.HasPrefix(origin, ".") || filepath.IsAbs(filepath.FromSlash(origin)): // a folder, as go.mod names it
		dir = m.folder(origin)
		if info, err := os.Stat(dir); err != nil {
			return "", fmt.Errorf("the copy is of %s: %w", origin, err)
		} else if !info.IsDir() {
			return "", fmt.Errorf("the copy is of %s, which is no folder", origin)
		}
		return dir, nil
	}
	var downloaded struct{ Dir, Error string }
	out, err := Go("mod", "download", "-json", path+"@"+version)
	if jsonErr := json.Unmarshal(out, &downloaded); err == nil {
		err = jsonErr
	}
	if downloaded.Error != "" {
		err = errors.New(downloaded.Error)
	}
	return downloaded.Dir, err
}

// RequiresUnimac reports whether the current module requires this one.
func (m *Module) RequiresUnimac() bool { return m.unimac.Path != "" }

// UnimacVersion returns the version of this module to require: the one that the current
// module requires, or else the program's own.
func (m *Module) UnimacVersion() string {
	if m.RequiresUnimac() && !m.unimac.Main {
		return m.unimac.Version
	}
	if m.RequiresUnimac() {
		return NoVersion
	}
	return OwnVersion()
}

// OwnVersion returns the version of this module that the program was built with, or
// [NoVersion].
func OwnVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range append(info.Deps, &info.Main) {
			// A version with a build tag, such as +dirty, was never published.
			if module.Path == Unimac && strings.HasPrefix(module.Version, "v") && !strings.Contains(module.Version, "+") {
				return module.Version
			}
		}
	}
	return NoVersion
}

// Replace is the directive that makes the current module use a copy in dir.
func (m *Module) Replace(dir string) string {
	spelled := dir
	if rel, err := filepath.Rel(filepath.Dir(m.File), dir); err == nil {
		spelled = filepath.ToSlash(rel)
		if !strings.HasPrefix(spelled, "../") {
			spelled = "./" + spelled
		}
	}
	if strings.ContainsAny(spelled, " \t\"'`,()[]{}") || strings.Contains(spelled, "//") {
		spelled = strconv.Quote(spelled)
	}
	return fmt.Sprintf("replace %s => %s", m.required.Path, spelled)
}

// Go runs the go command in the working directory and returns its standard
// output. What it says on standard error becomes the error.
func Go(args ...string) ([]byte, error) {
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
