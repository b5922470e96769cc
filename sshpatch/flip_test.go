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
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/modcopy"
)

// flipper is a network connection that flips one bit of a packet written. Each Write is
// a packet if the packet fits in the buffer of x/crypto/ssh.
type flipper struct {
	*net.TCPConn
	mu     sync.Mutex
	rng    *rand.Rand
	packet int // number of packets until the flip, or -1
	tag    int // tag size in bytes
	etm    bool

	size    int // size of the flipped packet
	at, bit int // offset and bit flipped
	sent    int // bytes written from the flipped packet on
}

func (f *flipper) Write(p []byte) (int, error) {
	f.mu.Lock()
	if f.packet == 0 {
		f.size, f.bit = len(p), f.rng.IntN(8)
		switch f.rng.IntN(4) {
		case 0:
			f.at = f.rng.IntN(5) // the packet length or the padding length
		case 1:
			f.at = len(p) - 1 - f.rng.IntN(f.tag)
		default:
			f.at = f.rng.IntN(len(p))
		}
		p = bytes.Clone(p)
		p[f.at] ^= 1 << f.bit
	}
	if f.packet >= 0 {
		f.packet--
	}
	if f.size > 0 {
		f.sent += len(p)
	}
	f.mu.Unlock()
	return f.TCPConn.Write(p)
}

// expected returns the error that must follow a flip in a packet with payload bytes of
// payload. The reader uses the lengths before it can verify them, and in counter mode,
// a flipped bit of the ciphertext is a flipped bit of the plaintext. With an -etm
// algorithm and this module's ciphers, the reader uses only the packet length.
func (f *flipper) expected(payload int) string {
	length := f.size - 4 - f.tag
	padding := length - 1 - payload
	if f.at < 4 {
		length ^= 1 << (8*(3-f.at) + f.bit)
	}
	if f.at == 4 {
		padding ^= 1 << f.bit
	}
	if f.etm {
		padding = 0
	}
	switch {
	case uint32(length) <= uint32(padding)+1:
		return "ssh: invalid packet length, packet too small"
	case uint32(length) > 256<<10:
		return "ssh: invalid packet length, packet too large"
	case 4+length+f.tag > f.sent:
		return "unexpected EOF" // the reader waits for data that never arrives
	}
	return "ssh: MAC failure"
}

// TestFlip checks busy connections on which one random bit is flipped, in either
// direction. The reader must return exactly the data sent before the changed packet,
// and report a MAC failure unless the bit is in a length.
func TestFlip(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 1))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	before := runtime.NumGoroutine()
	_, host := newKey(t)
	rounds, _ := faultRounds(t)
	errors := map[string]int{}
	for i, mac := range Algorithms() {
		tag := 8
		if strings.HasPrefix(mac, "umac-128") {
			tag = 16
		}
		for round := range rounds / 4 {
			fromClient := rng.IntN(2) == 0
			f := &flipper{rng: rng, packet: -1, tag: tag, etm: strings.Contains(mac, "-etm@")}
			what := fmt.Sprintf("seed %d, round %d: %s, from the client %t", seed, round+i*rounds/4, mac, fromClient)
			var failed error
			var got, want []byte
			var payload int
			inTime(t, what, func() { got, want, payload, failed = flipOver(t, listener, host, mac, f, fromClient) })
			what = fmt.Sprintf("%s, bit %d of byte %d of %d", what, f.bit, f.at, f.size)
			if expected := f.expected(payload); failed == nil || failed.Error() != expected {
				t.Fatalf("%s: the reader reports %v, want %s", what, failed, expected)
			}
			if !bytes.Equal(got, want) {
				t.Fatalf("%s: received %d bytes, want the first %d bytes sent", what, len(got), len(want))
			}
			errors[failed.Error()]++
		}
	}
	t.Log(errors)
	checkGoroutines(t, before)
}

