// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build unix && !aix

package sshcmd

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/unimac/unimac/cmd/unimac/internal/cli/clitest"
)

// A faultyProxy forwards connections to a server. After a number of bytes in one
// direction, it cuts the connection or flips a bit.
type faultyProxy struct {
	net.Listener
	server     string
	flip       atomic.Bool
	toServer   atomic.Int64 // number of bytes before the fault
	fromServer atomic.Int64
	running    sync.WaitGroup
}

func (p *faultyProxy) serve() {
	for {
		client, err := p.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.server)
		if err != nil {
			client.Close()
			return
		}
		cut := sync.OnceFunc(func() { client.Close(); server.Close() })
		pass := func(to, from net.Conn, after int64) {
			defer cut()
			if _, err := io.CopyN(to, from, after); err != nil || !p.flip.Load() {
				return
			}
			var b [1]byte
			if _, err := io.ReadFull(from, b[:]); err == nil {
				b[0] ^= 1
				to.Write(b[:])
				// If the bit is in a packet's length, both ends may wait for each
				// other.
				from.SetReadDeadline(time.Now().Add(10 * time.Second))
				io.Copy(to, from)
			}
		}
		p.running.Go(func() { pass(server, client, p.toServer.Load()) })
		p.running.Go(func() { pass(client, server, p.fromServer.Load()) })
	}
}

// startProxy starts a proxy for the site's server and replaces the site's address.
func startProxy(t *testing.T, s *site) *faultyProxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &faultyProxy{Listener: listener, server: s.address}
	s.address = listener.Addr().String()
	writeFile(t, s.known, knownhosts.Line([]string{s.address}, s.host.PublicKey())+"\n")
	p.running.Go(p.serve)
	t.Cleanup(func() {
		listener.Close()
		p.running.Wait()
	})
	return p
}

// fault sets a fault after a random number of bytes, below limit, in one direction.
func (p *faultyProxy) fault(rng *rand.Rand, limit int64) string {
	toServer, fromServer := int64(math.MaxInt64), int64(math.MaxInt64)
	if rng.IntN(2) == 0 {
		toServer = rng.Int64N(limit)
	} else {
		fromServer = rng.Int64N(limit)
	}
	p.toServer.Store(toServer)
	p.fromServer.Store(fromServer)
	return fmt.Sprintf("after %d bytes to or %d from the server", toServer, fromServer)
}

// TestExecFaults cuts the connection of exec or flips a bit at a random place. Unless
// all output has arrived, exec must exit with status 255 and report the failure of the
// connection. Its output must be a prefix of the command's. If the flipped bit is in a
// packet's length, the server may wait for more, and exec gives up after the timeout.
func TestExecFaults(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	p := startProxy(t, s)
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 0))
	data := randomBytes(100_000)
	messages := map[string]int{}
	message := regexp.MustCompile(`^unimac ssh exec: (([0-9.:]+ as "[^"]+": )?ssh: handshake failed: |the connection ended before the command: |[0-9.:]+ does not answer: ).+\n$`)
	for round := range clitest.FaultRounds(t) {
		p.flip.Store(round%2 == 1)
		what := p.fault(rng, []int64{4000, 110_000}[rng.IntN(2)])
		r := s.exec(data, s.address, "cat")
		switch {
		case r.Status == 0 && r.Stdout == data && r.Stderr == "":
		case r.Status != 255 || !strings.HasPrefix(data, r.Stdout) || !message.MatchString(r.Stderr):
			t.Errorf("seed %d, round %d: %s, flip = %t: got status %d, %d bytes, stderr %q, want 255, a prefix of the output and a message", seed, round, what, p.flip.Load(), r.Status, len(r.Stdout), r.Stderr)
		}
		messages[r.Stderr]++
	}
	for message, n := range messages {
		t.Logf("%d runs: %q", n, message)
	}
}

// TestExecMACFailure flips a bit in data from the server. The message must state why
// the connection ended.
func TestExecMACFailure(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	p := startProxy(t, s)
	p.flip.Store(true)
	p.toServer.Store(math.MaxInt64)
	p.fromServer.Store(50_000)
	// Use a MAC that is not the default, so that other MACs are tested, too.
	r := s.exec("", "-mac", "umac-128@openssh.com", s.address, "head -c 200000 /dev/zero")
	if want := "unimac ssh exec: the connection ended before the command: ssh: MAC failure\n"; r.Status != 255 || r.Stderr != want {
		t.Errorf("got status %d, stderr %q, want 255, %q", r.Status, r.Stderr, want)
	}
	if len(r.Stdout) >= 50_000 || strings.Trim(r.Stdout, "\x00") != "" {
		t.Errorf("got %d bytes, want fewer than 50000 zeros", len(r.Stdout))
	}
}
