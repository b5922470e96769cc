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

type macMode struct {
	keySize int
	etm     bool
	new     func(key []byte) hash.Hash
}

// macModes is the variable of the same name in x/crypto/ssh. If x/crypto/ssh does not
// declare it, the linker creates it with the value nil. Only [Register] may use
// macModes, after checkTypes has succeeded.
//
//go:linkname macModes golang.org/x/crypto/ssh.macModes
var macModes map[string]*macMode

// typesByString returns the descriptors of the program's pointer, channel, map, slice
// and array types whose string representation is s. Package reflect preserves this
// symbol for existing users of go:linkname (go.dev/issue/67401).
//
//go:linkname typesByString reflect.typesByString
func typesByString(s string) []unsafe.Pointer

// findObject returns the base address of the heap object that contains address, or 0.
// The runtime preserves this symbol for existing users of go:linkname.
//
//go:linkname findObject runtime.findObject
func findObject(address, refBase, refOffset uintptr) (base uintptr, span unsafe.Pointer, index uintptr)

// checkTypes checks that x/crypto/ssh has a type with the name and layout of want. It
// reads only type descriptors, no variables.
func checkTypes(want reflect.Type) error {
	found := false
	// Find the type through the map type that x/crypto/ssh uses with it.
	for _, descriptor := range typesByString("map[string]*ssh." + want.Name()) {
		t := typeOf(descriptor)
		if t.Kind() != reflect.Map || t.Key() != reflect.TypeFor[string]() || t.Elem().Kind() != reflect.Pointer {
			continue
		}
		mode := t.Elem().Elem()
		if mode.PkgPath() != sshPath || mode.Name() != want.Name() {
			continue // belongs to another package named ssh
		}
		if err := checkFields(mode, want); err != nil {
			return err
		}
		found = true
	}
	if !found {
		return fmt.Errorf("no type map[string]*%s", want.Name())
	}
	return nil
}

// checkFields checks that the fields of two struct types have the same names and
// offsets, and that their types satisfy [sameType].
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

func typeOf(descriptor unsafe.Pointer) reflect.Type {
	value := struct{ descriptor, data unsafe.Pointer }{descriptor, nil}
	return reflect.TypeOf(*(*any)(unsafe.Pointer(&value)))
}

// checkVariable checks that *modes looks like a Go map: a pointer to a heap object
// whose first word is a plausible number of entries. Looking up a key in something that
// is not a map could crash the program.
func checkVariable[M any](name string, modes *map[string]*M) error {
	word := *(*uintptr)(unsafe.Pointer(modes))
	if word == 0 {
		return fmt.Errorf("%s is nil or missing", name)
	}
	if base, _, _ := findObject(word, 0, 0); base != word {
		return fmt.Errorf("%s is not a map", name)
	}
	if n := len(*modes); n < 2 || n > 1000 {
		return fmt.Errorf("%s has %d entries", name, n)
	}
	return nil
}

// catchFault calls read and returns its error. The variable that read accesses may not
// have the expected type, so catchFault turns a memory fault into an error.
func catchFault(name string, read func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s cannot be read: %v", name, r)
		}
	}()
	return read()
}

type cipherMode struct {
	keySize int
	ivSize  int
	create  func(key, iv []byte, macKey []byte, algs directionAlgorithms) (packet.Cipher, error)
}

// directionAlgorithms has the same layout as ssh.DirectionAlgorithms. The
// capitalization of some field names differs in older releases.
type directionAlgorithms struct {
	Cipher      string
	MAC         string
	Compression string
}

// cipherModes is x/crypto/ssh.cipherModes, which only [Accelerate] may use.
//
//go:linkname cipherModes golang.org/x/crypto/ssh.cipherModes
var cipherModes map[string]*cipherMode

// sameType reports whether two field types are the same. The function type of
// cipherMode.create is an exception. Its last parameter and first result have types
// declared in x/crypto/ssh, which cannot be identical to ours, so sameType compares the
// layouts of these types instead.
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

// sameAlgorithms reports whether got is a struct of x/crypto/ssh with want's layout.
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
