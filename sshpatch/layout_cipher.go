// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshpatch

import (
	"reflect"
	"strings"
	_ "unsafe" // for go:linkname

	"github.com/unimac/unimac/sshpatch/internal/packet"
)

// cipherMode has the fields of the type of this name in x/crypto/ssh.
type cipherMode struct {
	keySize int
	ivSize  int
	create  func(key, iv []byte, macKey []byte, algs directionAlgorithms) (packet.Cipher, error)
}

// directionAlgorithms has the fields of x/crypto/ssh's DirectionAlgorithms. Older
// releases spell it with a small letter, and compression with a large one.
type directionAlgorithms struct {
	Cipher      string
	MAC         string
	Compression string
}

// cipherModes is the variable of x/crypto/ssh, as [macModes] is. Nothing but
// [Accelerate] may use it.
//
//go:linkname cipherModes golang.org/x/crypto/ssh.cipherModes
var cipherModes map[string]*cipherMode

// sameType reports whether a type is what stands for it here: the same type, or for
// the type of cipherMode.create a function whose last parameter and first result have
// the layout of ours.
func sameType(got, want reflect.Type) bool {
	if got == want {
		return true
	}
	switch {
	case want != reflect.TypeFor[cipherMode]().Field(2).Type:
		return false
	case got.Kind() != reflect.Func || got.NumIn() != want.NumIn() || got.NumOut() != want.NumOut() || got.IsVariadic():
		return false
	}
	for i := range 3 {
		if got.In(i) != want.In(i) {
			return false
		}
	}
	return sameAlgorithms(got.In(3), want.In(3)) && samePacketCipher(got.Out(0), want.Out(0)) && got.Out(1) == want.Out(1)
}

// sameAlgorithms reports whether a type is a struct that is passed like ours.
func sameAlgorithms(got, want reflect.Type) bool {
	if got.Kind() != reflect.Struct || got.PkgPath() != sshPath || got.NumField() != want.NumField() || got.Size() != want.Size() {
		return false
	}
	for i := range want.NumField() {
		g, w := got.Field(i), want.Field(i)
		if !strings.EqualFold(g.Name, w.Name) || g.Type != w.Type || g.Offset != w.Offset {
			return false
		}
	}
	return true
}

// samePacketCipher reports whether a type is x/crypto/ssh's interface of two methods
// that have the types of ours. The methods of an interface are sorted by name, so a
// value of the one is laid out like a value of the other.
func samePacketCipher(got, want reflect.Type) bool {
	if got.Kind() != reflect.Interface || got.PkgPath() != sshPath || got.NumMethod() != 2 {
		return false
	}
	for i, name := range []string{"readCipherPacket", "writeCipherPacket"} {
		if m := got.Method(i); m.Name != name || m.Type != want.Method(i).Type {
			return false
		}
	}
	return true
}