// flipOver sends packets in one direction and makes f flip a bit in one of them. It
// returns the data received, the data sent before that packet, the size of its payload,
// and the reader's error.
func flipOver(t *testing.T, listener net.Listener, host ssh.Signer, mac string, f *flipper, fromClient bool) (got, before []byte, payload int, err error) {
	client, server, err := loopback(listener)
	if err != nil {
		t.Error(err)
		return
	}
	f.TCPConn = server
	clientEnd, serverEnd := net.Conn(client), net.Conn(f)
	if fromClient {
		f.TCPConn = client
		clientEnd, serverEnd = f, server
	}
	e := handshake(algorithms("aes128-ctr", mac), host, clientEnd, serverEnd, ssh.InsecureIgnoreHostKey())
	if err = cmp.Or(e.client.err, e.server.err); err != nil {
		return
	}
	defer e.client.Close()
	defer e.server.Close()
	from, to := e.server, e.client
	if fromClient {
		from, to = to, from
	}
	go ssh.DiscardRequests(e.client.requests)
	go ssh.DiscardRequests(e.server.requests)
	go func() {
		for range from.channels {
		}
	}()
	arrived := make(chan []byte, 1)
	ready := make(chan struct{})
	go func() {
		var got []byte
		defer func() { arrived <- got }()
		offered, ok := <-to.channels
		if !ok {
			return
		}
		channel, requests, err := offered.Accept()
		if err != nil {
			return
		}
		go ssh.DiscardRequests(requests)
		close(ready)
		got, _ = io.ReadAll(channel)
		for range to.channels {
		}
	}()
	channel, requests, err := from.OpenChannel("data", nil)
	if err != nil {
		t.Error(err)
		return
	}
	go ssh.DiscardRequests(requests)
	<-ready
	const packets = 30
	target := f.rng.IntN(packets)
	f.mu.Lock()
	f.packet = target
	f.mu.Unlock()
	pieceRNG := rand.New(rand.NewPCG(uint64(target), f.rng.Uint64()))
	for i := range packets {
		piece := mactest.Random(1+pieceRNG.IntN(3000), uint64(i))
		if i < target {
			before = append(before, piece...)
		}
		if i == target {
			payload = 9 + len(piece) // plus type, channel and length
		}
		if _, gone := channel.Write(piece); gone != nil {
			break
		}
	}
	f.CloseWrite()
	err = to.Wait()
	return <-arrived, before, payload, err
}

// FuzzSource checks that checkSource returns an error for an arbitrary source unless it
// declares macMode and macModes as expected.
func FuzzSource(f *testing.F) {
	const good = "package ssh\n\ntype macMode struct {\n\tkeySize int\n\tetm bool\n\tnew func(key []byte) hash.Hash\n}\n\n"
	f.Add([]byte(good + "var macModes = map[string]*macMode{}\n"))
	f.Add([]byte("\ufeff" + good + "var macModes map[string]*macMode"))
	f.Add([]byte(good + "//line other.go:1\nvar macModes, other = f()\n"))
	f.Add([]byte("package ssh\n\ntype macMode struct { keySize, size int; hash.Hash }\nvar ( macModes = 1 )"))
	f.Add([]byte("package"))
	f.Add([]byte("package ssh\ntype macMode = struct{}\ntype ( macMode[T any] struct { keySize T } )\nvar macModes [2]struct{}"))
	f.Fuzz(func(t *testing.T, source []byte) {
		err := checkSource(modcopy.Tree{"ssh/mac.go": source})
		d, readErr := modcopy.Declarations(source)
		fields := 0
		for _, text := range d.Full {
			if strings.HasPrefix(text, "field macMode.") {
				fields++
			}
		}
		known := slices.Contains(d.Full, "field macMode.keySize int") && slices.Contains(d.Full, "field macMode.etm bool") &&
			slices.Contains(d.Full, "field macMode.new func(key []byte) hash.Hash") && slices.Contains(d.Full, "var macModes map[string]*macMode")
		if err == nil && (readErr != nil || fields != 3 || !known) {
			t.Errorf("checkSource accepted %q, which declares %q: %v", source, d.Full, readErr)
		}
	})
}
