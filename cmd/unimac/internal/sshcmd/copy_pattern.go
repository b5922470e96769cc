// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// sources returns what is to be copied: what the arguments name and, on a server, what
// matches them. It reports those that match nothing.
func (c *copier) sources(from side) (names []string) {
	for _, name := range c.plan.sources {
		if c.plan.upload || !strings.ContainsAny(name, "*?[") {
			names = append(names, name)
			continue
		}
		matches, err := glob(from, name)
		if err != nil {
			c.report(name, err)
		}
		names = append(names, matches...)
	}
	return names
}

// glob returns the files on a server that match a pattern, as glob(7) has it. The server
// chooses no name that the pattern does not match.
func glob(from side, pattern string) ([]string, error) {
	if _, err := path.Match(pattern, ""); err != nil {
		return nil, err
	}
	found := []string{""}
	for i, part := range strings.Split(pattern, "/") {
		var next []string
		for _, folder := range found {
			if i > 0 {
				folder += "/"
			}
			if !strings.ContainsAny(part, `*?[\`) {
				next = append(next, folder+part)
				continue
			}
			entries, err := from.list(path.Clean(folder))
			if err == errLongList {
				return nil, err
			}
			for _, entry := range entries { // there are none of what is no folder
				name := entry.Name()
				matches, _ := path.Match(part, name)
				if matches && plainName(name) && (name[0] != '.' || part[0] == '.') {
					next = append(next, folder+name)
				}
			}
		}
		found = next
	}
	found = slices.DeleteFunc(found, func(name string) bool {
		_, err := from.stat(name)
		return err != nil
	})
	if len(found) == 0 {
		return nil, fs.ErrNotExist
	}
	slices.Sort(found)
	return found, nil
}
