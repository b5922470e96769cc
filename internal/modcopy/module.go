// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package modcopy writes modified copies of golang.org/x/crypto for use in a replace
// directive. Each copy is made from the x/crypto version or fork that the current
// module uses. To find modules, the package runs the go command, which needs no network
// access if the module cache contains the required version.
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

const (
	Crypto = "golang.org/x/crypto"
	Unimac = "github.com/unimac/unimac"
)

// NoVersion is the version of a development build, which is not published.
const NoVersion = "v0.0.0"

// A Module is the main module of the working directory.
type Module struct {
	File           string       // path of go.mod
	crypto, unimac listedModule // the versions in use; a workspace may determine them
}

// A listedModule describes a module, as printed by go list -m.
type listedModule struct {
	Path, Version, Dir string // empty if the current module does not depend on the module
	Main               bool
	Replace            *struct{ Path, Version, Dir string }
}

// Current returns the current module. It returns an error if the module does not
// require x/crypto.
func Current() (*Module, error) {
	out, err := Go("env", "GOMOD", "GOWORK")
	if err != nil {
		return nil, err
	}
	file, workspace, _ := strings.Cut(string(out), "\n")
	file, workspace = strings.TrimSpace(file), strings.TrimSpace(workspace)
	if workspace == "off" {
		workspace = ""
	}
	m := &Module{File: file}
	switch {
	case (file == "" || file == os.DevNull) && workspace != "":
		return nil, fmt.Errorf("no go.mod in this folder or above it, but the workspace %s: use the folder of one of its modules that requires %s", workspace, Crypto)
	case file == "" || file == os.DevNull:
		return nil, errors.New("no go.mod in this folder or above it")
	}
	if m.crypto, err = list(Crypto); err != nil {
		return nil, err
	}
	switch {
	case m.crypto.Path == "":
		return nil, fmt.Errorf("%s does not require %s", m.File, Crypto)
	case m.crypto.Main && workspace != "":
		return nil, fmt.Errorf("workspace %s contains %s itself", workspace, Crypto)
	case m.crypto.Main:
		return nil, fmt.Errorf("%s is the go.mod of %s itself", m.File, Crypto)
	}
	m.unimac, err = list(Unimac)
	return m, err
}

func list(path string) (l listedModule, err error) {
	// With -e, a module outside the build list is not an error. With -mod=readonly, the
	// go command ignores vendor directories, which contain only parts of modules.
	out, err := Go("list", "-m", "-e", "-mod=readonly", "-json", path)
	if err != nil || len(out) == 0 {
		return l, err
	}
	err = json.Unmarshal(out, &l)
	if !l.Main && l.Version == "" {
		l = listedModule{}
	}
	return l, err
}

// pinned reports whether the current module replaces x/crypto with a version of
// x/crypto.
func (m *Module) pinned() bool {
	return m.crypto.Replace != nil && m.crypto.Replace.Path == Crypto
}

// Version returns the version of x/crypto that the module pins or otherwise requires.
func (m *Module) Version() string {
	if m.pinned() {
		return m.crypto.Replace.Version
	}
	return m.crypto.Version
}

// goModPath returns the path of the directory dir for use in go.mod. name is the path
// of dir in the current replace directive.
func (m *Module) goModPath(name, dir string) string {
	if filepath.IsAbs(filepath.FromSlash(name)) {
		return name
	}
	// In a workspace, name is relative to the workspace instead of go.mod.
	return m.relative(dir)
}

// relative returns the path of dir relative to the directory of go.mod.
func (m *Module) relative(dir string) string {
	rel, err := filepath.Rel(filepath.Dir(m.File), dir)
	if err != nil { // on another drive
		return dir
	}
	rel = filepath.ToSlash(rel)
	if rel != ".." && !strings.HasPrefix(rel, "../") {
		rel = "./" + rel
	}
	return rel
}

// Uses reports whether the current module replaces x/crypto with the directory dir.
func (m *Module) Uses(dir string) bool {
	r := m.crypto.Replace
	return r != nil && r.Version == "" && sameFile(r.Dir, dir)
}

func (m *Module) folderOf(o Origin) (dir string, err error) {
	path, version, _ := strings.Cut(o.Fork, " ")
	name := filepath.FromSlash(o.Fork)
	switch {
	case o.Fork == "" && (m.crypto.Replace == nil || m.pinned()) && m.crypto.Dir != "":
		return m.crypto.Dir, nil
	case o.Fork == "":
		path, version = Crypto, o.Version
	case strings.HasPrefix(o.Fork, ".") || filepath.IsAbs(name): // a directory, as go.mod names it
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(m.File), name)
		}
		if info, err := os.Stat(name); err != nil {
			return "", fmt.Errorf("the copy was made from %s: %w", o.Fork, err)
		} else if !info.IsDir() {
			return "", fmt.Errorf("the copy was made from %s, which is not a folder", o.Fork)
		}
		return name, nil
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

// RequiresUnimac reports whether the current module requires this module.
func (m *Module) RequiresUnimac() bool { return m.unimac.Path != "" }

// UnimacVersion returns the version of unimac that the current module requires, or the
// running program's version if the module does not require unimac.
func (m *Module) UnimacVersion() string {
	if m.RequiresUnimac() && !m.unimac.Main {
		return m.unimac.Version
	}
	if m.RequiresUnimac() {
		return NoVersion
	}
	return ownVersion()
}

// ownVersion returns the published version of this module in the program, or
// [NoVersion].
func ownVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range append(info.Deps, &info.Main) {
			// A version with build metadata, such as +dirty, is not published.
			if module.Path == Unimac && strings.HasPrefix(module.Version, "v") && !strings.Contains(module.Version, "+") {
				return module.Version
			}
		}
	}
	return NoVersion
}

// Replace returns the replace directive that makes the current module use the copy of
// x/crypto in dir.
func (m *Module) Replace(dir string) string {
	name := m.relative(dir)
	if strings.ContainsAny(name, " \t\"'`,()[]{}") || strings.Contains(name, "//") {
		name = strconv.Quote(name)
	}
	return fmt.Sprintf("replace %s => %s", Crypto, name)
}

// Go runs the go command in the working directory and returns its standard output. If
// the command fails, the error includes its standard error.
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
		if message := strings.TrimSpace(string(exit.Stderr)); message != "" {
			err = errors.New(message)
		}
	}
	return out, fmt.Errorf("go %s: %w", strings.Join(args[:min(2, len(args))], " "), err)
}
