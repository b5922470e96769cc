// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"time"

	"github.com/pkg/sftp"
)

// A side is a place that files are copied from or to.
type side interface {
	stat(name string) (fs.FileInfo, error)
	list(folder string) ([]fs.FileInfo, error) // does not follow symbolic links
	open(name string) (source, error)
	create(name string) (sink, error)            // a new file, which nobody else may read
	mkdir(name string) error                     // that nobody else may read
	allow(folder string, mode fs.FileMode) error // changes its mode
	allowed() fs.FileMode                        // what the modes of new files may have
	chtimes(name string, modified time.Time) error
	rename(from, to string) error // in place of what is there
	remove(name string) error
	join(folder, name string) string
	split(name string) (folder, base string)
}

// A source is a file that is read, a sink one that is written.
type (
	source interface {
		io.ReadCloser
		io.WriterTo
		Stat() (fs.FileInfo, error)
	}
	sink interface {
		io.WriteCloser
		io.ReaderFrom
		Stat() (fs.FileInfo, error)
		Chmod(mode fs.FileMode) error
		Sync() error
	}
)

// A localSide is the files here: all, or those below a folder.
type localSide struct{ files }

// files are what a localSide uses of an [os.Root].
type files interface {
	Stat(name string) (fs.FileInfo, error)
	Open(name string) (*os.File, error)
	OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error)
	Mkdir(name string, mode fs.FileMode) error
	Chtimes(name string, accessed, modified time.Time) error
	Rename(from, to string) error
	Remove(name string) error
}

// allFiles are all that there are.
type allFiles struct{}

func (allFiles) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }
func (allFiles) Open(name string) (*os.File, error)    { return os.Open(name) }
func (allFiles) OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, mode)
}
func (allFiles) Mkdir(name string, mode fs.FileMode) error { return os.Mkdir(name, mode) }
func (allFiles) Chtimes(name string, accessed, modified time.Time) error {
	return os.Chtimes(name, accessed, modified)
}
func (allFiles) Rename(from, to string) error { return os.Rename(from, to) }
func (allFiles) Remove(name string) error     { return os.Remove(name) }

func (l localSide) stat(name string) (fs.FileInfo, error) { return l.Stat(name) }
func (l localSide) open(name string) (source, error)      { return l.Open(name) }
func (l localSide) create(name string) (sink, error) {
	return l.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}
func (l localSide) mkdir(name string) error { return l.Mkdir(name, 0o700) }

// allow goes by an open folder: [os.Root.Chmod] of Go 1.26.0 follows a symbolic link out of
// the root. On Windows, modes do not tell.
func (l localSide) allow(folder string, mode fs.FileMode) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := l.Open(folder)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Chmod(mode & l.allowed())
}

func (l localSide) allowed() fs.FileMode { return fs.ModePerm &^ umask() }
func (l localSide) chtimes(name string, modified time.Time) error {
	return l.Chtimes(name, time.Time{}, modified)
}
func (l localSide) rename(from, to string) error    { return l.Rename(from, to) }
func (l localSide) remove(name string) error        { return l.Remove(name) }
func (l localSide) join(folder, name string) string { return filepath.Join(folder, name) }
func (l localSide) split(name string) (folder, base string) {
	return filepath.Dir(name), filepath.Base(name)
}

func (l localSide) list(folder string) ([]fs.FileInfo, error) {
	entries, err := os.ReadDir(folder) // folders below a root are not read
	if err != nil {
		return nil, err
	}
	var infos []fs.FileInfo
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			return nil, err
		}
		infos = append(infos, info)
	}
	return infos, nil
}

// A remoteSide is the files on a server.
type remoteSide struct {
	client *sftp.Client
	moved  *movement
}

func (r *remoteSide) stat(name string) (fs.FileInfo, error) { return r.client.Stat(name) }
func (r *remoteSide) open(name string) (source, error)      { return r.client.Open(name) }
func (r *remoteSide) remove(name string) error              { return r.client.Remove(name) }
func (r *remoteSide) allowed() fs.FileMode                  { return fs.ModePerm }
func (r *remoteSide) allow(folder string, mode fs.FileMode) error {
	return r.client.Chmod(folder, mode)
}

// maxListing is the most bytes of a list of files, enough for 250,000.
const maxListing = 32 << 20

var errLongList = errors.New("has more files than can be listed")

func (r *remoteSide) list(folder string) ([]fs.FileInfo, error) {
	defer r.moved.limit(maxListing)()
	infos, err := r.client.ReadDir(folder)
	if err != nil && r.moved.over.Load() {
		err = errLongList
	}
	return infos, err
}

func (r *remoteSide) chtimes(name string, modified time.Time) error {
	return r.client.Chtimes(name, modified, modified)
}
func (r *remoteSide) join(folder, name string) string         { return path.Join(folder, name) }
func (r *remoteSide) split(name string) (folder, base string) { return path.Dir(name), path.Base(name) }

func (r *remoteSide) create(name string) (sink, error) {
	f, err := r.client.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return nil, err
	}
	if err := f.Chmod(0o600); err != nil {
		f.Close()
		r.client.Remove(name)
		return nil, err
	}
	_, canSync := r.client.HasExtension("fsync@openssh.com")
	return &remoteSink{f, canSync}, nil
}

func (r *remoteSide) mkdir(name string) error {
	if err := r.client.Mkdir(name); err != nil {
		return err
	}
	return r.client.Chmod(name, 0o700)
}

func (r *remoteSide) rename(from, to string) error {
	if _, ok := r.client.HasExtension("posix-rename@openssh.com"); ok {
		return r.client.PosixRename(from, to)
	}
	// This leaves a moment without the file.
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
