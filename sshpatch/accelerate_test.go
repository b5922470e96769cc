// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshpatch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"testing"

	"golang.org/x/crypto/chacha20"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/poly1305"
	"github.com/unimac/unimac/sshpatch/internal/packet"
)

// TestAccelerate checks that Accelerate replaced exactly one entry, and that a second
// call replaces none.
func TestAccelerate(t *testing.T) {
	after := maps.Clone(cipherModes)
	if before.ciphers[chacha20Poly1305] == nil || after[chacha20Poly1305] == before.ciphers[chacha20Poly1305] {
		t.Error("chacha20-poly1305 was not replaced")
	}
	after[chacha20Poly1305] = before.ciphers[chacha20Poly1305]
	if !maps.Equal(after, before.ciphers) {
		t.Errorf("Accelerate left %v, want %v", after, before.ciphers)
	}
	want := maps.Clone(cipherModes)
	if err := Accelerate(); err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(cipherModes, want) {
		t.Error("a second Accelerate replaced entries")
	}
}

// theirs returns x/crypto/ssh's cipher chacha20-poly1305@openssh.com, and ours returns
// this module's cipher with the same key.
func theirs(t testing.TB) packet.Cipher { return newCipher(t, before.ciphers[chacha20Poly1305]) }

func ours(t testing.TB) packet.Cipher { return newCipher(t, cipherModes[chacha20Poly1305]) }

