// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshpatch

import (
	"reflect"
	"slices"
	"unsafe"
)

// interfaceType has the layout of internal/abi.InterfaceType, the type descriptor of an
// interface. It avoids the methods Method and MethodByName of [reflect.Type], whose use
// would make the linker keep every exported method in the program.
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

// A method is the name and signature of an interface method. Methods with equal
// signatures have the same signature descriptor.
type method struct {
	name      string
	signature unsafe.Pointer
}

// resolveNameOff returns the name at offset in the type information that contains the
// descriptor. Package reflect keeps the function for packages that link to it
// (go.dev/issue/67401).
//
//go:linkname resolveNameOff reflect.resolveNameOff
func resolveNameOff(descriptor unsafe.Pointer, offset int32) *byte

// resolveTypeOff returns the type descriptor at offset in the type information, or nil
// if the linker removed the type. Package reflect keeps the function for the same
// reason as resolveNameOff.
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

// samePacketCipher reports whether got is x/crypto/ssh's interface packetCipher with
// the method signatures of want. If so, values of both types have the same layout
// because the methods of an interface are sorted by name.
func samePacketCipher(got, want reflect.Type) bool {
	if got.Kind() != reflect.Interface || got.PkgPath() != sshPath {
		return false
	}
	// The method names of want are known, so they serve to check methodsOf. If
	// methodsOf reads these names correctly, its result for got can be trusted.
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
