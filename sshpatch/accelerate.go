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
)

const chacha20Poly1305 = "chacha20-poly1305@openssh.com"

// Accelerate makes x/crypto/ssh use this module's kernels for
// chacha20-poly1305@openssh.com, which every OpenSSH client proposes first. It affects
// clients and servers until the program exits, and it does not change any other cipher.
// Packets, the offered algorithms, limits and errors remain the same.
//
// Like [Register], call Accelerate from main or init, before the first connection.
// Calling it again has no effect. Accelerate returns [ErrFIPS] in FIPS 140-3 mode. If
// x/crypto/ssh is not laid out as in the releases v0.1.0 to v0.59.0, the error wraps
// [ErrIncompatible]. In either case, Accelerate changes nothing.
//
// x/crypto/ssh keeps its ciphers in an unexported map, and Accelerate replaces one
// entry of this map. It first checks that the types in the program and the entry are as
// expected, and then that x/crypto/ssh's cipher and this module's cipher read each
// other's packets.
func Accelerate() error {
	if fips140.Enabled() {
		return ErrFIPS
	}
	mu.Lock()
	defer mu.Unlock()
	runtime.KeepAlive(keepMethods)
	if err := checkTypes(reflect.TypeFor[cipherMode]()); err != nil {
		return incompatible(err)
	}
	err := catchFault("cipherModes", func() error {
		if err := checkVariable("cipherModes", &cipherModes); err != nil {
			return err
		}
		return replaceCipher(cipherModes)
	})
	if err != nil {
		return incompatible(err)
	}
	return nil
}

// keepMethods makes the linker keep the methods of x/crypto/ssh's ciphers. Otherwise, a
// program that makes no SSH connection would lack these methods, and calling one in
// checkCipher would crash the program.
var keepMethods = ssh.NewClientConn

type createFunc = func(key, iv []byte, macKey []byte, algs directionAlgorithms) (packet.Cipher, error)

func createChaCha20Poly1305(key, _, _ []byte, _ directionAlgorithms) (packet.Cipher, error) {
	return packet.NewChaCha20Poly1305(key)
}

// replaceCipher replaces the entry for chacha20-poly1305@openssh.com after testing that
// this module's cipher behaves like x/crypto/ssh's. On error, it leaves modes
// unchanged.
func replaceCipher(modes map[string]*cipherMode) error {
	const keySize = packet.KeySizeChaCha20Poly1305
	mode := modes[chacha20Poly1305]
	switch {
	case mode == nil:
		return fmt.Errorf("%s is missing", chacha20Poly1305)
	case mode.keySize != keySize || mode.ivSize != 0:
		return fmt.Errorf("%s has a key of %d bytes and an iv of %d, want %d and 0", chacha20Poly1305, mode.keySize, mode.ivSize, keySize)
	case mode.create == nil:
		return fmt.Errorf("%s has no constructor", chacha20Poly1305)
	case reflect.ValueOf(mode.create).Pointer() == reflect.ValueOf(createChaCha20Poly1305).Pointer():
		return nil // an earlier call replaced the entry
	}
	if err := checkCipher(mode.create); err != nil {
		return fmt.Errorf("%s: %w", chacha20Poly1305, err)
	}
	modes[chacha20Poly1305] = &cipherMode{keySize, 0, createChaCha20Poly1305}
	return nil
}

// checkCipher checks that the ciphers created by upstream and createChaCha20Poly1305
// write identical packets, read each other's packets, and reject a forged packet.
func checkCipher(upstream createFunc) error {
	var ciphers [4]packet.Cipher // two writers, two readers
	for i, create := range []createFunc{upstream, createChaCha20Poly1305, upstream, createChaCha20Poly1305} {
		c, err := create(count(packet.KeySizeChaCha20Poly1305), nil, nil, directionAlgorithms{Cipher: chacha20Poly1305})
		if err != nil {
			return err
		}
		ciphers[i] = c
	}
	if err := checkPackets(ciphers); err != nil {
		return err
	}
	return checkForgery(ciphers)
}

// checkPackets checks that both implementations write identical packets and read each
// other's packets.
func checkPackets(ciphers [4]packet.Cipher) error {
	for i, n := range []int{1, 4, 15, 16, 63, 200, 1000, 33000} {
		seq := uint32(i) * 0x1fffffff
		var packets [2]bytes.Buffer
		for end := range packets {
			if err := ciphers[end].WritePacket(seq, &packets[end], bytes.NewReader(count(64)), count(n)); err != nil {
				return err
			}
		}
		if !bytes.Equal(packets[0].Bytes(), packets[1].Bytes()) {
			return fmt.Errorf("a packet of %d bytes differs", n)
		}
		for end := range packets {
			got, err := ciphers[2+end].ReadPacket(seq, &packets[1-end])
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

// checkForgery checks that both readers reject a forged packet with the same error.
func checkForgery(ciphers [4]packet.Cipher) error {
	var sent bytes.Buffer
	if err := errors.Join(ciphers[0].WritePacket(0, io.Discard, bytes.NewReader(count(64)), count(100)), ciphers[1].WritePacket(0, &sent, bytes.NewReader(count(64)), count(100))); err != nil {
		return err
	}
	changed := sent.Bytes()
	changed[len(changed)-1] ^= 1
	var errs [2]string
	accepted := 0
	for end := range errs {
		_, err := ciphers[2+end].ReadPacket(0, bytes.NewReader(changed))
		if errs[end] = fmt.Sprint(err); err == nil {
			accepted++
		}
	}
	switch {
	case errs[0] != errs[1]:
		return fmt.Errorf("a forgery returns %q, want %q", errs[0], errs[1])
	case accepted > 0:
		return errors.New("a forgery is accepted")
	}
	return nil
}

func count(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i)
	}
	return b
}
