// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package xcrypto makes a copy of golang.org/x/crypto that runs on this module's kernels,
// for programs as they are: one replace line in go.mod, and no changed line of Go.
//
// In the copy, these are faster on amd64 and arm64:
//
//   - chacha20, and chacha20poly1305 in one pass over the text,
//   - internal/poly1305, and so poly1305, nacl/secretbox and nacl/box,
//   - blake2b, and so argon2,
//   - ssh, whose ciphers chacha20-poly1305@openssh.com and, with OpenSSH's umac-etm MACs,
//     aes-ctr are those of [github.com/unimac/unimac/sshpatch.Accelerate]. UMAC can be
//     listed in [golang.org/x/crypto/ssh.Config].MACs.
//
// Everything else is upstream's, byte for byte, its tests included. On other processors,
// with the build tag purego, and under a Go before 1.26, upstream's code runs, without
// UMAC under the last. Results, errors and panics are the same.
//
// The copy imports nothing of this module: its kernels lie in internal/unimac. So it can be
// built without a network once the module cache has what upstream's x/crypto needs.
//
// Whoever uses a copy must make it anew when x/crypto is updated, above all for a fix of
// security: a replace line hides the update. [Check] tells, and belongs into the program's
// CI.
package xcrypto

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/unimac/unimac/internal/modcopy"
)

const cryptoPath = "golang.org/x/crypto"

var (
	// ErrIncompatible reports an x/crypto whose seams are not laid out as known: those
	// of the releases from v0.31.0 to v0.58.0 are. Errors wrap it together with what was
	// found.
	ErrIncompatible = errors.New("xcrypto: golang.org/x/crypto is not laid out as known")

	// ErrOutdated reports a copy that is not what [Options.Vendor] would make now.
	// Errors wrap it together with the reason.
	ErrOutdated = errors.New("xcrypto: the copy is not up to date")
)

// Options are what a copy may do otherwise than upstream. The zero value is upstream's
// behaviour.
type Options struct {
	// SSHWindow is how many bytes of a channel a peer may send before they are read, from
	// 2 MiB, which is upstream's, to 64 MiB. It bounds the speed of a channel to one window
	// for each round trip, and the memory that a peer can make a channel take. 0 is
	// upstream's.
	SSHWindow int

	// SSHBuffer is the size in bytes of each of the two buffers under a connection, from
	// 4 KiB, which is upstream's, to 1 MiB. 0 is upstream's. A packet has 32 KiB as a rule,
	// so 64 KiB changes little; from 256 KiB on, one read brings several, and a fast
	// connection gains a quarter.
	SSHBuffer int
}

// Vendor is [Options.Vendor] with the default options.
func Vendor(dir string) error { return Options{}.Vendor(dir) }

// Vendor writes a copy of golang.org/x/crypto to the folder dir, and prints to standard
// output the directive that makes the current module use it; run "go mod tidy" afterwards:
//
//	replace golang.org/x/crypto => ./dir
//
// The current module is that of the working directory, as the go command sees it. The
// copy has the version of x/crypto which that module requires and comes from the module
// cache, where it is downloaded to if it is not there. If the module replaces x/crypto
// already, the copy is made of the replacement, unless that is such a copy.
//
// The folder may exist if it is empty. It is an error if it is not, or no folder; if there
// is no go command, no go.mod, or no x/crypto among the requirements; if the source has
// symbolic links or other irregular files; and one that wraps [ErrIncompatible] if the
// source is not laid out as known. After an error there is no copy, not even a part of one.
//
// Keep the folder under version control.
func (o Options) Vendor(dir string) error {
	directive, err := o.Write(dir)
	if err != nil {
		return err
	}
	_, err = fmt.Println(directive)
	return err
}

// Write is [Options.Vendor], except that it returns the directive.
func (o Options) Write(dir string) (directive string, err error) {
	main, tree, err := o.make(dir)
	if err == nil {
		err = tree.Write(dir)
	}
	if err != nil {
		return "", wrap(err)
	}
	return main.Replace(absolute(dir)), nil
}

