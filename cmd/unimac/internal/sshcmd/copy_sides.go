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
	"time"

	"github.com/pkg/sftp"
)

// A side is a place that files are copied from or to.
type side interface {
	stat(name string) (fs.FileInfo, error)
	list(folder string) ([]fs.FileInfo, error) // does not follow symbolic links
	real(name string) (string, error)          // without symbolic links
	open(name string) (source, error)
	create(name string) (sink, error) // or opens, without cutting it; nobody else may read it
	mkdir(name string) error          // that nobody else may read
	chmod(name string, mode fs.FileMode) error
	chtimes(name string, modified time.Time) error
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

// A localSide is the files here: all, or those below a folder.
type localSide struct{ tree fileTree }

func (l localSide) stat(name string) (fs.FileInfo, error) { return l.tree.Stat(name) }
func (l localSide) open(name string) (source, error)      { return l.tree.Open(name) }

// create opens no file that another user has put there, or had this user's file put
// there: what it has would be kept, or overwritten.
func (l localSide) create(name string) (sink, error) {
	f, err := l.tree.OpenFile(name, os.O_WRONLY|os.O_CREATE|noFollow|neverWait, 0o600)
	if err != nil {
		if info, statErr := l.tree.Lstat(name); statErr == nil && !info.Mode().IsRegular() {
			err = errNotOurs
		}
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !(info.Mode().IsRegular() && isOurs(info)) {
		err = errNotOurs
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

var errNotOurs = errors.New("is there, and not of this program")

// isOurs reports whether a file belongs to the user and has no second name, where the
// system tells.
func isOurs(info fs.FileInfo) bool {
	owner, known := ownerOf(info)
	return !known || owner == os.Getuid() && namesOf(info) == 1
}

func (l localSide) mkdir(name string) error { return l.tree.Mkdir(name, 0o700) }
func (l localSide) chmod(name string, mode fs.FileMode) error {
	return l.tree.Chmod(name, mode&^umask())
}
func (l localSide) chtimes(name string, modified time.Time) error {
	return l.tree.Chtimes(name, time.Time{}, modified)
}
func (l localSide) rename(from, to string) error    { return l.tree.Rename(from, to) }
func (l localSide) join(folder, name string) string { return filepath.Join(folder, name) }
func (l localSide) split(name string) (folder, base string) {
	return filepath.Dir(name), filepath.Base(name)
}

func (l localSide) real(name string) (string, error) {
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return "", err
	}
	return filepath.Abs(real)
}

func (l localSide) list(folder string) ([]fs.FileInfo, error) {
	entries, err := l.tree.ReadDir(folder)
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

type remoteSide struct{ client *sftp.Client }

func (r *remoteSide) stat(name string) (fs.FileInfo, error)     { return r.client.Stat(name) }
func (r *remoteSide) open(name string) (source, error)          { return r.client.Open(name) }
func (r *remoteSide) real(name string) (string, error)          { return r.client.RealPath(name) }
func (r *remoteSide) chmod(name string, mode fs.FileMode) error { return r.client.Chmod(name, mode) }
func (r *remoteSide) list(folder string) ([]fs.FileInfo, error) { return r.client.ReadDir(folder) }
func (r *remoteSide) chtimes(name string, modified time.Time) error {
	return r.client.Chtimes(name, modified, modified)
}
func (r *remoteSide) join(folder, name string) string         { return path.Join(folder, name) }
func (r *remoteSide) split(name string) (folder, base string) { return path.Dir(name), path.Base(name) }

func (r *remoteSide) create(name string) (sink, error) {
	f, err := r.client.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		// It may be there. If it is another user's, Chmod tells.
		info, statErr := r.client.Lstat(name)
		switch {
		case statErr != nil:
			return nil, err
		case !info.Mode().IsRegular():
			return nil, errNotOurs
		}
		if f, err = r.client.OpenFile(name, os.O_WRONLY); err != nil {
			return nil, err
		}
	}
	if err := f.Chmod(0o600); err != nil {
		f.Close()
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
