// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"errors"
	"fmt"
	"hash"
	"hash/fnv"
	"os"
	"strings"
	"testing"
)

func TestDemo(t *testing.T) {
	r := runWith("", "demo")
	r.want(t, 0, "32 MiB of data made for this, 33554432 bytes", "")
	checkDemo(t, r.stdout, 1)
	for _, want := range []string{
		"\nMAC umac-128-etm@openssh.com, cipher aes128-ctr\n",
		"\n32 MiB of data made for this: went across and is the same\n",
		" × hmac-sha2-256-etm@openssh.com\n",
	} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("no %q in\n%s", want, r.stdout)
		}
	}
	for _, mac := range []string{"umac-128-etm@openssh.com", "umac-64-etm@openssh.com", "hmac-sha2-256-etm@openssh.com"} {
		var speed float64
		row := r.stdout[max(0, strings.LastIndex(r.stdout, "\n"+mac)):]
		if _, err := fmt.Sscan(strings.TrimPrefix(row, "\n"+mac), &speed); err != nil || speed < 1 {
			t.Errorf("%s: %v MB/s, %v", mac, speed, err)
		}
	}
}

func TestDemoFiles(t *testing.T) {
	workIn(t)
	writeFile(t, "empty", "")
	writeFile(t, "one", "1")
	writeFile(t, "large", strings.Repeat("large", 100_000))
	r := runWith("", "demo", "empty", "one", "large")
	r.want(t, 0, "empty, 0 bytes", "")
	checkDemo(t, r.stdout, 3)
	if strings.Count(r.stdout, ": went across and is the same\n") != 3 {
		t.Errorf("not all went across:\n%s", r.stdout)
	}

	_, err := os.Open("none")
	r = runWith("", "demo", "none", ".", "one")
	r.want(t, 1, "one, 1 bytes", "unimac demo: none: "+reason(err)+"\nunimac demo: .: is a directory\n")
	checkDemo(t, r.stdout, 1)
}

// checkDemo checks that the tables for a number of files have a good row for
// every algorithm, with at most 16 bytes of a tag.
func checkDemo(t *testing.T, stdout string, files int) {
	t.Helper()
	for _, a := range algorithms {
		rows := 0
		for row := range strings.Lines(stdout) {
			f := strings.Fields(row)
			if len(f) != 4 || f[0] != a.name {
				continue
			}
			tag, cut := strings.CutSuffix(f[1], "…")
			if len(tag) == 2*min(a.tagSize, 16) && cut == (a.tagSize > 16) && f[2] == "accepted" && f[3] == "rejected" {
				rows++
			}
		}
		if rows != files {
			t.Errorf("%d good rows for %s, want %d:\n%s", rows, a.name, files, stdout)
		}
	}
}

// TestDemoNotices shows MACs that do not work to the demo.
func TestDemoNotices(t *testing.T) {
	calls := 0
	for name, a := range map[string]*algorithm{
		"accepts everything": {"constant", 16, 0, 8, func(_, _ []byte) (hash.Hash, error) { return constant{fnv.New64()}, nil }},
		"rejects everything": {"counter", 16, 0, 8, func(_, _ []byte) (hash.Hash, error) {
			calls++
			h := fnv.New64()
			h.Write([]byte{byte(calls)})
			return h, nil
		}},
		"error": {"broken", 16, 0, 8, func(_, _ []byte) (hash.Hash, error) { return nil, errors.New("broken") }},
	} {
		if err := demoMACs(new(bytes.Buffer), ownData(1<<20), []*algorithm{algorithms[0], a}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// constant is a MAC that does not look at the message.
type constant struct{ hash.Hash }

func (constant) Write(p []byte) (int, error) { return len(p), nil }
