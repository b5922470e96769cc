// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"errors"
	"fmt"
	"hash"
	"hash/fnv"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
	"github.com/unimac/unimac/cmd/unimac/internal/cli/clitest"
	"github.com/unimac/unimac/internal/vectors"
	"github.com/unimac/unimac/sshpatch"
)

func TestDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("sends 32 MiB seven times; the demo of files is shorter")
	}
	r := runWith("", "demo")
	r.Want(t, 0, "32 MiB of data made for this, 33554432 bytes", "")
	checkDemo(t, r.Stdout, 1)
	for _, want := range []string{
		"\nMAC umac-128-etm@openssh.com, cipher aes128-ctr\n",
		"\n32 MiB of data made for this: went across and is the same\n",
		" × hmac-sha2-256-etm@openssh.com\n",
	} {
		if !strings.Contains(r.Stdout, want) {
			t.Errorf("no %q in\n%s", want, r.Stdout)
		}
	}
	for _, mac := range []string{"umac-128-etm@openssh.com", "umac-64-etm@openssh.com", "hmac-sha2-256-etm@openssh.com"} {
		var speed float64
		row := r.Stdout[max(0, strings.LastIndex(r.Stdout, "\n"+mac)):]
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
	files := []string{"empty", "large", "one"}
	if testing.Short() {
		files = files[:2]
	}
	r := runWith("", append([]string{"demo"}, files...)...)
	r.Want(t, 0, "empty, 0 bytes", "")
	checkDemo(t, r.Stdout, len(files))
	if !strings.HasSuffix(r.Stdout, "\n\tunimac check -k key SUMS\n") {
		t.Errorf("it does not end with what to try next:\n%s", r.Stdout)
	}
	if strings.Count(r.Stdout, ": went across and is the same\n") != len(files) {
		t.Errorf("not all went across:\n%s", r.Stdout)
	}

	_, err := os.Open("none")
	runWith("", "demo", "one", "none").Want(t, 1, "", "unimac demo: none: "+cli.Reason(err)+"\n")
	runWith("", "demo", ".", "one").Want(t, 1, "", "unimac demo: .: is a directory\n")
}

// checkDemo checks that the tables for a number of files have a good row for
// every algorithm, with at most 16 bytes of a tag.
func checkDemo(t *testing.T, stdout string, files int) {
	t.Helper()
	for _, s := range sealers {
		rows := 0
		for row := range strings.Lines(stdout) {
			if verdicts, ok := strings.CutPrefix(row, s.name+" "); ok && strings.Join(strings.Fields(verdicts), " ") == "accepted rejected" {
				rows++
			}
		}
		if rows != files {
			t.Errorf("%d good rows for %s, want %d:\n%s", rows, s.name, files, stdout)
		}
	}
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
		"accepts everything": {name: "constant", keySize: 16, tagSize: 8, new: func(_, _ []byte) (hash.Hash, error) { return constant{fnv.New64()}, nil }},
		"rejects everything": {name: "counter", keySize: 16, tagSize: 8, new: func(_, _ []byte) (hash.Hash, error) {
			calls++
			h := fnv.New64()
			h.Write([]byte{byte(calls)})
			return h, nil
		}},
		"error": {name: "broken", keySize: 16, tagSize: 8, new: func(_, _ []byte) (hash.Hash, error) { return nil, errors.New("broken") }},
	} {
		if err := demoMACs(new(bytes.Buffer), ownData(1<<20), []*algorithm{algorithms[0], a}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestDemoNoticesSealers shows sealers that do not work to the demo.
func TestDemoNoticesSealers(t *testing.T) {
	for name, accepted := range map[string]func() (bool, error){
		"accepts everything": func() (bool, error) { return true, nil },
		"rejects everything": func() (bool, error) { return false, nil },
		"error":              func() (bool, error) { return false, errors.New("broken") },
	} {
		broken := &sealer{"broken", func(*source, func(io.Reader) io.Reader) (bool, error) { return accepted() }}
		if err := demoSealing(new(bytes.Buffer), ownData(1<<20), []*sealer{sealers[0], broken}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestSameData(t *testing.T) {
	for _, n := range []int{0, 1, 64<<10 - 1, 64 << 10, 64<<10 + 1, 200_000} {
		a := string(vectors.Pattern(n))
		for b, want := range map[string]bool{a: true, a + "x": false, "x" + a: false} {
			for _, pair := range [][2]string{{a, b}, {b, a}} {
				if got, err := sameData(strings.NewReader(pair[0]), strings.NewReader(pair[1])); got != want || err != nil {
					t.Errorf("%d and %d bytes: %v, %v", len(pair[0]), len(pair[1]), got, err)
				}
			}
		}
	}
	if same, err := sameData(&clitest.BrokenReader{Data: "a"}, strings.NewReader("a")); same || err == nil {
		t.Errorf("broken: %v, %v", same, err)
	}
}

// constant is a MAC that does not look at the message.
type constant struct{ hash.Hash }

func (constant) Write(p []byte) (int, error) { return len(p), nil }

// TestLink checks that a link notices what goes wrong.
func TestLink(t *testing.T) {
	sent := bytes.Repeat([]byte("sent"), 100_000)
	for _, tt := range []struct {
		name string
		want []byte
		ok   bool
	}{
		{"the same", sent, true},
		{"shorter", sent[:len(sent)-1], false},
		{"longer", append(bytes.Clone(sent), 0), false},
		{"changed", append(bytes.Clone(sent[:len(sent)-1]), 'T'), false},
		{"nothing", nil, false},
	} {
		opened := 0
		src := &source{name: "test", open: func() (io.ReadCloser, error) {
			// Client and server each read the source; whoever is second finds
			// something else in it.
			opened++
			if opened == 2 {
				return io.NopCloser(bytes.NewReader(tt.want)), nil
			}
			return io.NopCloser(bytes.NewReader(sent)), nil
		}}
		var mu sync.Mutex
		open := src.open
		src.open = func() (io.ReadCloser, error) {
			mu.Lock()
			defer mu.Unlock()
			return open()
		}
		l, err := newLink(sshpatch.UMAC64, ssh.CipherAES128CTR, []*source{src})
		if err != nil {
			t.Fatal(err)
		}
		if l.mac != sshpatch.UMAC64 || l.cipher != ssh.CipherAES128CTR {
			t.Errorf("%s and %s negotiated", l.mac, l.cipher)
		}
		elapsed, err := l.send(0)
		if (err == nil) != tt.ok {
			t.Errorf("%s: %v", tt.name, err)
		}
		if tt.ok && (elapsed <= 0 || elapsed > time.Minute) {
			t.Errorf("it took %v", elapsed)
		}
		l.client.Close()
	}
	if _, err := newLink("nosuch", ssh.CipherAES128CTR, nil); err == nil {
		t.Error("an unknown MAC is negotiated")
	}
}
