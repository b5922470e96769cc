// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshpatch

import (
	"bytes"
	"crypto/fips140"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"

	"golang.org/x/crypto/ssh"

	"github.com/unimac/unimac/sshpatch/internal/packet"
	"github.com/unimac/unimac/sshpatch/sshmac"
)

const chacha20Poly1305 = "chacha20-poly1305@openssh.com"

// Accelerate makes x/crypto/ssh use this module's ciphers, for as long as the program
// runs and for clients and servers alike:
//
//   - chacha20-poly1305@openssh.com, which every OpenSSH client proposes first,
//   - aes128-ctr, aes192-ctr and aes256-ctr together with umac-64-etm@openssh.com and
//     umac-128-etm@openssh.com, if [Register] was called, too: one pass, and one
//     Write for each packet. With other MACs the ciphers stay x/crypto/ssh's.
//
// What goes over the connection, which algorithms are offered, limits and errors stay
// as they are. What differs: a packet whose tag is wrong is always "ssh: MAC failure",
// because only its length is checked before.
//
// Like [Register], call it from main or init, before the first connection; calling it
// again is harmless. It returns [ErrFIPS] in FIPS 140-3 mode, and an error that wraps
// [ErrIncompatible] where x/crypto/ssh is not laid out as in the releases v0.1.0 to
// v0.59.0. In both cases nothing is changed.
//
// x/crypto/ssh keeps its ciphers in an unexported map, and Accelerate replaces four of
// its entries. Before that it compares the types that the program was compiled
// with, then the entries, and then it lets x/crypto/ssh's ciphers and this module's read
// each other's packets.
func Accelerate() error {
	if fips140.Enabled() {
		return ErrFIPS
	}
	registering.Lock()
	defer registering.Unlock()
	runtime.KeepAlive(transport)
	if err := checkTypes(reflect.TypeFor[cipherMode]()); err != nil {
		return incompatible(err)
	}
	err := readable("cipherModes", func() error {
		if err := checkVariable("cipherModes", &cipherModes); err != nil {
			return err
		}
		return replace(cipherModes)
	})
	if err != nil {
		return incompatible(err)
	}
	return nil
}

// transport leads to all that x/crypto/ssh does with its ciphers. In a program that
// makes no connection nothing else does; then the linker leaves the methods of its
// ciphers out, and the trial of one would end the program.
var transport = ssh.NewClientConn

// A replacement is an entry of cipherModes and what takes its place.
type replacement struct {
	name            string
	keySize, ivSize int
	mac             string // with which both are tried
	create          func(genuine createFunc) createFunc
}

type createFunc = func(key, iv []byte, macKey []byte, algs directionAlgorithms) (packet.Cipher, error)

func replacements() []replacement {
	const tried = "hmac-sha2-256-etm@openssh.com" // UMAC need not be registered
	return []replacement{
		{chacha20Poly1305, 64, 0, "", chacha20Poly1305In},
		{"aes128-ctr", 16, 16, tried, ctrIn},
		{"aes192-ctr", 24, 16, tried, ctrIn},
		{"aes256-ctr", 32, 16, tried, ctrIn},
	}
}

// replace tries all replacements, then puts them into modes, or changes nothing.
func replace(modes map[string]*cipherMode) error {
	replaced := map[string]*cipherMode{}
	for _, r := range replacements() {
		genuine := modes[r.name]
		switch {
		case genuine == nil:
			return fmt.Errorf("%s is missing", r.name)
		case genuine.keySize != r.keySize || genuine.ivSize != r.ivSize:
			return fmt.Errorf("%s has a key of %d bytes and an iv of %d, want %d and %d", r.name, genuine.keySize, genuine.ivSize, r.keySize, r.ivSize)
		case genuine.create == nil:
			return fmt.Errorf("%s has no constructor", r.name)
		}
		ours := r.create(genuine.create)
		if reflect.ValueOf(genuine.create).Pointer() == reflect.ValueOf(ours).Pointer() {
			continue // by an earlier call
		}
		if err := r.try(genuine.create); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		replaced[r.name] = &cipherMode{r.keySize, r.ivSize, ours}
	}
	for name, mode := range replaced {
		modes[name] = mode
	}
	return nil
}