func newCipher(t testing.TB, mode *cipherMode) packet.Cipher {
	t.Helper()
	c, err := mode.create(mactest.Random(mode.keySize, 1), nil, nil, directionAlgorithms{Cipher: chacha20Poly1305})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestOtherCipher checks that theirs and ours are different ciphers.
func TestOtherCipher(t *testing.T) {
	if a, b := fmt.Sprintf("%T", theirs(t)), fmt.Sprintf("%T", ours(t)); a == b {
		t.Errorf("both ciphers have the type %s", a)
	}
}

// TestPackets checks that x/crypto/ssh's cipher and this module's cipher write the same
// bytes for packets of all lengths, read each other's packets, and reject the same
// lengths.
func TestPackets(t *testing.T) {
	p := newPeers(t)
	seq := uint32(0xffffff00) // wraps to 0
	for n := range 1400 {
		p.send(t, seq, n+1, "")
		seq++
	}
	for i, n := range []int{4096, 32 << 10, 65535, 256<<10 - 300} {
		p.send(t, uint32(i), n, "")
	}
	for n, want := range map[int]string{0: "too", 256<<10 - 1: "too large", 256 << 10: "too large"} {
		newPeers(t).send(t, 1, n, want)
	}
}

// peers are pairs of writers and readers. One pair writes with x/crypto/ssh's cipher
// and reads with this module's, and the other does the opposite.
type peers struct{ writers, readers [2]packet.Cipher }

func newPeers(t testing.TB) *peers {
	return &peers{[2]packet.Cipher{theirs(t), ours(t)}, [2]packet.Cipher{ours(t), theirs(t)}}
}

// send sends a packet with n bytes of payload between both pairs. If want is not empty,
// reading must fail with this error text.
func (p *peers) send(t *testing.T, seq uint32, n int, want string) {
	t.Helper()
	sent := mactest.Random(n, uint64(n))
	var wires [2]bytes.Buffer
	for i, w := range p.writers {
		if err := w.WritePacket(seq, &wires[i], bytes.NewReader(mactest.Random(64, 9)), bytes.Clone(sent)); err != nil {
			t.Fatalf("writing %d bytes: %v", n, err)
		}
	}
	if !bytes.Equal(wires[0].Bytes(), wires[1].Bytes()) {
		t.Fatalf("%d bytes: the ciphers write different packets", n)
	}
	var said [2]string
	for i, r := range p.readers {
		got, err := r.ReadPacket(seq, &wires[i])
		said[i] = fmt.Sprint(err)
		if err == nil && !bytes.Equal(got, sent) {
			t.Fatalf("%d bytes: read a different payload", n)
		}
	}
	if said[0] != said[1] || (said[0] == "<nil>") != (want == "") || !strings.Contains(said[0], want) {
		t.Fatalf("reading %d bytes: %s and %s, want %q", n, said[0], said[1], want)
	}
}

// TestForgedPackets checks that both ciphers return the same error for packets with a
// flipped bit and for truncated packets.
func TestForgedPackets(t *testing.T) {
	announced := make([]byte, 300<<10) // data after a packet whose forged length is larger
	for _, n := range []int{1, 20, 100} {
		var wire bytes.Buffer
		if err := ours(t).WritePacket(7, &wire, bytes.NewReader(make([]byte, 64)), mactest.Random(n, 1)); err != nil {
			t.Fatal(err)
		}
		for at := range wire.Len() {
			for bit := range 8 {
				if testing.Short() && bit != at%8 {
					continue
				}
				forged := bytes.Clone(wire.Bytes())
				forged[at] ^= 1 << bit
				source := func() io.Reader { return io.MultiReader(bytes.NewReader(forged), bytes.NewReader(announced)) }
				_, want := theirs(t).ReadPacket(7, source())
				_, got := ours(t).ReadPacket(7, source())
				if want == nil || got == nil || got.Error() != want.Error() {
					t.Fatalf("%d bytes, byte %d, bit %d: got error %v, want %v", n, at, bit, got, want)
				}
			}
		}
		if _, err := ours(t).ReadPacket(8, bytes.NewReader(wire.Bytes())); err == nil {
			t.Error("accepted a packet under another sequence number")
		}
		for cut := range wire.Len() {
			_, want := theirs(t).ReadPacket(7, bytes.NewReader(wire.Bytes()[:cut]))
			_, got := ours(t).ReadPacket(7, bytes.NewReader(wire.Bytes()[:cut]))
			if !errors.Is(got, want) {
				t.Errorf("%d of %d bytes: got error %v, want %v", cut, wire.Len(), got, want)
			}
		}
	}
}

// TestStrangePackets checks that both ciphers agree on packets with correct tags that
// x/crypto/ssh never writes: very short contents, any padding length, and lengths
// around the limit.
func TestStrangePackets(t *testing.T) {
	key := mactest.Random(64, 1)
	check := func(what string, wire []byte) {
		t.Helper()
		wantPayload, want := theirs(t).ReadPacket(3, bytes.NewReader(wire))
		payload, got := ours(t).ReadPacket(3, bytes.NewReader(wire))
		if fmt.Sprint(got) != fmt.Sprint(want) || !bytes.Equal(payload, wantPayload) {
			t.Errorf("%s: got %x, %v, want %x, %v", what, payload, got, wantPayload, want)
		}
	}
	for n := range 40 {
		for padding := range 256 {
			content := mactest.Random(n, 4)
			if n > 0 {
				content[0] = byte(padding)
			}
			check(fmt.Sprintf("content of %d bytes, padding %d", n, padding), sealedByHand(t, key, 3, content))
		}
	}
	for _, n := range []int{256<<10 - 1, 256 << 10, 256<<10 + 1} {
		content := make([]byte, n)
		content[0] = 4
		check(fmt.Sprintf("content of %d bytes", n), sealedByHand(t, key, 3, content))
	}
}

// sealedByHand returns a packet of chacha20-poly1305@openssh.com, computed directly
// from the specification.
func sealedByHand(t *testing.T, key []byte, seq uint32, content []byte) []byte {
	t.Helper()
	stream := func(key []byte, counter uint32, text []byte) []byte {
		nonce := make([]byte, 12)
		binary.BigEndian.PutUint32(nonce[8:], seq)
		c, err := chacha20.NewUnauthenticatedCipher(key, nonce)
		if err != nil {
			t.Fatal(err)
		}
		c.SetCounter(counter)
		out := make([]byte, len(text))
		c.XORKeyStream(out, text)
		return out
	}
	wire := stream(key[32:], 0, binary.BigEndian.AppendUint32(nil, uint32(len(content))))
	wire = append(wire, stream(key[:32], 1, content)...)
	var tag [poly1305.TagSize]byte
	poly1305.Sum(&tag, wire, (*[32]byte)(stream(key[:32], 0, make([]byte, 32))))
	return append(wire, tag[:]...)
}

// countingWriter counts Write calls and bytes.
type countingWriter struct{ calls, bytes int }

func (w *countingWriter) Write(p []byte) (int, error) {
	w.calls++
	w.bytes += len(p)
	return len(p), nil
}

// TestPacketCosts checks that writing a packet makes one Write call and does not change
// the payload, and that only the first packet of each length allocates.
func TestPacketCosts(t *testing.T) {
	c, r := ours(t), ours(t)
	payload := mactest.Random(33000, 1)
	saved := bytes.Clone(payload)
	var w countingWriter
	rand := bytes.NewReader(make([]byte, 64))
	var wire bytes.Buffer
	if err := c.WritePacket(0, &wire, rand, payload); err != nil {
		t.Fatal(err)
	}
	if _, err := r.ReadPacket(0, bytes.NewReader(wire.Bytes())); err != nil {
		t.Fatal(err)
	}
	calls := 0
	allocs := testing.AllocsPerRun(20, func() {
		rand.Reset(payload[:64])
		calls++
		if err := c.WritePacket(uint32(calls), &w, rand, payload); err != nil {
			t.Fatal(err)
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations to write a packet, want 0", allocs)
	}
	if w.calls != calls || w.bytes != calls*wire.Len() {
		t.Errorf("%d Write calls with %d bytes for %d packets, want one call per packet", w.calls, w.bytes, calls)
	}
	if !bytes.Equal(payload, saved) {
		t.Error("the payload was changed")
	}
	source := bytes.NewReader(wire.Bytes())
	allocs = testing.AllocsPerRun(20, func() {
		source.Reset(wire.Bytes())
		if _, err := r.ReadPacket(0, source); err != nil {
			t.Fatal(err)
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations to read a packet, want 0", allocs)
	}
}

// TestAcceleratedRand checks that WritePacket reads padding from the given source and
// returns its errors.
func TestAcceleratedRand(t *testing.T) {
	for _, c := range []packet.Cipher{theirs(t), ours(t)} {
		if err := c.WritePacket(0, io.Discard, bytes.NewReader([]byte{1, 2}), make([]byte, 9)); err != io.ErrUnexpectedEOF {
			t.Errorf("%T: %v, want %v", c, err, io.ErrUnexpectedEOF)
		}
	}
}

// credulous is a cipher that accepts forgeries.
type credulous struct{ packet.Cipher }

func (c credulous) ReadPacket(seq uint32, r io.Reader) ([]byte, error) {
	payload, _ := c.Cipher.ReadPacket(seq, r)
	return payload, nil
}

// TestCheckForgery checks that checkForgery returns an error if both ciphers accept a
// forgery.
func TestCheckForgery(t *testing.T) {
	ends := [4]packet.Cipher{ours(t), ours(t), credulous{ours(t)}, credulous{ours(t)}}
	if err := checkForgery(ends); err == nil || !strings.Contains(err.Error(), "accepted") {
		t.Errorf("checkForgery = %v, want an error about an accepted forgery", err)
	}
}

// TestReplace checks that replace changes nothing if the entry is not as expected.
func TestReplace(t *testing.T) {
	genuine := *before.ciphers[chacha20Poly1305]
	for _, tt := range []struct {
		name string
		mode *cipherMode
		want string
	}{
		{"nil", nil, "chacha20-poly1305@openssh.com is missing"},
		{"key size", &cipherMode{32, 0, genuine.create}, "key of 32 bytes"},
		{"iv size", &cipherMode{64, 12, genuine.create}, "iv of 12"},
		{"no constructor", &cipherMode{64, 0, nil}, "no constructor"},
		{"another cipher", &cipherMode{64, 0, func(key, iv []byte, macKey []byte, algs directionAlgorithms) (packet.Cipher, error) {
			return genuine.create(make([]byte, 64), iv, macKey, algs)
		}}, "a packet of 1 bytes differs"},
		{"a cipher that accepts forgeries", &cipherMode{64, 0, func(key, iv []byte, macKey []byte, algs directionAlgorithms) (packet.Cipher, error) {
			c, err := genuine.create(key, iv, macKey, algs)
			return credulous{c}, err
		}}, `a forgery returns "<nil>", want "ssh: MAC failure"`},
		{"an error", &cipherMode{64, 0, func([]byte, []byte, []byte, directionAlgorithms) (packet.Cipher, error) {
			return nil, errors.New("refused")
		}}, "refused"},
	} {
		modes := maps.Clone(before.ciphers)
		modes[chacha20Poly1305] = tt.mode
		want := maps.Clone(modes)
		if err := replaceCipher(modes); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
		if !maps.Equal(modes, want) {
			t.Errorf("%s: replaceCipher changed the modes", tt.name)
		}
	}
	modes := maps.Clone(before.ciphers)
	delete(modes, chacha20Poly1305)
	if err := replaceCipher(modes); err == nil || modes[chacha20Poly1305] != nil {
		t.Errorf("without an entry: got %v, want an error", err)
	}
}
