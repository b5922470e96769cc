// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshpatch

import (
	"bytes"
	"crypto/fips140"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"reflect"
	"slices"
	"strings"
	"sync"

	"golang.org/x/crypto/ssh"

	"github.com/unimac/unimac/sshpatch/sshmac"
)

// mu is held while macModes or cipherModes is used.
var mu sync.Mutex

// Register allows clients and servers to list the four UMAC algorithms in
// [ssh.Config].MACs until the program exits.
//
// Call Register from main or init, before the first connection. It writes to a map that
// every handshake reads, so calling it during a handshake is a data race. Calling it
// again, even concurrently, has no effect. If the program links a copy made by
// [Vendor], the algorithms are already present and Register changes nothing.
//
// Register returns [ErrFIPS] in FIPS 140-3 mode. If x/crypto/ssh is not laid out as in
// the releases v0.1.0 to v0.59.0, the error wraps [ErrIncompatible]. In either case,
// Register changes nothing.
//
// x/crypto/ssh keeps its MACs in an unexported map. Register adds entries to this map
// but does not change the defaults or the lists of supported algorithms. Before reading
// the map, it checks that the types in the program are as expected. It then checks some
// entries that every release has, and finally that [ssh.Config.SetDefaults] keeps the
// new names.
func Register() error {
	if fips140.Enabled() {
		return ErrFIPS
	}
	mu.Lock()
	defer mu.Unlock()
	if err := checkTypes(reflect.TypeFor[macMode]()); err != nil {
		return incompatible(err)
	}
	if err := checkEntries(); err != nil {
		return incompatible(err)
	}
	if err := addAlgorithms(macModes, checkSetDefaults); err != nil {
		return incompatible(err)
	}
	return nil
}

func incompatible(reason error) error {
	return fmt.Errorf("%w: %w", ErrIncompatible, reason)
}

// checkEntries checks that macModes has correct entries for two MACs that every release
// of x/crypto/ssh supports. Since macModes may not be the map that we expect,
// checkEntries turns memory faults into errors.
func checkEntries() error {
	return catchFault("macModes", func() error {
		if err := checkVariable("macModes", &macModes); err != nil {
			return err
		}
		for name, want := range map[string]*macMode{
			"hmac-sha2-256":                 {32, false, newHMAC},
			"hmac-sha2-256-etm@openssh.com": {32, true, newHMAC},
		} {
			if err := compare(name, macModes[name], want); err != nil {
				return err
			}
		}
		return nil
	})
}

func newHMAC(key []byte) hash.Hash { return hmac.New(sha256.New, key) }

// compare returns an error if got and want have different key sizes or etm flags, or
// compute different MACs.
func compare(name string, got, want *macMode) error {
	if got == nil {
		return fmt.Errorf("%s is missing", name)
	}
	if got.keySize != want.keySize || got.etm != want.etm {
		return fmt.Errorf("%s has a key of %d bytes and etm %v, want %d and %v", name, got.keySize, got.etm, want.keySize, want.etm)
	}
	if got.new == nil {
		return fmt.Errorf("%s has no constructor", name)
	}
	key := count(want.keySize)
	a, b := got.new(key), want.new(key)
	for seq := range uint32(3) {
		packet := binary.BigEndian.AppendUint32(nil, seq)
		packet = append(packet, "the packet of a trial"...)
		for _, h := range []hash.Hash{a, b} {
			h.Reset()
			h.Write(packet[:4])
			h.Write(packet[4:])
		}
		if a.Size() != b.Size() || !bytes.Equal(a.Sum(nil), b.Sum(nil)) {
			return fmt.Errorf("%s computes a different MAC", name)
		}
	}
	return nil
}

// addAlgorithms adds the missing UMAC algorithms to modes, and then calls check with
// the names of all four. If check fails, or if modes already contains an entry that
// differs from ours, addAlgorithms returns an error and leaves modes unchanged.
func addAlgorithms(modes map[string]*macMode, check func(names []string) error) error {
	var missing []string
	for _, name := range Algorithms() {
		if mode, ok := modes[name]; !ok {
			missing = append(missing, name)
		} else if err := compare(name, mode, newMode(name)); err != nil {
			return err
		}
	}
	for _, name := range missing {
		modes[name] = newMode(name)
	}
	err := check(Algorithms())
	if err != nil {
		for _, name := range missing {
			delete(modes, name)
		}
	}
	return err
}

func newMode(name string) *macMode {
	return &macMode{
		keySize: sshmac.KeySize,
		etm:     strings.HasSuffix(name, "-etm@openssh.com"),
		new: func(key []byte) hash.Hash {
			m, err := sshmac.New(name, key)
			if err != nil {
				// x/crypto/ssh passes a key of keySize bytes.
				panic(err)
			}
			return m
		},
	}
}

// checkSetDefaults returns an error if SetDefaults removes one of the names as unknown.
func checkSetDefaults(names []string) error {
	config := ssh.Config{MACs: slices.Clone(names)}
	config.SetDefaults()
	if !slices.Equal(config.MACs, names) {
		return fmt.Errorf("SetDefaults changes %q to %q", names, config.MACs)
	}
	return nil
}
