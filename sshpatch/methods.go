// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshpatch

import (
	"reflect"
	"slices"
	"unsafe"
)

// interfaceType has the layout of internal/abi.InterfaceType, the type descriptor of an
// interface. This package reads the descriptor directly, because calling the Method or
// MethodByName method of [reflect.Type] would make the linker keep every exported
// method in the program.
type interfaceType struct {
	_       [4*unsafe.Sizeof(uintptr(0)) + 16]byte // internal/abi.Type
	pkgPath *byte
	methods []interfaceMethod // sorted by name
}

// interfaceMethod has the layout of internal/abi.Imethod, with offsets in the type
// information.
type interfaceMethod struct {
	name, signature int32
}

// A method is the name and signature of an interface method. Equal signatures share one
// descriptor, so they can be compared by pointer.
type method struct {
	name      string
	signature unsafe.Pointer
}

// resolveNameOff returns the name at the given offset in the module that contains the
// type descriptor. Package reflect promises to keep this symbol for its existing users
// (go.dev/issue/67401).
//
//go:linkname resolveNameOff reflect.resolveNameOff
func resolveNameOff(descriptor unsafe.Pointer, offset int32) *byte

// resolveTypeOff is like resolveNameOff, but returns the type descriptor at the given
// offset, or nil if the linker removed the type.
//
//go:linkname resolveTypeOff reflect.resolveTypeOff
func resolveTypeOff(descriptor unsafe.Pointer, offset int32) unsafe.Pointer

// methodsOf returns the methods of t, sorted by name. If t is not an interface type or
// if its descriptor has an unknown layout, ok is false.
func methodsOf(t reflect.Type) (methods []method, ok bool) {
	if t.Kind() != reflect.Interface {
		return nil, false
	}
	// The second word of a reflect.Type points to the descriptor.
	descriptor := (*[2]unsafe.Pointer)(unsafe.Pointer(&t))[1]
	layout := (*interfaceType)(descriptor)
	if n := t.NumMethod(); len(layout.methods) != n || cap(layout.methods) != n {
		return nil, false
	}
	for _, m := range layout.methods {
		if m.name <= 0 || m.signature <= 0 {
			return nil, false
		}
		name := nameAt(resolveNameOff(descriptor, m.name))
		signature := resolveTypeOff(descriptor, m.signature)
		if name == "" || signature == nil {
			return nil, false
		}
		methods = append(methods, method{name, signature})
	}
	return methods, true
}

// nameAt decodes an internal/abi.Name, which consists of a flag byte, the length and
// the text. If the name is 128 bytes or longer, nameAt returns an empty string.
func nameAt(encoded *byte) string {
	if encoded == nil {
		return ""
	}
	length := *(*byte)(unsafe.Add(unsafe.Pointer(encoded), 1))
	if length >= 0x80 {
		return ""
	}
	return unsafe.String((*byte)(unsafe.Add(unsafe.Pointer(encoded), 2)), int(length))
}

// samePacketCipher reports whether got is an interface type from x/crypto/ssh whose
// methods are readCipherPacket and writeCipherPacket, with the same signatures as in
// want. Interface methods are sorted by name, so such a type has the same layout as
// want.
func samePacketCipher(got, want reflect.Type) bool {
	if got.Kind() != reflect.Interface || got.PkgPath() != sshPath {
		return false
	}
	// Test methodsOf with want, whose method names are known. If it reads these names
	// correctly, we can trust its result for got.
	wantMethods, ok := methodsOf(want)
	if !ok || len(wantMethods) != 2 || wantMethods[0].name != "ReadPacket" || wantMethods[1].name != "WritePacket" {
		return false
	}
	gotMethods, ok := methodsOf(got)
	return ok && slices.Equal(gotMethods, []method{
		{"readCipherPacket", wantMethods[0].signature},
		{"writeCipherPacket", wantMethods[1].signature},
	})
}
