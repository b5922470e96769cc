// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshpatch

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/modcopy"
)

// checkSource checks that the added file will compile in package ssh of a copy, and
// mean what it says: that macMode and macModes are declared as known.
func checkSource(tree modcopy.Tree) error {
	var fields []string
	modes := ""
	files := tree.Below("ssh")
	for _, name := range files.Paths() {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		declared, err := modcopy.Declarations(files[name])
		if err != nil {
			return fmt.Errorf("ssh/%s: %w", name, err)
		}
		for _, d := range declared.Full {
			if field, ok := strings.CutPrefix(d, "field macMode."); ok {
				fields = append(fields, field)
			} else if of, ok := strings.CutPrefix(d, "var macModes "); ok {
				modes = of
			}
		}
	}
	if fields == nil {
		return incompatible(errors.New("no struct macMode"))
	}
	want := []string{"keySize int", "etm bool", "new func(key []byte) hash.Hash"}
	if !slices.Equal(fields, want) {
		return incompatible(fmt.Errorf("macMode has the fields %q, want %q", fields, want))
	}
	if modes != "map[string]*macMode" {
		return incompatible(fmt.Errorf("macModes is declared as %q", modes))
	}
	return nil
}
