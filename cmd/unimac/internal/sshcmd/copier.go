// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pkg/sftp"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

// A copier copies files over a connection.
type copier struct {
	call        *cli.Call
	conn        *connection
	plan        *copyPlan
	recursive   bool
	here, there side
	status      int
	lost        bool // the connection
}

// resumeMargin is how much of a part is copied again: pieces of a file may be
// written in another order than they are sent in, and then a part can have holes
// before its end.
const resumeMargin = 4 << 20

// run copies all files and returns the exit status.
func (c *copier) run() int {
	from, to := c.there, c.here
	if c.plan.upload {
		from, to = c.here, c.there
	}
	target := c.plan.to
	if target == "" {
		target = "."
	}
	info, err := to.stat(target)
	folder := err == nil && info.IsDir()
	if !folder && len(c.plan.sources) > 1 {
		return c.call.Errorf("%s: is no folder, and there are several files", cli.VisibleName(target))
	}
	for _, name := range c.plan.sources {
		if name == "" {
			name = "." // the home
		}
		as := target
		if folder {
			as = to.join(target, c.base(from, name))
		}
		if err := c.source(from, name, to, as); err != nil {
			c.report(name, err)
		}
		if c.lost {
			break
		}
	}
	if c.conn.silent.Load() {
		return sshError(c.call, noAnswer(c.conn.address, c.conn.timeout))
	}
	return c.status
}

// base returns the name that a source has in a folder that it is copied into. What
// has none, such as "..", is the folder itself.
func (c *copier) base(from side, name string) string {
	if _, base := from.split(name); plainName(base) {
		return base
	}
	return "."
}

// report says what is wrong with a file. After some errors there is nothing more to
// be tried.
func (c *copier) report(name string, err error) {
	if err == errReported {
		return
	}
	c.status = c.call.Errorf("%v", copyError(name, err))
	c.lost = c.lost || errors.Is(err, sftp.ErrSSHFxConnectionLost) || c.conn.silent.Load()
}

var (
	errChanged  = errors.New("was changed while it was copied")
	errNotFile  = errors.New("is no regular file")
	errFolder   = errors.New("is a directory; -r copies it")
	errReported = errors.New("reported")
)

// source copies what an argument names.
func (c *copier) source(from side, name string, to side, as string) error {
	info, err := from.stat(name)
	if err != nil {
		return err
	}
	if !info.IsDir() && c.plan.upload {
		if there, err := to.stat(as); err == nil {
			if err := replaceable(there); err != nil {
				return err
			}
		}
		return c.copy(from, name, info, to, as)
	}
	if !info.IsDir() {
		return c.download(from, name, info, to, as)
	}
	if !c.recursive {
		return errFolder
	}
	return c.copyTree(from, name, info, to, as)
}

// replaceable returns an error for what is there and no file: to put one in its place
// would take a device from all who use it.
func replaceable(there fs.FileInfo) error {
	if !there.Mode().IsRegular() && !there.IsDir() {
		return cli.ErrNotRegular
	}
	return nil
}

// download copies a file to where an argument says: to a file, also one that a symbolic
// link leads to, to a device or to standard output.
func (c *copier) download(from side, name string, info fs.FileInfo, to side, as string) error {
	if as == "-" {
		as = "./-" // it is a file here, and not standard output
	}
	as, err := cli.CheckOutput(as, true)
	if err != nil {
		return err
	}
	there, err := os.Stat(as)
	if as != "-" && (err != nil || there.Mode().IsRegular()) {
		return c.copy(from, name, info, to, as)
	}
	in, err := from.open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := c.call.CreateOutput(as, true)
	if err != nil {
		return err
	}
	defer out.Discard()
	if _, err := in.WriteTo(out); err != nil {
		return err
	}
	return out.Commit()
}

// copy copies one file.
func (c *copier) copy(from side, name string, info fs.FileInfo, to side, as string) error {
	if !info.Mode().IsRegular() {
		return errNotFile // to open one might wait for ever
	}
	in, err := from.open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	if info, err = in.Stat(); err != nil {
		return err
	}
	part := partName(c.origin(name), to, as, info)
	out, err := to.create(part)
	if err != nil {
		return fmt.Errorf("%s: %w", cli.VisibleName(part), err)
	}
	defer out.Close()
	if err := c.move(in, out, info.Size(), name); err != nil {
		return err
	}
	after, err := in.Stat()
	if err != nil {
		return err
	}
	if after.Size() != info.Size() || !after.ModTime().Equal(info.ModTime()) {
		return errChanged
	}
	if err := out.Sync(); err != nil {
		return err
	}
	if err := out.Close(); err != nil {
		return err
	}
	if err := to.chmod(part, info.Mode().Perm()); err != nil {
		return err
	}
	if c.recursive {
		if err := to.chtimes(part, info.ModTime()); err != nil {
			return err
		}
	}
	return to.rename(part, as)
}

// origin tells a source from others of the same name.
func (c *copier) origin(name string) string {
	if c.plan.upload {
		if abs, err := filepath.Abs(name); err == nil {
			return abs
		}
		return name
	}
	return c.plan.server.login + "@" + c.conn.address + " " + name
}

// partName returns the name that a file has until it is complete: another one when
// the source is another or was changed.
func partName(origin string, to side, as string, info fs.FileInfo) string {
	folder, base := to.split(as)
	id := sha256.Sum256(fmt.Appendf(nil, "%q %q %d %d", origin, base, info.Size(), info.ModTime().Unix()))
	return to.join(folder, fmt.Sprintf(".unimac-%x.part", id[:8]))
}

// move copies what a part lacks of its source.
func (c *copier) move(in source, out sink, size int64, name string) error {
	have, err := out.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	begin := max(0, min(have, size)-resumeMargin)
	if _, err := out.Seek(begin, io.SeekStart); err != nil {
		return err
	}
	if _, err := in.Seek(begin, io.SeekStart); err != nil {
		return err
	}
	bar := c.call.NewProgress(in, size, false)
	bar.Skip(begin)
	var n int64
	if c.plan.upload {
		// Both ends work at once; the reader comes one piece after the other.
		n, err = out.ReadFrom(bar)
	} else {
		n, err = in.WriteTo(bar.Writer(&boundedWriter{out, size - begin}))
	}
	bar.End(c.call, err == nil)
	if err == nil && begin+n != size {
		err = errChanged
	}
	return err
}

// A boundedWriter takes no more bytes than a file is to have: a server could send without
// end.
type boundedWriter struct {
	w    io.Writer
	left int64
}

func (b *boundedWriter) Write(p []byte) (int, error) {
	if int64(len(p)) > b.left {
		return 0, errChanged
	}
	n, err := b.w.Write(p)
	b.left -= int64(n)
	return n, err
}
