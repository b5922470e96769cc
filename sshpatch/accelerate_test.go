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

// TestAccelerate checks which entries Accelerate has replaced, and that further calls
// replace nothing.
func TestAccelerate(t *testing.T) {
	replaced := []string{chacha20Poly1305, "aes128-ctr", "aes192-ctr", "aes256-ctr"}
	after := maps.Clone(cipherModes)
	for _, name := range replaced {
		if before.ciphers[name] == nil || after[name] == before.ciphers[name] {
			t.Errorf("%s was not replaced", name)
		}
		after[name] = before.ciphers[name]
	}
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

// protections are what Accelerate is about.
var protections = []directionAlgorithms{
	{Cipher: chacha20Poly1305},
	{Cipher: "aes128-ctr", MAC: UMAC64ETM},
	{Cipher: "aes128-ctr", MAC: UMAC128ETM},
	{Cipher: "aes192-ctr", MAC: UMAC64ETM},
	{Cipher: "aes256-ctr", MAC: UMAC128ETM},
}

// bothCiphers returns functions that make x/crypto/ssh's packet cipher and ours, with the
// same keys.
func bothCiphers(t testing.TB, algs directionAlgorithms) (theirs, ours func() packet.Cipher) {
	t.Helper()
	maker := func(mode *cipherMode) func() packet.Cipher {
		return func() packet.Cipher {
			c, err := mode.create(mactest.Random(mode.keySize, 1), mactest.Random(mode.ivSize, 2), mactest.Random(16, 3), algs)
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
	}
	theirs, ours = maker(before.ciphers[algs.Cipher]), maker(cipherModes[algs.Cipher])
	if fmt.Sprintf("%T", theirs()) == fmt.Sprintf("%T", ours()) {
		t.Fatalf("both ciphers are %T", ours())
	}
	return theirs, ours
}

// forEachProtection runs a test for each of the protections.
func forEachProtection(t *testing.T, test func(t *testing.T, algs directionAlgorithms)) {
	for _, algs := range protections {
		name, _, _ := strings.Cut(algs.MAC, "@")
		t.Run(strings.Trim(algs.Cipher+"/"+name, "/"), func(t *testing.T) { test(t, algs) })
	}
}

// TestPackets sends packets of all lengths from x/crypto/ssh's ciphers to ours and
// back. Both write the same bytes, and what one refuses the other refuses.
func TestPackets(t *testing.T) {
	forEachProtection(t, func(t *testing.T, algs directionAlgorithms) {
		theirs, ours := bothCiphers(t, algs)
		p := newPeers(theirs, ours)
		seq := uint32(0xffffff00) // goes on with 0
		for n := range 1400 {
			p.send(t, seq, n+1, "")
			seq++
		}
		for i, n := range []int{4096, 32 << 10, 65535, 256<<10 - 300} {
			p.send(t, uint32(i), n, "")
		}
		for n, want := range map[int]string{0: "too", 256<<10 - 1: "too large", 256 << 10: "too large"} {
			newPeers(theirs, ours).send(t, 1, n, want)
		}
	})
}

// peers write with x/crypto/ssh's cipher and ours, and read with ours and
// x/crypto/ssh's.
type peers struct{ writers, readers [2]packet.Cipher }

func newPeers(theirs, ours func() packet.Cipher) *peers {
	return &peers{[2]packet.Cipher{theirs(), ours()}, [2]packet.Cipher{ours(), theirs()}}
}

// send sends a packet with n bytes of payload both ways. Reading it is an error with
// this text, if there is one.
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
		t.Fatalf("%d bytes: other packets", n)
	}
	var said [2]string
	for i, r := range p.readers {
		got, err := r.ReadPacket(seq, &wires[i])
		said[i] = fmt.Sprint(err)
		if err == nil && !bytes.Equal(got, sent) {
			t.Fatalf("%d bytes are read as others", n)
		}
	}
	if said[0] != said[1] || (said[0] == "<nil>") != (want == "") || !strings.Contains(said[0], want) {
		t.Fatalf("reading %d bytes: %s and %s, want %q", n, said[0], said[1], want)
	}
}