// Plan returns what [Options.Vendor] would change or add in the folder dir, a line for
// each file, and changes nothing.
func (o Options) Plan(dir string) ([]string, error) {
	main, tree, err := o.make(dir)
	if err != nil {
		return nil, wrap(err)
	}
	source, err := upstream(main)
	if err != nil {
		return nil, wrap(err)
	}
	var lines []string
	for _, name := range tree.Paths() {
		switch original, ok := source.files[name]; {
		case !ok:
			lines = append(lines, "add "+name)
		case string(original) != string(tree[name]):
			lines = append(lines, "change "+name)
		}
	}
	return append(lines, main.Replace(absolute(dir))), nil
}

// Check compares the copy in the folder dir with what [Options.Vendor] would make now, with
// the options that the copy was made with. The error wraps [ErrOutdated] if x/crypto's
// version in go.mod, or a file, is another.
func Check(dir string) error {
	dir = absolute(dir)
	there, err := modcopy.Read(dir)
	if err != nil {
		return wrap(err)
	}
	made, err := readRecord(there[recordFile])
	if err != nil {
		return wrap(fmt.Errorf("%s: %w", dir, err))
	}
	main, err := modcopy.Current(cryptoPath)
	if err != nil {
		return wrap(err)
	}
	source, err := upstream(main)
	if err != nil {
		return wrap(err)
	}
	if made.version != source.version {
		return outdated(dir, fmt.Errorf("it is x/crypto %s, and go.mod requires %s", made.version, source.version))
	}
	want, err := made.options.apply(source)
	if err != nil {
		return wrap(err)
	}
	if difference := compare(there, want); difference != nil {
		return outdated(dir, difference)
	}
	return nil
}

func outdated(dir string, reason error) error {
	return fmt.Errorf("%w: %w; remove %s and make it anew", ErrOutdated, reason, dir)
}

// compare returns an error that names a file in which two trees differ.
func compare(there, want modcopy.Tree) error {
	for _, name := range want.Paths() {
		if content, ok := there[name]; !ok {
			return fmt.Errorf("%s is missing", name)
		} else if string(content) != string(want[name]) {
			return fmt.Errorf("%s is another", name)
		}
	}
	for _, name := range there.Paths() {
		if _, ok := want[name]; !ok {
			return fmt.Errorf("%s is too many", name)
		}
	}
	return nil
}

// make returns the copy that is to be written to dir.
func (o Options) make(dir string) (*modcopy.Module, modcopy.Tree, error) {
	if err := o.check(); err != nil {
		return nil, nil, err
	}
	if err := modcopy.CheckEmpty(dir); err != nil {
		return nil, nil, err
	}
	main, err := modcopy.Current(cryptoPath)
	if err != nil {
		return nil, nil, err
	}
	source, err := upstream(main)
	if err != nil {
		return nil, nil, err
	}
	tree, err := o.apply(source)
	return main, tree, err
}

// A release is the source that a copy is made of.
type release struct {
	version string // "none" if the current module replaces x/crypto by a folder
	files   modcopy.Tree
}

func upstream(main *modcopy.Module) (release, error) {
	dir, version, err := main.Source(isCopy)
	if err != nil {
		return release{}, err
	}
	if version == "" {
		version = "none"
	}
	files, err := modcopy.Read(dir)
	return release{version, files}, err
}

// isCopy reports whether a folder is a copy by this package or by package sshpatch. One
// that is not there was: somebody removed it to make it anew.
func isCopy(dir string) bool {
	for _, name := range []string{recordFile, "ssh/unimac_umac.go"} {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); err == nil {
			return true
		}
	}
	_, err := os.Lstat(dir)
	return errors.Is(err, os.ErrNotExist)
}

// absolute is filepath.Abs for a folder that was found, or will be.
func absolute(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		return abs
	}
	return dir
}

func wrap(err error) error {
	if errors.Is(err, ErrIncompatible) || errors.Is(err, ErrOutdated) {
		return err
	}
	return fmt.Errorf("xcrypto: %w", err)
}
