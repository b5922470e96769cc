// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package xcrypto makes a copy of golang.org/x/crypto that runs on this module's kernels,
// for existing programs: one replace line in go.mod, and no changed line of Go.
//
// In the copy, these are faster on amd64 and arm64:
//
//   - chacha20, and chacha20poly1305 in one pass over the text,
//   - internal/poly1305 and salsa20, and so poly1305, nacl/secretbox and nacl/box. This module has
//     no public package for Salsa20: it is old, and only existing programs need it,
//   - blake2b, and so argon2,
//   - ssh with the cipher chacha20-poly1305@openssh.com, which is replaced as by
//     [github.com/unimac/unimac/sshpatch.Accelerate]. UMAC can be listed in
//     [golang.org/x/crypto/ssh.Config].MACs.
//
// Everything else is upstream's, byte for byte, its tests included. On other
// processors, with the build tag purego, and with a Go before 1.26, upstream's code
// runs. With a Go before 1.26 there is no UMAC. Results, errors and panics are the same.
//
// The copy imports nothing of this module: its kernels are in internal/unimac. So it can be
// built without a network once the module cache has what upstream's x/crypto needs.
//
// Make the copy again when x/crypto is updated, above all after a security fix, because a
// replace line hides the update. [Check] notices; run it in the program's CI.
package xcrypto

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/unimac/unimac/internal/modcopy"
)

var (
	// ErrIncompatible reports an x/crypto that is older than v0.1.0 or whose layout is unknown.
	// The layouts of the releases from v0.1.0 to v0.59.0 are known. Errors wrap it together
	// with what was found, the oldest supported release, and the command that upgrades x/crypto.
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

// Vendor writes a copy of golang.org/x/crypto to the folder dir. To use it, the current
// module needs a directive, which [Options.Write] returns; run "go mod tidy" afterwards:
//
//	replace golang.org/x/crypto => ./dir
//
// The current module is the module of the working directory, as the go command sees it. The
// copy has the version of x/crypto which that module requires and comes from the module
// cache, where it is downloaded to if it is not there.
//
// If the module replaces x/crypto already, by another version, the copy has that version. If it
// replaces it by a fork, the copy is made of the fork, and records
// its name. A later copy is of the fork, too, although the directive names a copy by
// then, of this package or of sshpatch. The folder's name with .origin, next to it, says the
// same, because the copy may have been removed to be made again. Remove that file to have a
// copy of the release.
//
// The folder may exist if it is empty. It is an error if it is not, or no folder; if there
// is no go command, no go.mod, or no x/crypto among the requirements; if the source has
// symbolic links or other irregular files; and one that wraps [ErrIncompatible] if the
// source is not laid out as known. After an error there is no copy, not even a part of one.
//
// If the current module has a vendor folder, run "go mod vendor" after each change of the copy,
// because the go command builds from the vendor folder. If two modules of a workspace use a copy,
// put one replace line into go.work instead of one into each go.mod, because the go command rejects
// different replacements of one module.
//
// Keep the folder under version control.
func (o Options) Vendor(dir string) error {
	_, err := o.Write(dir)
	return err
}

// Write is [Options.Vendor] and returns the directive. A comment in the line above it says what
// the copy is made of.
func (o Options) Write(dir string) (directive string, err error) {
	c, err := o.copy(dir)
	if err == nil {
		err = c.Write()
	}
	if err != nil {
		return "", wrap(err)
	}
	return strings.Join(c.Directives(), "\n"), nil
}

// Plan returns what [Options.Vendor] would change or add in the folder dir, a line for
// each file, then the lines that [Options.Write] returns, and changes nothing.
func (o Options) Plan(dir string) ([]string, error) {
	c, err := o.copy(dir)
	if err != nil {
		return nil, wrap(err)
	}
	return append(c.Changes(), c.Directives()...), nil
}

// copy prepares a copy.
func (o Options) copy(dir string) (*modcopy.Copy, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	return modcopy.New(dir, o.apply)
}

// Check compares the copy in the folder dir, or in the folder that a link of this name leads to,
// with what [Options.Vendor] would make now, with the options that the copy was made with. The
// error wraps [ErrOutdated] if the version of x/crypto, or the fork, is not the one that go.mod
// and the file with .origin name, or if a file differs. It is an error, too, if the current module
// does not use the copy.
func Check(dir string) error {
	dir, err := behindLink(dir)
	if err != nil {
		return wrap(err)
	}
	there, err := modcopy.Read(dir)
	if err != nil {
		return wrap(err)
	}
	made, err := readRecord(there[modcopy.KernelsFile])
	if err != nil {
		return wrap(fmt.Errorf("%s: %w", dir, err))
	}
	main, err := modcopy.Current()
	if err != nil {
		return wrap(err)
	}
	origin, err := main.Origin(dir)
	if err != nil {
		return wrap(err)
	}
	if made.origin != origin {
		return outdated(dir, fmt.Errorf("it is a copy of %v, and not of %v as go.mod and %s.origin say", made.origin, origin, filepath.Base(dir)))
	}
	source, err := main.Source(origin)
	if err != nil {
		return wrap(err)
	}
	want, err := made.options.apply(source)
	if err != nil {
		return wrap(err)
	}
	if difference := compare(there, want); difference != nil {
		return outdated(dir, difference)
	}
	if !main.Uses(dir) {
		return wrap(fmt.Errorf("%s does not use the copy: it has no %s", main.File, main.Replace(dir)))
	}
	return nil
}

// behindLink returns the absolute name of a folder, or of the one that a link leads to.
func behindLink(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if info, err := os.Lstat(dir); err != nil || info.Mode().Type() != fs.ModeSymlink {
		return dir, nil
	}
	return filepath.EvalSymlinks(dir)
}

func outdated(dir string, reason error) error {
	return fmt.Errorf("%w: %w; remove %s and make it again", ErrOutdated, reason, dir)
}

// compare returns an error that names a file in which two trees differ.
func compare(there, want modcopy.Tree) error {
	for _, name := range want.Paths() {
		if content, ok := there[name]; !ok {
			return fmt.Errorf("%s is missing", name)
		} else if string(content) != string(want[name]) {
			return fmt.Errorf("%s differs", name)
		}
	}
	for _, name := range there.Paths() {
		if _, ok := want[name]; !ok {
			return fmt.Errorf("unexpected %s", name)
		}
	}
	return nil
}

func wrap(err error) error {
	if errors.Is(err, ErrIncompatible) || errors.Is(err, ErrOutdated) {
		return err
	}
	return fmt.Errorf("xcrypto: %w", err)
}