// TestForgedPackets changes each byte of packets. Ours says what x/crypto/ssh's says,
// except for the padding of an -etm packet, which that looks at before the tag.
func TestForgedPackets(t *testing.T) {
	announced := make([]byte, 300<<10) // what a longer length announces
	forEachProtection(t, func(t *testing.T, algs directionAlgorithms) {
		theirs, ours := bothCiphers(t, algs)
		for _, n := range []int{1, 20, 100} {
			var wire bytes.Buffer
			if err := ours().WritePacket(7, &wire, bytes.NewReader(make([]byte, 64)), mactest.Random(n, 1)); err != nil {
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
					_, want := theirs().ReadPacket(7, source())
					_, got := ours().ReadPacket(7, source())
					if want == nil || got == nil {
						t.Fatalf("byte %d, bit %d: %v and %v", at, bit, want, got)
					}
					if at == 4 && algs.MAC != "" {
						want = errors.New("ssh: MAC failure")
					}
					if got.Error() != want.Error() {
						t.Errorf("%d bytes, byte %d, bit %d: %v, want %v", n, at, bit, got, want)
					}
				}
			}
			if _, err := ours().ReadPacket(8, bytes.NewReader(wire.Bytes())); fmt.Sprint(err) == "<nil>" {
				t.Error("a packet is taken under another number")
			}
			for cut := range wire.Len() {
				_, want := theirs().ReadPacket(7, bytes.NewReader(wire.Bytes()[:cut]))
				_, got := ours().ReadPacket(7, bytes.NewReader(wire.Bytes()[:cut]))
				if cut == 5 && algs.MAC != "" {
					want = io.ErrUnexpectedEOF // theirs is between two reads
				}
				if !errors.Is(got, want) {
					t.Errorf("%d of %d bytes: %v, want %v", cut, wire.Len(), got, want)
				}
			}
		}
	})
}

