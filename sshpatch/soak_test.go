// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshpatch

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/unimac/unimac/internal/mactest"
)

// A soak keeps many connections busy at the same time.
type soak struct {
	connections int
	duration    time.Duration
	listener    net.Listener
	host        ssh.Signer

	dialing            sync.Mutex
	pause              sync.RWMutex // locked for writing while all connections are idle
	stop               atomic.Bool
	exchanges, trips   atomic.Int64 // key exchanges and round trips
	bytes              atomic.Int64 // bytes sent in one direction
	heap               [3]uint64    // heap in use after a quarter, half, and all of the time
	running, connected sync.WaitGroup
}

// soakRekey is the number of bytes after which keys are exchanged again.
const soakRekey = 64 << 10

// TestSoak checks 50 busy connections, or 200 in long tests, with frequent key
// exchanges. Every message must be echoed unchanged, memory must not grow in the second
// half of the time, and no goroutine may remain.
func TestSoak(t *testing.T) {
	s := &soak{connections: 50, duration: 500 * time.Millisecond}
	if _, long := faultRounds(t); long {
		s.connections, s.duration = 200, time.Minute
	} else if testing.Short() || os.Getenv("UNIMAC_TEST_EMULATOR") != "" {
		s.connections, s.duration = 10, 200*time.Millisecond
	} else if mactest.Whole() {
		s.connections, s.duration = 200, 2*time.Second
	}
	var err error
	if s.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	defer s.listener.Close()
	_, s.host = newKey(t)
	before := runtime.NumGoroutine()
	started := time.Now()
	s.connected.Add(s.connections)
	for i := range s.connections {
		s.running.Go(func() {
			if err := s.connection(i); err != nil {
				t.Errorf("connection %d: %v", i, err)
			}
		})
	}
	inTime(t, "the handshakes", s.connected.Wait)
	begun := time.Now()
	for i, part := range []time.Duration{s.duration / 4, s.duration / 2, s.duration} {
		time.Sleep(time.Until(begun.Add(part)))
		s.heap[i] = s.measure()
	}
	s.stop.Store(true)
	inTime(t, "the connections' end", s.running.Wait)
	t.Logf("%d connections, connected in %v, busy for %v: %d messages echoed, %d MiB in each direction, %d key exchanges; heap of %d, %d and %d KiB after a quarter, half and all of the time",
		s.connections, begun.Sub(started).Round(time.Millisecond), s.duration, s.trips.Load(), s.bytes.Load()>>20, s.exchanges.Load(), s.heap[0]>>10, s.heap[1]>>10, s.heap[2]>>10)
	if n := s.exchanges.Load(); n < 2*int64(s.connections) {
		t.Errorf("%d key exchanges on %d connections, want at least two per connection", n, s.connections)
	}
	// The buffers of a connection may still grow for its largest packet.
	if limit := s.heap[1] + s.heap[1]/10 + uint64(s.connections)<<12; s.heap[2] > limit {
		t.Errorf("the heap grew from %d to %d bytes, want at most %d", s.heap[1], s.heap[2], limit)
	}
	checkGoroutines(t, before)
}

// measure returns the size of the heap in use while all connections are idle.
func (s *soak) measure() uint64 {
	s.pause.Lock()
	defer s.pause.Unlock()
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // also frees what finalizers and pools released
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// connection runs connection i from beginning to end. Successive connections use
// different MACs.
func (s *soak) connection(i int) error {
	connected := sync.OnceFunc(s.connected.Done)
	defer connected()
	s.dialing.Lock() // so that the two ends belong to the same connection
	client, server, err := loopback(s.listener)
	s.dialing.Unlock()
	if err != nil {
		return err
	}
	config := algorithms([]string{"aes128-ctr", "aes256-ctr"}[i/4%2], Algorithms()[i%4])
	config.RekeyThreshold = soakRekey
	e := handshake(config, s.host, client, server, func(string, net.Addr, ssh.PublicKey) error {
		s.exchanges.Add(1) // the host key is verified in each exchange
		return nil
	})
	if err := cmp.Or(e.client.err, e.server.err); err != nil {
		return err
	}
	defer e.server.Wait()
	defer e.client.Close()
	go answer(e.server.channels, e.server.requests)
	c := ssh.NewClient(e.client.Conn, e.client.channels, e.client.requests)
	channel, requests, err := c.OpenChannel("echo", nil)
	if err != nil {
		return err
	}
	go ssh.DiscardRequests(requests)
	connected()

	rng := rand.New(rand.NewPCG(uint64(i), 3))
	sent, got := make([]byte, 8<<10), make([]byte, 8<<10)
	// Send at least enough for another key exchange.
	for total := 0; total < 3*soakRekey || !s.stop.Load(); {
		n := 1 + rng.IntN(len(sent))
		copy(sent[:n], mactest.Random(n, rng.Uint64()))
		s.pause.RLock()
		err := exchange(channel, sent[:n], got[:n])
		s.pause.RUnlock()
		if err != nil {
			return fmt.Errorf("after %d bytes: %w", total, err)
		}
		total += n
		s.trips.Add(1)
		s.bytes.Add(int64(n))
	}
	return nil
}

// exchange sends a message and receives the echo.
func exchange(channel ssh.Channel, sent, got []byte) error {
	if _, err := channel.Write(sent); err != nil {
		return err
	}
	if _, err := io.ReadFull(channel, got); err != nil {
		return err
	}
	if !bytes.Equal(sent, got) {
		return fmt.Errorf("the echo differs from the message")
	}
	return nil
}
