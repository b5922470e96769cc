// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"debug/buildinfo"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
	"github.com/unimac/unimac/internal/mactest"
)

// TestRelease builds the archive for this platform. It must contain completions and a
// licence for each module that the program links.
func TestRelease(t *testing.T) {
	mactest.NeedWhole(t)
	if _, err := os.Stat("../../.git"); err != nil {
		t.Skip("only a git checkout has the time of the commit")
	}
	dir := t.TempDir()
	if out, err := exec.Command("../../.ci/release", "v0.1.0", dir, runtime.GOOS+"/"+runtime.GOARCH).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	name := filepath.Join(dir, "unimac-v0.1.0-"+runtime.GOOS+"-"+runtime.GOARCH)
	if out, err := exec.Command("tar", "-C", dir, "-xzf", name+".tar.gz").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, file := range []string{"LICENSE", "README.md", "SECURITY.md", "CHANGELOG.md", "unimac.1", "licences/go/LICENSE"} {
		if info, err := os.Stat(filepath.Join(name, file)); err != nil || info.Size() == 0 {
			t.Errorf("%s: got error %v, want a file that is not empty", file, err)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		want, _ := cli.Completion(root(), shell)
		if got, err := os.ReadFile(filepath.Join(name, "completions", "unimac."+shell)); err != nil || string(got) != want {
			t.Errorf("completions for %s: got %d bytes, error %v, want %d bytes", shell, len(got), err, len(want))
		}
	}
	info, err := buildinfo.ReadFile(filepath.Join(name, "unimac"))
	if err != nil || len(info.Deps) < 5 {
		t.Fatalf("build info = %+v, %v, want at least 5 modules", info, err)
	}
	for _, module := range info.Deps {
		files, err := filepath.Glob(filepath.Join(name, "licences", module.Path, "LICENSE*"))
		if err != nil || len(files) == 0 {
			t.Errorf("the archive has no licence of %s", module.Path)
		}
	}
}
