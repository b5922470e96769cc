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

// registering keeps calls of Register and Accelerate apart.
var registering sync.Mutex

// Register makes the four algorithms usable in [ssh.Config].MACs, by clients
// and servers, for as long as the program runs.
//
// Call it from main or init, before the first connection: it writes to a map
// that every handshake reads, so a call during a running handshake is a data
// race. Calling it again, also from several goroutines, is harmless and changes
// nothing. In a program that links a copy made by [Vendor] it finds the
// algorithms there and changes nothing either.
//
// It returns [ErrFIPS] in FIPS 140-3 mode, and an error that wraps
// [ErrIncompatible] where the x/crypto/ssh that the program links is not laid
// out as in the releases v0.1.0 to v0.59.0. In both cases nothing is changed.
//
// x/crypto/ssh keeps its MACs in an unexported map, and Register adds to that
// map alone; the defaults and the lists of supported algorithms stay as they
// are. Before it touches the map it compares the types that the program was
// compiled with, then entries whose meaning is known; afterwards it checks that
// [ssh.Config.SetDefaults] keeps the names.
func Register() error {
	if fips140.Enabled() {
		return ErrFIPS
	}
	registering.Lock()
	defer registering.Unlock()
	if err := checkTypes(reflect.TypeFor[macMode]()); err != nil {
		return incompatible(err)
	}
	if err := checkEntries(); err != nil {
		return incompatible(err)
	}
	if err := add(macModes, setDefaultsKeeps); err != nil {
		return incompatible(err)
	}
	return nil
}

func incompatible(reason error) error {
	return fmt.Errorf("%w: %w", ErrIncompatible, reason)
}

// checkEntries checks that macModes holds what x/crypto/ssh always has. The
// types are known to exist by now, but it is not certain yet that the variable
// has the type of a map; reading a different type can fault.
func checkEntries() error {
	return readable("macModes", func() error {
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

// compare checks that two entries mean the same: their fields and the MAC of
// some packets.
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
			return fmt.Errorf("%s computes something else", name)
		}
	}
	return nil
}

// add adds the algorithms to modes, except those that are there already and
// right, and takes them away again unless kept holds for them.
func add(modes map[string]*macMode, kept func(names []string) error) error {
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
	err := kept(Algorithms())
	if err != nil {
		for _, name := range missing {
			delete(modes, name)
		}
	}
	return err
}

// newMode returns the entry of one of the four algorithms.
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

// setDefaultsKeeps checks that a configuration may list the names:
// x/crypto/ssh drops those that it does not know.
func setDefaultsKeeps(names []string) error {
	config := ssh.Config{MACs: slices.Clone(names)}
	config.SetDefaults()
	if !slices.Equal(config.MACs, names) {
		return fmt.Errorf("SetDefaults makes %q of %q", config.MACs, names)
	}
	return nil
}