// TestStrangePackets reads packets with right tags that no x/crypto/ssh writes: all
// small contents, paddings that are too long, and lengths at the limit.
func TestStrangePackets(t *testing.T) {
	theirs, ours := bothCiphers(t, directionAlgorithms{Cipher: chacha20Poly1305})
	key := mactest.Random(64, 1)
	check := func(what string, wire []byte) {
		t.Helper()
		wantPayload, want := theirs().ReadPacket(3, bytes.NewReader(wire))
		payload, got := ours().ReadPacket(3, bytes.NewReader(wire))
		if fmt.Sprint(got) != fmt.Sprint(want) || !bytes.Equal(payload, wantPayload) {
			t.Errorf("%s: %x, %v; want %x, %v", what, payload, got, wantPayload, want)
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

// sealedByHand is chacha20-poly1305@openssh.com as its description says it.
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

// countingWriter counts calls.
type countingWriter struct{ calls, bytes int }

func (w *countingWriter) Write(p []byte) (int, error) {
	w.calls++
	w.bytes += len(p)
	return len(p), nil
}

// TestPacketCosts checks that a packet is one Write, that the payload is not changed,
// and that no packet after the first of its length allocates.
func TestPacketCosts(t *testing.T) {
	forEachProtection(t, func(t *testing.T, algs directionAlgorithms) {
		_, ours := bothCiphers(t, algs)
		c, r := ours(), ours()
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
			t.Errorf("%v allocations to write a packet", allocs)
		}
		if w.calls != calls || w.bytes != calls*wire.Len() {
			t.Errorf("%d calls of Write for %d packets, %d bytes", w.calls, calls, w.bytes)
		}
		if !bytes.Equal(payload, saved) {
			t.Error("the payload was changed")
		}
		if algs.Cipher != chacha20Poly1305 {
			return // a packet can be read once only, in its turn
		}
		source := bytes.NewReader(wire.Bytes())
		allocs = testing.AllocsPerRun(20, func() {
			source.Reset(wire.Bytes())
			if _, err := r.ReadPacket(0, source); err != nil {
				t.Fatal(err)
			}
		})
		if allocs != 0 {
			t.Errorf("%v allocations to read a packet", allocs)
		}
	})
}

// TestAcceleratedRand checks that padding comes from the source that it is asked of,
// whose errors are passed on.
func TestAcceleratedRand(t *testing.T) {
	forEachProtection(t, func(t *testing.T, algs directionAlgorithms) {
		theirs, ours := bothCiphers(t, algs)
		for _, c := range []packet.Cipher{theirs(), ours()} {
			if err := c.WritePacket(0, io.Discard, bytes.NewReader([]byte{1, 2}), make([]byte, 9)); err != io.ErrUnexpectedEOF {
				t.Errorf("%T: %v, want %v", c, err, io.ErrUnexpectedEOF)
			}
		}
		if algs.MAC == "" {
			return
		}
		for _, c := range []packet.Cipher{theirs(), ours()} {
			if err := c.WritePacket(0, io.Discard, bytes.NewReader(make([]byte, 64)), make([]byte, 256<<10+1)); fmt.Sprint(err) != "ssh: packet too large" {
				t.Errorf("%T: %v for a packet that is too large", c, err)
			}
		}
	})
}

// credulous reads every packet without an error.
type credulous struct{ packet.Cipher }

func (c credulous) ReadPacket(seq uint32, r io.Reader) ([]byte, error) {
	payload, _ := c.Cipher.ReadPacket(seq, r)
	return payload, nil
}

// TestTryForgery checks that two ciphers which both accept a forgery do not agree.
func TestTryForgery(t *testing.T) {
	_, ours := bothCiphers(t, directionAlgorithms{Cipher: chacha20Poly1305})
	ends := [4]packet.Cipher{ours(), ours(), credulous{ours()}, credulous{ours()}}
	if err := tryForgery(ends); err == nil || !strings.Contains(err.Error(), "accepted") {
		t.Error(err)
	}
}

// TestReplace checks that all or nothing is replaced.
func TestReplace(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(modes map[string]*cipherMode)
		want   string
	}{
		{"missing", func(modes map[string]*cipherMode) { delete(modes, "aes256-ctr") }, "aes256-ctr is missing"},
		{"nil", func(modes map[string]*cipherMode) { modes["aes192-ctr"] = nil }, "aes192-ctr is missing"},
		{"key size", func(modes map[string]*cipherMode) {
			mode := *modes[chacha20Poly1305]
			mode.keySize = 32
			modes[chacha20Poly1305] = &mode
		}, "key of 32 bytes"},
		{"iv size", func(modes map[string]*cipherMode) {
			mode := *modes["aes128-ctr"]
			mode.ivSize = 12
			modes["aes128-ctr"] = &mode
		}, "iv of 12"},
		{"no constructor", func(modes map[string]*cipherMode) { modes["aes256-ctr"] = &cipherMode{32, 16, nil} }, "no constructor"},
		{"another cipher", func(modes map[string]*cipherMode) {
			mode := *modes["aes256-ctr"]
			mode.create = func(key, iv []byte, macKey []byte, algs directionAlgorithms) (packet.Cipher, error) {
				return before.ciphers["aes256-ctr"].create(key, make([]byte, 16), macKey, algs)
			}
			modes["aes256-ctr"] = &mode
		}, "aes256-ctr: a packet of 1 bytes differs"},
		{"a cipher that accepts forgeries", func(modes map[string]*cipherMode) {
			mode := *modes["aes192-ctr"]
			mode.create = func(key, iv []byte, macKey []byte, algs directionAlgorithms) (packet.Cipher, error) {
				c, err := before.ciphers["aes192-ctr"].create(key, iv, macKey, algs)
				return credulous{c}, err
			}
			modes["aes192-ctr"] = &mode
		}, `aes192-ctr: a forgery is "<nil>", want "ssh: MAC failure"`},
		{"an error", func(modes map[string]*cipherMode) {
			modes["aes192-ctr"] = &cipherMode{24, 16, func([]byte, []byte, []byte, directionAlgorithms) (packet.Cipher, error) {
				return nil, errors.New("refused")
			}}
		}, "refused"},
	} {
		modes := maps.Clone(before.ciphers)
		tt.change(modes)
		want := maps.Clone(modes)
		if err := replace(modes); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
		if !maps.Equal(modes, want) {
			t.Errorf("%s: something was replaced", tt.name)
		}
	}
}
