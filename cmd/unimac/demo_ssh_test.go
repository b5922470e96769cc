// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"io"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/unimac/unimac/sshpatch"
)

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
