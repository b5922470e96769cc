// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"sync"
	"time"

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

	mu     sync.Mutex // of what follows
	part   string     // what a file is until it is complete, or ""
	partOn side
}

// run copies all files and returns the exit status.
func (c *copier) run() int {
	defer cli.OnEnd(c.interrupted)()
	from, to := c.there, c.here
	if c.plan.upload {
		from, to = c.here, c.there
	}
	sources := c.sources(from)
	target := cmp.Or(c.plan.to, ".") // the home
	info, err := to.stat(target)
	folder := err == nil && info.IsDir()
	if !folder && len(sources) > 1 {
		return c.call.Errorf("%s: is no folder, and there are several files", cli.VisibleName(target))
	}
	for _, name := range sources {
		name, as := cmp.Or(name, "."), target
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
	c.lost = c.lost || err == errLongList || errors.Is(err, sftp.ErrSSHFxConnectionLost) || c.conn.silent.Load()
}

var (
	errChanged  = errors.New("was changed while it was copied, or did not arrive whole")
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
	if !info.IsDir() {
		if as, err = replaceable(to, as); err != nil {
			return err
		}
		return c.copy(from, name, info, to, as)
	}
	if !c.recursive {
		return errFolder
	}
	return c.copyTree(from, name, info, to, as)
}

// replaceable returns the name that a file is to have. On this machine symbolic links are
// followed. What is there and is not a file stays: to replace a device would take it from all its
// users.
func replaceable(to side, name string) (string, error) {
	if here, ok := to.(localSide); ok && here.files == (allFiles{}) {
		if real, err := filepath.EvalSymlinks(name); err == nil {
			name = real
		}
	}
	if there, err := to.stat(name); err == nil && !there.Mode().IsRegular() && !there.IsDir() {
		return "", cli.ErrNotRegular
	}
	return name, nil
}

// copy copies one file. It has another name until it is complete, which it does not keep.
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
	folder, _ := to.split(as)
	part := to.join(folder, ".unimac-"+rand.Text()+".part")
	out, err := c.create(to, part)
	if err != nil {
		return fmt.Errorf("%s: %w", cli.VisibleName(part), err)
	}
	defer func() {
		out.Close()
		c.mu.Lock()
		defer c.mu.Unlock()
		c.discard()
	}()
	if err := c.move(in, out, info.Size()); err != nil {
		return err
	}
	if err := unchanged(info, in, out); err != nil {
		return err
	}
	if err := out.Chmod(info.Mode() & to.allowed()); err != nil {
		return err
	}
	if err := out.Sync(); err != nil {
		return err
	}
	if err := out.Close(); err != nil {
		return err
	}
	if c.recursive {
		if err := to.chtimes(part, info.ModTime()); err != nil {
			return err
		}
	}
	return c.rename(to, part, as)
}

// unchanged reports a file that is not what it was when its copy began, or a copy of another size.
func unchanged(info fs.FileInfo, in, out interface{ Stat() (fs.FileInfo, error) }) error {
	after, err := in.Stat()
	if err != nil {
		return err
	}
	written, err := out.Stat()
	if err != nil {
		return err
	}
	if after.Size() != info.Size() || !after.ModTime().Equal(info.ModTime()) || written.Size() != info.Size() {
		return errChanged
	}
	return nil
}

// create makes a part.
func (c *copier) create(to side, part string) (sink, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	out, err := to.create(part)
	if err == nil {
		c.part, c.partOn = part, to
	}
	return out, err
}

// rename gives a part its name.
func (c *copier) rename(to side, part, as string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := to.rename(part, as)
	if err == nil {
		c.part = ""
	}
	return err
}

// discard removes the part, if there is one still, or says that it stays.
func (c *copier) discard() {
	part := c.part
	if part == "" {
		return
	}
	c.part = ""
	if err := c.partOn.remove(part); err != nil {
		c.status = c.call.Errorf("%v; it stays there, and is not complete", copyError(part, err))
	}
}

// interrupted removes the part when a signal ends the program. A server that does not
// answer does not keep it from that.
func (c *copier) interrupted() {
	const patience = 3 * time.Second
	discarded := make(chan struct{})
	go func() {
		c.mu.Lock() // for good: there is to be no other
		c.discard()
		close(discarded)
	}()
	select {
	case <-discarded:
	case <-time.After(patience):
		c.call.Errorf("%v; a file .unimac-*.part may stay there", noAnswer(c.conn.address, patience))
	}
}

// move copies what a file has.
func (c *copier) move(in source, out sink, size int64) (err error) {
	bar := c.call.NewProgress(in, size, false)
	var n int64
	if c.plan.upload {
		// Both ends work at once; the reader comes one piece after the other.
		n, err = out.ReadFrom(bar)
	} else {
		n, err = in.WriteTo(bar.Writer(&boundedWriter{out, size}))
	}
	bar.End(c.call, err == nil)
	if err == nil && n != size {
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
