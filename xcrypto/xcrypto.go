// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package xcrypto makes a copy of golang.org/x/crypto that uses this module's kernels.
// A replace directive in go.mod makes existing programs faster without any change to
// their code.
//
// On amd64 and arm64, the copy accelerates these packages:
//
//   - chacha20, and chacha20poly1305 in one pass over the text,
//   - internal/poly1305 and salsa20, and therefore poly1305, nacl/secretbox and
//     nacl/box (this module has no public package for Salsa20, because only existing
//     programs should use it),
//   - blake2b, and therefore argon2,
//   - ssh with the cipher chacha20-poly1305@openssh.com, which is replaced as by
//     [github.com/unimac/unimac/sshpatch.Accelerate].
//
// In addition, [golang.org/x/crypto/ssh.Config].MACs can list OpenSSH's UMAC.
//
// Everything else, including the tests, is identical to upstream. On other processors,
// with the build tag purego, and with Go versions before 1.26, the copy runs upstream's
// code; before Go 1.26, UMAC is not available either. Results, errors and panics are
// always the same as upstream's.
//
// The copy does not import this module; it contains the kernels in internal/unimac. It
// can be built without a network if the module cache contains the dependencies of
// upstream's x/crypto.
//
// The replace directive hides updates of x/crypto, so make the copy again after every
// update, above all after a security fix. [Check] detects an outdated copy; run it in
// the program's CI.
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
	// ErrIncompatible is returned if x/crypto is older than v0.1.0 or its layout is
	// unknown. Releases v0.1.0 through v0.59.0 are supported. Errors that wrap
	// ErrIncompatible describe what differs, and name the oldest supported release and
	// the command that upgrades x/crypto.
	ErrIncompatible = errors.New("xcrypto: golang.org/x/crypto has an unsupported layout")

	// ErrOutdated is returned if a copy differs from what [Options.Vendor] would write
	// now. Errors that wrap ErrOutdated describe what differs.
	ErrOutdated = errors.New("xcrypto: the copy is not up to date")
)

// Options selects how a copy differs from upstream. The zero value leaves upstream
// behavior unchanged.
type Options struct {
	// SSHWindow is the number of bytes that a peer may send on a channel before the
	// receiver reads them. It must be between 2 MiB (the upstream default) and 64 MiB;
	// 0 means the default. A channel transfers at most one window per round trip, so a
	// larger window helps on high-latency connections, but lets a peer make each
	// channel hold that much memory.
	SSHWindow int

	// SSHBuffer is the size in bytes of each connection's read and write buffers. It
	// must be between 4 KiB (the upstream default) and 1 MiB; 0 means the default.
	// Packets are usually 32 KiB long, so a buffer of up to 64 KiB has little effect
	// because it holds at most two of them. With 256 KiB or more, a single read returns
	// several packets, which makes fast connections faster.
	SSHBuffer int
}

// Vendor calls [Options.Vendor] with the default options.
func Vendor(dir string) error { return Options{}.Vendor(dir) }

// Vendor writes a copy of golang.org/x/crypto to the directory dir. To use the copy,
// add the following directive to the current module's go.mod and run "go mod tidy":
//
//	replace golang.org/x/crypto => ./dir
//
// [Options.Write] also returns this directive.
//
// The current module is the module of the working directory, as the go command
// determines it. The copy contains the version of x/crypto that this module requires.
// If the module cache does not contain that version, the go command downloads it.
//
// If the module already replaces x/crypto with another version, Vendor copies that
// version. If the module replaces x/crypto with a fork, Vendor copies the fork and
// records its name. Later copies are then made of the same fork, although the directive
// now names a copy (made by this package or by sshpatch). Since dir may be removed
// before the copy is made again, the fork is also recorded in a file next to dir, which
// has the same name followed by .origin. To return to the release, remove that file.
//
// Vendor returns an error unless dir is empty or missing. It also returns an error if
// an option is out of range, if there is no go command or no go.mod, if the module does
// not require x/crypto, or if the source contains symbolic links or other irregular
// files. If the layout of the source is unknown, the error wraps [ErrIncompatible].
// After an error, dir contains nothing.
//
// If the current module has a vendor folder, run "go mod vendor" after each change to
// the copy, because the go command builds from the vendor folder. If two modules of a
// workspace use a copy, add one replace directive to go.work instead of one to each
// go.mod, because the go command rejects different replacements of one module.
//
// Keep the folder under version control.
func (o Options) Vendor(dir string) error {
	_, err := o.Write(dir)
	return err
}

// Write is like [Options.Vendor], but also returns the replace directive, with a
// comment line above it that tells which version or fork was copied.
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

// Plan returns one line for each file that [Options.Vendor] would change or add in dir,
// followed by the two lines that [Options.Write] would return. Plan writes nothing.
func (o Options) Plan(dir string) ([]string, error) {
	c, err := o.copy(dir)
	if err != nil {
		return nil, wrap(err)
	}
	return append(c.Changes(), c.Directives()...), nil
}

func (o Options) copy(dir string) (*modcopy.Copy, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	return modcopy.New(dir, o.apply)
}

// Check returns an error unless the copy in dir is up to date, that is, unless it
// matches what [Options.Vendor] would write now, given the options recorded in the
// copy. If dir is a symbolic link, Check compares the link's target. If a file differs,
// or if go.mod and the .origin file now call for a different version or fork, the error
// wraps [ErrOutdated]. Check also returns an error if the current module does not use
// the copy.
func Check(dir string) error {
	dir, err := resolveLink(dir)
	if err != nil {
		return wrap(err)
	}
	got, err := modcopy.Read(dir)
	if err != nil {
		return wrap(err)
	}
	recorded, err := readRecord(got[modcopy.KernelsFile])
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
	if recorded.origin != origin {
		return outdated(dir, fmt.Errorf("it is a copy of %v, and not of %v as go.mod and %s.origin say", recorded.origin, origin, filepath.Base(dir)))
	}
	source, err := main.Source(origin)
	if err != nil {
		return wrap(err)
	}
	want, err := recorded.options.apply(source)
	if err != nil {
		return wrap(err)
	}
	if difference := compare(got, want); difference != nil {
		return outdated(dir, difference)
	}
	if !main.Uses(dir) {
		return wrap(fmt.Errorf("%s does not use the copy: it has no %s", main.File, main.Replace(dir)))
	}
	return nil
}

// resolveLink returns the absolute path of dir. If dir is a symbolic link, it returns
// the path of the link's target.
func resolveLink(dir string) (string, error) {
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

func compare(got, want modcopy.Tree) error {
	for _, name := range want.Paths() {
		if content, ok := got[name]; !ok {
			return fmt.Errorf("%s is missing", name)
		} else if string(content) != string(want[name]) {
			return fmt.Errorf("%s differs", name)
		}
	}
	for _, name := range got.Paths() {
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
