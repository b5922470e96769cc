// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"os"
	"path/filepath"
	"regexp"
)

// measureAge encrypts a file to a key, and decrypts it.
func measureAge(m *measurement) error {
	age, err := m.buildAll("./cmd/age")
	if err != nil {
		return err
	}
	keygen, err := m.buildAll("./cmd/age-keygen")
	if err != nil || *build {
		return err
	}
	in := func(name string) string { return filepath.Join(m.dir, name) }
	if err := command(m.dir, nil, keygen[0], "-o", in("key")); err != nil {
		return err
	}
	key, err := os.ReadFile(in("key"))
	if err != nil {
		return err
	}
	recipient := string(regexp.MustCompile(`age1[0-9a-z]+`).Find(key))
	if err := makeFile(in("file"), *size); err != nil {
		return err
	}
	sealed := [2]string{in("plain.age"), in("vendored.age")}
	if err := m.compare(megabytes("encrypt", *size), func(b int) error {
		return command(m.dir, nil, age[b], "-r", recipient, "-o", sealed[b], in("file"))
	}); err != nil {
		return err
	}
	// Each opens what the other sealed.
	if err := m.compare(megabytes("decrypt", *size), func(b int) error {
		return command(m.dir, nil, age[b], "-d", "-i", in("key"), "-o", in("opened"), sealed[1-b])
	}); err != nil {
		return err
	}
	if err := command(m.dir, nil, "cmp", in("file"), in("opened")); err != nil {
		return err
	}
	return m.compareAgeStreams(age, sealed, recipient)
}

// compareAgeStreams does the same without what a new file costs.
func (m *measurement) compareAgeStreams(age, sealed [2]string, recipient string) error {
	for _, where := range []struct{ name, line string }{
		{"to /dev/null", `"$@" "$FILE" >/dev/null`},
		{"from a pipe to /dev/null", `cat "$FILE" | "$@" >/dev/null`},
	} {
		for _, work := range []struct {
			name, file string
			args       []string
		}{
			{"encrypt", filepath.Join(m.dir, "file"), []string{"-r", recipient}},
			{"decrypt", sealed[0], []string{"-d", "-i", filepath.Join(m.dir, "key")}},
		} {
			err := m.compare(megabytes(work.name, *size)+" "+where.name, func(b int) error {
				line := "set -e; FILE=$1; shift; " + where.line
				return command(m.dir, nil, "sh", append([]string{"-c", line, "sh", work.file, age[b]}, work.args...)...)
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
