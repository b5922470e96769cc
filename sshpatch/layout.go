// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshpatch

import (
	"fmt"
	"hash"
	"reflect"
	"runtime/debug"
	"strings"
	"unsafe"

	"github.com/unimac/unimac/sshpatch/internal/packet"
)

const sshPath = "golang.org/x/crypto/ssh"

// macMode has the fields of the type of this name in x/crypto/ssh.
type macMode struct {
	keySize int
	etm     bool
	new     func(key []byte) hash.Hash
}

// macModes is the variable of x/crypto/ssh. If x/crypto/ssh has no variable of
// this name, the linker makes one for us, which is nil. Nothing but [Register] may
// use it, and not before checkTypes and checkEntries.
//
//go:linkname macModes golang.org/x/crypto/ssh.macModes
var macModes map[string]*macMode

// typesByString returns the descriptors of those pointer, channel, map, slice
// and array types in the program that have a string representation. They come
// from the linker's table (reflect.typelinks). Package reflect keeps the
// function for callers outside: go.dev/issue/67401.
//
//go:linkname typesByString reflect.typesByString
func typesByString(s string) []unsafe.Pointer

// findObject returns the base of the heap object that an address is in, or 0.
// The runtime keeps it for callers outside as well.
//
//go:linkname findObject runtime.findObject
func findObject(address, refBase, refOffset uintptr) (base uintptr, span unsafe.Pointer, index uintptr)

// checkTypes checks that the program has the type map[string]*ssh.X, where X is the
// name of ours, and that x/crypto/ssh's X is laid out like ours. It looks at type
// descriptors alone.
func checkTypes(ours reflect.Type) error {
	found := false
	for _, descriptor := range typesByString("map[string]*ssh." + ours.Name()) {
		t := typeOf(descriptor)
		if t.Kind() != reflect.Map || t.Key() != reflect.TypeFor[string]() || t.Elem().Kind() != reflect.Pointer {
			continue
		}
		mode := t.Elem().Elem()
		if mode.PkgPath() != sshPath || mode.Name() != ours.Name() {
			continue // of another package ssh
		}
		if err := checkFields(mode, ours); err != nil {
			return err
		}
		found = true
	}
	if !found {
		return fmt.Errorf("no type map[string]*%s", ours.Name())
	}
	return nil
}

// checkFields checks that two struct types differ in their names at most, and in the
// names of the types that [sameType] knows.
func checkFields(got, want reflect.Type) error {
	if got.Kind() != reflect.Struct {
		return fmt.Errorf("%v is a %v", got, got.Kind())
	}
	if got.NumField() != want.NumField() || got.Size() != want.Size() {
		return fmt.Errorf("%v has %d fields in %d bytes, want %d in %d", got, got.NumField(), got.Size(), want.NumField(), want.Size())
	}
	for i := range want.NumField() {
		g, w := got.Field(i), want.Field(i)
		if g.Name != w.Name || !sameType(g.Type, w.Type) || g.Offset != w.Offset {
			return fmt.Errorf("field %d of %v is %s %v at %d, want %s %v at %d", i, got, g.Name, g.Type, g.Offset, w.Name, w.Type, w.Offset)
		}
	}
	return nil
}

// typeOf returns the [reflect.Type] of a descriptor: that of an interface value
// which refers to it.
func typeOf(descriptor unsafe.Pointer) reflect.Type {
	value := struct{ descriptor, data unsafe.Pointer }{descriptor, nil}
	return reflect.TypeOf(*(*any)(unsafe.Pointer(&value)))
}

// checkVariable checks what can be told of the type that a variable has. A map is
// one pointer to the beginning of an object on the heap, and that object begins
// with the number of entries. The runtime ends a program that uses some other
// memory as a map, so an interface, which leads to a type descriptor, must not
// get as far as a lookup.
func checkVariable[M any](name string, modes *map[string]*M) error {
	word := *(*uintptr)(unsafe.Pointer(modes))
	if word == 0 {
		return fmt.Errorf("%s is nil or missing", name)
	}
	if base, _, _ := findObject(word, 0, 0); base != word {
		return fmt.Errorf("%s is no map", name)
	}
	if n := len(*modes); n < 2 || n > 1000 {
		return fmt.Errorf("%s has %d entries", name, n)
	}
	return nil
}

// readable calls read, which looks at a variable of a type that is not certain yet, and
// makes an error of a fault.
func readable(name string, read func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s cannot be read: %v", name, r)
		}
	}()
	return read()
}

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
