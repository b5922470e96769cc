// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"cmp"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// A fileTree is the files that a client of SFTP may use: what [os.Root] has methods
// for.
type fileTree interface {
	// name returns the name in the tree that belongs to a path of the client.
	name(path string) string
	// real returns a path of the client without symbolic links, or as it is where
	// that cannot be told.
	real(path string) string

	Open(name string) (*os.File, error)
	OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error)
	ReadDir(name string) ([]fs.DirEntry, error)
	Stat(name string) (fs.FileInfo, error)
	Lstat(name string) (fs.FileInfo, error)
	Readlink(name string) (string, error)
	Rename(from, to string) error
	Mkdir(name string, mode fs.FileMode) error
	Remove(name string) error
	Link(from, to string) error
	Symlink(from, to string) error
	Chmod(name string, mode fs.FileMode) error
	Chown(name string, user, group int) error
	Chtimes(name string, accessed, modified time.Time) error
	Close() error
}

// rooted is the files below a folder, which a client sees as "/". No path and no
// symbolic link leads out of it.
type rooted struct{ *os.Root }

func (rooted) name(name string) string {
	return cmp.Or(strings.TrimPrefix(path.Clean("/"+name), "/"), ".")
}

func (rooted) real(name string) string { return path.Clean("/" + name) }

func (r rooted) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(r.FS(), name) }

// system is all files that there are.
type system struct{}

func (system) name(name string) string {
	name = path.Clean("/" + name)
	if runtime.GOOS == "windows" { // "/C:/folder"
		name = strings.TrimPrefix(name, "/")
	}
	return filepath.FromSlash(name)
}

func (s system) real(name string) string {
	if real, err := filepath.EvalSymlinks(s.name(name)); err == nil {
		name = filepath.ToSlash(real)
	}
	return path.Clean("/" + name)
}

func (system) Open(name string) (*os.File, error) { return os.Open(name) }
func (system) OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, mode)
}
func (system) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }
func (system) Stat(name string) (fs.FileInfo, error)      { return os.Stat(name) }
func (system) Lstat(name string) (fs.FileInfo, error)     { return os.Lstat(name) }
func (system) Readlink(name string) (string, error)       { return os.Readlink(name) }
func (system) Rename(from, to string) error               { return os.Rename(from, to) }
func (system) Mkdir(name string, mode fs.FileMode) error  { return os.Mkdir(name, mode) }
func (system) Remove(name string) error                   { return os.Remove(name) }
func (system) Link(from, to string) error                 { return os.Link(from, to) }
func (system) Symlink(from, to string) error              { return os.Symlink(from, to) }
func (system) Chmod(name string, mode fs.FileMode) error  { return os.Chmod(name, mode) }
func (system) Chown(name string, user, group int) error   { return os.Chown(name, user, group) }
func (system) Chtimes(name string, accessed, modified time.Time) error {
	return os.Chtimes(name, accessed, modified)
}
func (system) Close() error { return nil }
