// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package xcrypto

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"strconv"
	"strings"

	"github.com/unimac/unimac/internal/modcopy"
)

const (
	minSSHWindow, maxSSHWindow = 2 << 20, 64 << 20
	minSSHBuffer, maxSSHBuffer = 4 << 10, 1 << 20
)

func (o Options) check() error {
	if o.SSHWindow != 0 && (o.SSHWindow < minSSHWindow || o.SSHWindow > maxSSHWindow) {
		return fmt.Errorf("SSH window of %d bytes, want %d to %d", o.SSHWindow, minSSHWindow, maxSSHWindow)
	}
	if o.SSHBuffer != 0 && (o.SSHBuffer < minSSHBuffer || o.SSHBuffer > maxSSHBuffer) {
		return fmt.Errorf("SSH buffer of %d bytes, want %d to %d", o.SSHBuffer, minSSHBuffer, maxSSHBuffer)
	}
	return nil
}

// apply returns source with the kernels added and the options applied. If source is too
// old or its layout is unknown, the error wraps [ErrIncompatible].
func (o Options) apply(source modcopy.Source) (modcopy.Tree, error) {
	if err := source.Origin.CheckVersion(); err != nil {
		return nil, incompatible(err)
	}
	tree := maps.Clone(source.Files)
	for _, s := range seams {
		if err := s.apply(tree); err != nil {
			return nil, incompatible(fmt.Errorf("%s: %w", s.folder, err))
		}
	}
	if err := o.applySSH(tree); err != nil {
		return nil, incompatible(fmt.Errorf("ssh: %w", err))
	}
	if err := addKernels(tree); err != nil {
		return nil, err
	}
	for name, file := range addedToKernels {
		if err := file.add(tree, kernelFolder+"/"+name); err != nil {
			return nil, err
		}
	}
	tree[modcopy.KernelsFile] = record{source.Origin, o}.bytes()
	if err := checkImports(tree, source.Files); err != nil {
		return nil, incompatible(err)
	}
	return tree, nil
}

func incompatible(reason error) error {
	return fmt.Errorf("%w: %w; %s", ErrIncompatible, reason, modcopy.Supported)
}

// checkImports returns an error if an added file imports a package missing from tree.
func checkImports(tree, source modcopy.Tree) error {
	for _, name := range tree.Paths() {
		if _, ok := source[name]; ok || path.Ext(name) != ".go" {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, tree[name], parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			folder, ok := strings.CutPrefix(imported, modcopy.Crypto+"/")
			if ok && len(tree.Below(folder)) == 0 {
				return fmt.Errorf("no package %s", folder)
			}
		}
	}
	return nil
}

func (o Options) applySSH(tree modcopy.Tree) error {
	if o.SSHWindow != 0 {
		size := fmt.Sprintf("channelWindowSize = %d // unimac vendor -ssh-window", o.SSHWindow)
		if err := substitute(tree, "ssh/channel.go", "channelWindowSize = 64 * channelMaxPacket", size); err != nil {
			return err
		}
	}
	if o.SSHBuffer != 0 {
		for _, of := range []string{"Reader", "Writer"} {
			sized := fmt.Sprintf("bufio.New%sSize(rwc, %d)", of, o.SSHBuffer)
			if err := substitute(tree, "ssh/transport.go", "bufio.New"+of+"(rwc)", sized); err != nil {
				return err
			}
		}
	}
	return nil
}

// substitute replaces old with new in the named file. If old does not occur exactly
// once, substitute returns an error.
func substitute(tree modcopy.Tree, name, old, new string) error {
	source := string(tree[name])
	if n := strings.Count(source, old); n != 1 {
		return fmt.Errorf("%q occurs %d times in %s", old, n, name)
	}
	tree[name] = []byte(strings.Replace(source, old, new, 1))
	return nil
}

// A record describes a copy's origin and the options used to create it. Each copy
// contains one, in the file internal/unimac/COPY.
type record struct {
	origin  modcopy.Origin
	options Options
}

const recordText = `This module is a copy of golang.org/x/crypto, made by github.com/unimac/unimac/xcrypto. It
uses the kernels in this folder. Changed files differ from upstream only in their build
constraints, in the names of four functions, and in the sizes below. Added files say that
they were added. If the program that uses the copy updates golang.org/x/crypto in its
go.mod, remove the copy and make it again. "unimac vendor -check DIR" reports whether that
is necessary.

`

func (r record) bytes() []byte {
	return fmt.Appendf(nil, "%s%sssh-window: %d\nssh-buffer: %d\n", recordText, r.origin.Lines(""), r.options.SSHWindow, r.options.SSHBuffer)
}

func readRecord(text []byte) (r record, err error) {
	r.origin = modcopy.OriginIn(text)
	fields, ok := strings.CutPrefix(string(text), recordText+r.origin.Lines(""))
	if ok {
		_, err = fmt.Sscanf(fields, "ssh-window: %d\nssh-buffer: %d\n", &r.options.SSHWindow, &r.options.SSHBuffer)
	}
	if !ok || err != nil || r.options.check() != nil {
		return r, errors.New("not a copy by this version of xcrypto")
	}
	return r, nil
}