// chacha20Poly1305In returns the constructor that takes the place of a genuine one.
func chacha20Poly1305In(createFunc) createFunc {
	return func(key, _, _ []byte, _ directionAlgorithms) (packet.Cipher, error) {
		return packet.NewChaCha20Poly1305(key)
	}
}

// ctrIn returns the constructor that takes the place of a genuine one for the MACs
// that are ours.
func ctrIn(genuine createFunc) createFunc {
	return func(key, iv, macKey []byte, algs directionAlgorithms) (packet.Cipher, error) {
		size, ok := map[string]int{UMAC64ETM: 8, UMAC128ETM: 16}[algs.MAC]
		if !ok || len(macKey) != sshmac.KeySize {
			return genuine(key, iv, macKey, algs)
		}
		mac, err := packet.NewUMAC(macKey, size)
		if err != nil {
			return nil, err
		}
		return packet.NewCTR(key, iv, mac)
	}
}

// try lets the genuine cipher and ours write the same packets and read each other's,
// then read what was changed on the way.
func (r replacement) try(genuine createFunc) error {
	key, iv, macKey := count(r.keySize), count(r.ivSize), count(32)
	theirs := func() (packet.Cipher, error) {
		// x/crypto/ssh increments some of its ivs where they are.
		return genuine(bytes.Clone(key), bytes.Clone(iv), bytes.Clone(macKey), directionAlgorithms{Cipher: r.name, MAC: r.mac})
	}
	ours := func() (packet.Cipher, error) {
		if r.mac == "" {
			return packet.NewChaCha20Poly1305(key)
		}
		return packet.NewCTR(key, iv, hmacETM{macKey})
	}
	var ends [4]packet.Cipher // two writers, two readers
	for i, create := range []func() (packet.Cipher, error){theirs, ours, theirs, ours} {
		c, err := create()
		if err != nil {
			return err
		}
		ends[i] = c
	}
	if err := tryPackets(ends); err != nil {
		return err
	}
	return tryForgery(ends)
}

// tryPackets lets both writers write the same packets, and each reader read the other's.
func tryPackets(ends [4]packet.Cipher) error {
	for i, n := range []int{1, 4, 15, 16, 63, 200, 1000, 33000} {
		seq := uint32(i) * 0x1fffffff
		var packets [2]bytes.Buffer
		for end := range packets {
			if err := ends[end].WritePacket(seq, &packets[end], bytes.NewReader(count(64)), count(n)); err != nil {
				return err
			}
		}
		if !bytes.Equal(packets[0].Bytes(), packets[1].Bytes()) {
			return fmt.Errorf("a packet of %d bytes differs", n)
		}
		for end := range packets {
			got, err := ends[2+end].ReadPacket(seq, &packets[1-end])
			if err != nil {
				return err
			}
			if !bytes.Equal(got, count(n)) {
				return fmt.Errorf("a packet of %d bytes is read as another one", n)
			}
		}
	}
	return nil
}

// tryForgery lets both readers read a packet that was changed on the way.
func tryForgery(ends [4]packet.Cipher) error {
	var sent bytes.Buffer
	if err := errors.Join(ends[0].WritePacket(0, io.Discard, bytes.NewReader(count(64)), count(100)), ends[1].WritePacket(0, &sent, bytes.NewReader(count(64)), count(100))); err != nil {
		return err
	}
	changed := sent.Bytes()
	changed[len(changed)-1] ^= 1
	var said [2]string
	accepted := 0
	for end := range said {
		_, err := ends[2+end].ReadPacket(0, bytes.NewReader(changed))
		if said[end] = fmt.Sprint(err); err == nil {
			accepted++
		}
	}
	switch {
	case said[0] != said[1]:
		return fmt.Errorf("a forgery is %q, want %q", said[0], said[1])
	case accepted > 0:
		return errors.New("a forgery is accepted")
	}
	return nil
}

// count returns n bytes that count.
func count(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i)
	}
	return b
}

// hmacETM is hmac-sha2-256-etm@openssh.com as a MAC of packets, for trials.
type hmacETM struct{ key []byte }

func (hmacETM) Size() int { return 32 }

func (m hmacETM) Sum(dst []byte, seq uint32, packet []byte) []byte {
	h := newHMAC(m.key)
	h.Write([]byte{byte(seq >> 24), byte(seq >> 16), byte(seq >> 8), byte(seq)})
	h.Write(packet)
	return h.Sum(dst)
}
