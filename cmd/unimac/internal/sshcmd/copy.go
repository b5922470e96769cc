// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/pkg/sftp"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

func copyCommand() *cli.Command {
	return &cli.Command{
		Name:  "copy",
		Args:  "[FLAGS] SRC… DST",
		Short: "copy files to or from an SSH server",
		Long: `Copies each file SRC to DST by SFTP, with its mode. A file on a server is written
[USER@]HOST:PATH, where PATH is relative to the home there; all on a server must be
on the same one, and either all SRC are, or DST is. Where DST is a folder, the files
keep their names.

A file appears at DST when all of it has arrived, in place of one that is there.
Until then it is a file next to it whose name begins with ".unimac-" and ends with
".part": when a run was interrupted, the same command goes on from there, unless SRC
was changed.

What "unimac ssh exec -h" says of keys and configuration holds here, too.`,
		Examples: []string{
			"unimac ssh copy debian.iso user@example.org:",
			"unimac ssh copy -p 2222 localhost:notes.txt localhost:todo.txt /tmp",
		},
		New: newCopy,
	}
}

func newCopy(c *cli.Call) func() int {
	k := newConnector(c)
	return func() int {
		if len(c.Args) < 2 {
			return c.Usagef("want files and where to copy them to")
		}
		plan, err := planCopy(c.Args)
		if err == nil {
			err = k.check()
		}
		if err != nil {
			return c.Usagef("%v", err)
		}
		conn, err := k.connect(plan.server)
		if err != nil {
			return sshError(c, err)
		}
		defer conn.Close()
		client, err := sftp.NewClient(conn.Client, sftp.UseConcurrentWrites(true), sftp.UseConcurrentReads(true))
		if err != nil {
			return sshError(c, conn.why(err))
		}
		defer client.Close()
		return (&copier{call: c, conn: conn, plan: plan, here: localSide{}, there: &remoteSide{client}}).run()
	}
}

// A copyPlan is what the arguments of copy ask for.
type copyPlan struct {
	server  target
	sources []string // paths, without the server
	to      string
	upload  bool
}

// planCopy reads the arguments.
func planCopy(args []string) (*copyPlan, error) {
	p := new(copyPlan)
	servers := make([]string, len(args))
	for i, arg := range args {
		server, name := splitRemote(arg)
		servers[i] = server
		if i < len(args)-1 {
			p.sources = append(p.sources, name)
		} else {
			p.to, p.upload = name, server != ""
		}
	}
	last := len(args) - 1
	server := servers[last] + servers[0]
	for _, s := range servers[:last] {
		switch {
		case p.upload && s != "":
			return nil, errors.New("files go from here to a server, or from a server to here: not between servers")
		case !p.upload && s == "":
			return nil, errors.New("nothing names a server: write [USER@]HOST:PATH")
		case !p.upload && s != server:
			return nil, errors.New("the files are on several servers")
		}
	}
	var err error
	p.server, err = parseTarget(server)
	return p, err
}

// splitRemote splits [USER@]HOST:PATH. The server of a path that is here is "".
func splitRemote(arg string) (server, name string) {
	colon := strings.Index(arg, ":")
	if end := strings.Index(arg, "]:"); end >= 0 && strings.Contains(arg[:end], "[") {
		colon = end + 1
	}
	slash := strings.IndexAny(arg, "/"+string(os.PathSeparator))
	if colon <= 0 || slash >= 0 && slash < colon || filepath.VolumeName(arg) != "" {
		return "", arg
	}
	return arg[:colon], arg[colon+1:]
}

// A side is a place that files are copied from or to.
type side interface {
	stat(name string) (fs.FileInfo, error)
	open(name string) (source, error)
	create(name string) (sink, error) // or opens, without cutting it
	chmod(name string, mode fs.FileMode) error
	rename(from, to string) error // in place of what is there
	join(folder, name string) string
	split(name string) (folder, base string)
}

// A source is a file that is read, a sink one that is written.
type (
	source interface {
		io.ReadSeekCloser
		io.WriterTo
		Stat() (fs.FileInfo, error)
	}
	sink interface {
		io.WriteSeeker
		io.ReaderFrom
		Sync() error
		Close() error
	}
)

type localSide struct{}

func (localSide) stat(name string) (fs.FileInfo, error) { return os.Stat(name) }
func (localSide) open(name string) (source, error)      { return os.Open(name) }
func (localSide) create(name string) (sink, error) {
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o600)
}
func (localSide) chmod(name string, mode fs.FileMode) error { return os.Chmod(name, mode) }
func (localSide) rename(from, to string) error              { return os.Rename(from, to) }
func (localSide) join(folder, name string) string           { return filepath.Join(folder, name) }
func (localSide) split(name string) (folder, base string) {
	return filepath.Dir(name), filepath.Base(name)
}

type remoteSide struct{ client *sftp.Client }

func (r *remoteSide) stat(name string) (fs.FileInfo, error)     { return r.client.Stat(name) }
func (r *remoteSide) open(name string) (source, error)          { return r.client.Open(name) }
func (r *remoteSide) chmod(name string, mode fs.FileMode) error { return r.client.Chmod(name, mode) }
func (r *remoteSide) join(folder, name string) string           { return path.Join(folder, name) }
func (r *remoteSide) split(name string) (folder, base string)   { return path.Dir(name), path.Base(name) }

func (r *remoteSide) create(name string) (sink, error) {
	f, err := r.client.OpenFile(name, os.O_WRONLY|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	_, canSync := r.client.HasExtension("fsync@openssh.com")
	return &remoteSink{f, canSync}, nil
}

func (r *remoteSide) rename(from, to string) error {
	if _, ok := r.client.HasExtension("posix-rename@openssh.com"); ok {
		return r.client.PosixRename(from, to)
	}
	// This leaves a moment without the file, which the part survives.
	if err := r.client.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return r.client.Rename(from, to)
}

// A remoteSink is a file on a server that may know no Sync.
type remoteSink struct {
	*sftp.File
	canSync bool
}

// ReadFrom has many requests under way at once.
func (f *remoteSink) ReadFrom(r io.Reader) (int64, error) {
	const requests = 64
	return f.ReadFromWithConcurrency(r, requests)
}

func (f *remoteSink) Sync() error {
	if !f.canSync {
		return nil
	}
	return f.File.Sync()
}

// copyError says for which file an error is, without what a peer could write to
// the terminal.
func copyError(name string, err error) error {
	if status, ok := errors.AsType[*sftp.StatusError](err); ok {
		err = errors.New(strings.TrimPrefix(status.Error(), "sftp: "))
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.New("no such file or folder")
	}
	return fmt.Errorf("%s: %s", cli.VisibleName(name), cli.Visible(cli.Reason(err)))
}
