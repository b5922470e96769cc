// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

// A copier copies files over a connection.
type copier struct {
	call        *cli.Call
	conn        *connection
	plan        *copyPlan
	here, there side
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
	status := cli.ExitOK
	for _, name := range c.plan.sources {
		as := target
		if folder {
			_, base := from.split(name)
			as = to.join(target, base)
		}
		if err := c.copy(from, name, to, as); err != nil {
			status = c.call.Errorf("%v", copyError(name, err))
			if c.conn.silent.Load() {
				return sshError(c.call, noAnswer(c.conn.address, c.conn.timeout))
			}
		}
	}
	return status
}

var errChanged = errors.New("was changed while it was copied")

// copy copies one file.
func (c *copier) copy(from side, name string, to side, as string) error {
	in, err := from.open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return cli.ErrDirectory
	case !info.Mode().IsRegular():
		return cli.ErrNotRegular
	}
	part := partName(to, as, info)
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
	return to.rename(part, as)
}

// partName returns the name that a file has until it is complete: another one when
// the source was changed.
func partName(to side, as string, info fs.FileInfo) string {
	folder, base := to.split(as)
	id := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d\x00%d", base, info.Size(), info.ModTime().Unix()))
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
		n, err = in.WriteTo(bar.Writer(out))
	}
	bar.End(c.call, err == nil)
	if err == nil && begin+n != size {
		err = errChanged
	}
	return err
}
