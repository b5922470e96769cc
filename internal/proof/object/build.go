// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/proof"
)

const module = "github.com/unimac/unimac/"

// build links a program that calls all functions, without changing the repository.
func (a *architecture) build(root, dir string) (program string, err error) {
	folder, err := filepath.Abs(filepath.Join(root, "internal", "proof", "testdata")) // contains no other Go files
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	packages, calls := map[string]bool{}, ""
	for i := range proof.Kernels {
		if k := &proof.Kernels[i]; strings.HasSuffix(k.File, "_"+a.name+".s") {
			p := module + path.Dir(k.File)
			packages[fmt.Sprintf("\t_ %q\n", p)] = true
			calls += fmt.Sprintf("\tCALL %s·%s(SB)\n", strings.NewReplacer("/", "∕", ".", "·").Replace(p), k.Func)
		}
	}
	for name, text := range map[string]string{
		"all.go": "package main\n\nimport (\n" + strings.Join(slices.Sorted(maps.Keys(packages)), "") + ")\n\nfunc all()\n\nfunc main() { all() }\n",
		"all.s":  "TEXT ·all(SB), 0, $0-0\n" + calls + "\tRET\n",
	} {
		file := filepath.Join(dir, a.name+name)
		replace[filepath.Join(folder, name)] = file
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	overlay := filepath.Join(dir, a.name+".json")
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err == nil {
		err = os.WriteFile(overlay, list, 0o600)
	}
	if err != nil {
		return "", err
	}
	program = filepath.Join(dir, a.name)
	build := exec.Command("go", "build", "-overlay", overlay, "-o", program, ".")
	build.Dir = folder
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+a.name, "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return program, nil
}
