// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"math/bits"
	"os"
	"path"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/crypto/ssh"
)

// Packet types, flags and status codes defined in draft-ietf-secsh-filexfer-02.
const (
	packetInit, packetOpen, packetClose, packetRead, packetWrite, packetLstat             = 1, 3, 4, 5, 6, 7
	packetFstat, packetSetstat, packetFsetstat, packetOpendir, packetReaddir              = 8, 9, 10, 11, 12
	packetRemove, packetMkdir, packetRmdir, packetRealpath, packetStat                    = 13, 14, 15, 16, 17
	packetRename, packetReadlink, packetSymlink, packetStatus, packetHandle               = 18, 19, 20, 101, 102
	packetExtended                                                                        = 200
	openRead, openWrite, openAppend, openCreate, openTruncate                             = 1, 2, 4, 8, 16
	attrSize, attrUIDGID, attrPermissions, attrTimes                                      = 1, 2, 4, 8
	statusOK, statusNoSuchFile, statusDenied, statusFailure, statusBad, statusUnsupported = 0, 2, 3, 4, 5, 8
)

// A fileFilter passes requests to an SFTP server from package sftp, one at a time.
// Where that server would behave differently from OpenSSH's sftp-server, the fileFilter
// modifies the request or answers it itself.
type fileFilter struct {
	io.ReadWriteCloser        // connection to the client
	home               string // begins with a slash
	readOnly           bool
	buffer             []byte
	unread             []byte // part of a request not yet read by the server

	pending chan struct{} // holds one element while a request is unanswered
	opening *openFile     // file that the request opens, or nil
	open    map[string]*openFile
	unsent  int // number of bytes of the answer not yet written by the server
}

type openFile struct {
	path           string
	was            fs.FileInfo // information on path when it was opened
	isDir, appends bool
}

// A fileRequest is a request without its length and type.
type fileRequest struct {
	ID   uint32
	Name string // path, handle or name of an extension
	Rest []byte `ssh:"rest"`
}

// Read returns the next request once the previous one has been answered.
func (f *fileFilter) Read(p []byte) (n int, err error) {
	for len(f.unread) == 0 {
		if _, err := io.ReadFull(f.ReadWriteCloser, f.buffer[:4]); err != nil {
			return 0, err
		}
		size := 4 + int64(binary.BigEndian.Uint32(f.buffer))
		if size < 9 || size > int64(len(f.buffer)) {
			return 0, errors.New("malformed packet")
		}
		f.unread = f.buffer[:size]
		if _, err := io.ReadFull(f.ReadWriteCloser, f.unread[4:]); err != nil {
			return 0, io.ErrUnexpectedEOF
		}
		kind := f.unread[4]
		var r fileRequest
		if err := ssh.Unmarshal(f.unread[5:], &r); err != nil && kind != packetInit {
			return 0, err
		}
		f.pending <- struct{}{}
		answer, changed := f.intercept(kind, &r)
		switch {
		case answer != nil:
			f.unread = nil
			if _, err := f.Write(withLength(nil, ssh.Marshal(answer))); err != nil {
				return 0, err
			}
		case changed:
			f.unread = withLength([]byte{kind}, ssh.Marshal(&r))
		}
	}
	n = copy(p, f.unread)
	f.unread = f.unread[n:]
	return n, nil
}

func withLength(kind, rest []byte) []byte {
	packet := binary.BigEndian.AppendUint32(nil, uint32(len(kind)+len(rest)))
	return append(append(packet, kind...), rest...)
}

type fileStatus struct {
	ID       uint32 `sshtype:"101"`
	Code     uint32
	Message  string
	Language string
}

// status returns an answer reporting err, or success if err is nil.
func (r *fileRequest) status(err error) *fileStatus {
	if err == nil {
		return &fileStatus{ID: r.ID, Code: statusOK, Message: "done"}
	}
	return &fileStatus{ID: r.ID, Code: statusCode(err.Error()), Message: err.Error()}
}

// statusCode returns the status code that OpenSSH sends for a system error. It
// identifies the error by the system's text at the end of message. For any other
// message, it returns statusFailure.
func statusCode(message string) uint32 {
	for errno, code := range map[syscall.Errno]uint32{
		syscall.ENOENT: statusNoSuchFile, syscall.ENOTDIR: statusNoSuchFile, syscall.EBADF: statusNoSuchFile, syscall.ELOOP: statusNoSuchFile,
		syscall.EPERM: statusDenied, syscall.EACCES: statusDenied, syscall.EFAULT: statusDenied,
		syscall.ENAMETOOLONG: statusBad, syscall.EINVAL: statusBad, syscall.ENOSYS: statusUnsupported,
	} {
		if strings.HasSuffix(message, errno.Error()) {
			return code
		}
	}
	return statusFailure
}

// intercept returns the answer to a request, or nil if package sftp must handle it. If
// answer is nil, changed reports whether r may have been modified.
func (f *fileFilter) intercept(kind byte, r *fileRequest) (answer any, changed bool) {
	if f.readOnly && r.changes(kind) {
		return r.status(syscall.EACCES), false
	}
	switch kind {
	case packetClose, packetRead, packetWrite, packetFstat, packetFsetstat, packetReaddir:
		return f.interceptHandle(kind, r), false
	case packetRemove, packetRmdir, packetMkdir, packetRename, packetSymlink:
		return r.status(f.change(kind, r)), false
	case packetExtended:
		return f.interceptExtended(r)
	case packetOpen, packetOpendir, packetLstat, packetStat, packetSetstat, packetReadlink, packetRealpath:
	default:
		return nil, false
	}
	if r.Name == "" && kind == packetRealpath {
		r.Name = "."
	}
	if err := f.makeAbsolute(&r.Name); err != nil {
		return r.status(err), false
	}
	switch {
	case kind == packetRealpath && runtime.GOOS != "windows": // on Windows, package sftp handles drives
		resolved, err := realPath(r.Name)
		if err != nil {
			return r.status(err), false
		}
		return &struct {
			ID, Count      uint32 `sshtype:"104"`
			Name, LongName string
			Attributes     uint32
		}{r.ID, 1, resolved, resolved, 0}, false
	case kind == packetOpen, kind == packetOpendir:
		answer = f.prepareOpen(kind, r)
	}
	return answer, true
}

func (r *fileRequest) changes(kind byte) bool {
	switch kind {
	case packetOpen:
		return len(r.Rest) >= 4 && binary.BigEndian.Uint32(r.Rest)&(openWrite|openCreate|openTruncate) != 0
	case packetExtended:
		return changes[r.Name] != nil
	case packetWrite, packetSetstat, packetFsetstat, packetRemove, packetMkdir, packetRmdir, packetRename, packetSymlink:
		return true
	}
	return false
}

// changes maps directory-modifying extensions to the functions implementing them.
var changes = map[string]func(from, to string) error{"posix-rename@openssh.com": rename, "hardlink@openssh.com": os.Link}

// makeAbsolute makes the path in name absolute. Unlike package sftp, it does not clean
// the path, because the system must follow links before resolving "..".
func (f *fileFilter) makeAbsolute(name *string) error {
	if *name == "" {
		return syscall.ENOENT
	}
	if !path.IsAbs(*name) {
		*name = f.home + "/" + *name
	}
	if len(*name) > 4095 { // the maximum on Linux; other systems have lower limits
		return syscall.ENAMETOOLONG
	}
	return nil
}

// cutPath splits data after the leading path, and makes the path absolute.
func (f *fileFilter) cutPath(data []byte) (name string, rest []byte, err error) {
	var p struct {
		Path string
		Rest []byte `ssh:"rest"`
	}
	if err := ssh.Unmarshal(data, &p); err != nil {
		return "", nil, err
	}
	err = f.makeAbsolute(&p.Path)
	return p.Path, p.Rest, err
}

// change executes a request that modifies a directory.
func (f *fileFilter) change(kind byte, r *fileRequest) error {
	name, to, err := r.Name, "", error(nil)
	if kind == packetRename || kind == packetSymlink {
		if to, _, err = f.cutPath(r.Rest); err != nil {
			return err
		}
	}
	if kind == packetSymlink { // the target may be relative
		return os.Symlink(name, localPath(to))
	}
	if err := f.makeAbsolute(&name); err != nil {
		return err
	}
	switch name = localPath(name); kind {
	case packetRemove:
		return syscall.Unlink(name)
	case packetRmdir:
		return syscall.Rmdir(name)
	case packetRename:
		return renameNew(name, localPath(to))
	}
	mode, _ := permissions(r.Rest, 0o777)
	perm := fs.FileMode(mode & 0o777)
	if mode&0o1000 != 0 {
		perm |= fs.ModeSticky
	}
	return os.Mkdir(name, perm)
}

// interceptExtended is like intercept, but for extensions.
func (f *fileFilter) interceptExtended(r *fileRequest) (answer any, changed bool) {
	change := changes[r.Name]
	if change == nil && r.Name != "statvfs@openssh.com" {
		return nil, false
	}
	name, rest, err := f.cutPath(r.Rest)
	switch {
	case err != nil:
		return r.status(err), false
	case change == nil:
		r.Rest = ssh.Marshal(&struct{ Path string }{name})
		return nil, true
	}
	to, _, err := f.cutPath(rest)
	if err == nil {
		err = change(localPath(name), localPath(to))
	}
	return r.status(err), false
}

// prepareOpen is like intercept, but for requests to open a file or directory.
func (f *fileFilter) prepareOpen(kind byte, r *fileRequest) any {
	here := localPath(r.Name)
	if len(f.open) >= maxOpen {
		return r.status(errors.New("too many files are open"))
	}
	if info, err := os.Stat(here); err == nil && info.Mode()&fs.ModeNamedPipe != 0 {
		return r.status(errors.New("is a pipe, which could block the server"))
	}
	f.opening = &openFile{path: here, isDir: kind == packetOpendir}
	if kind == packetOpendir || len(r.Rest) < 8 {
		return nil
	}
	flags := binary.BigEndian.Uint32(r.Rest)
	f.opening.appends = flags&openAppend != 0
	if flags&(openRead|openWrite) == 0 { // like OpenSSH, open the file for reading; package sftp would refuse
		flags |= openRead
	}
	if mode, ok := permissions(r.Rest[4:], 0o666); ok { // otherwise, package sftp would use mode 0644
		r.Rest = ssh.Marshal(&struct{ Flags, Attributes, Mode uint32 }{flags, attrPermissions, mode})
	}
	return nil
}

// permissions returns the permission bits in attributes, or fallback if there are none.
// ok is false if attributes is truncated.
func permissions(attributes []byte, fallback uint32) (mode uint32, ok bool) {
	if len(attributes) < 4 {
		return fallback, false
	}
	flags := binary.BigEndian.Uint32(attributes)
	at := 4 + 8*bits.OnesCount32(flags&(attrSize|attrUIDGID))
	switch {
	case flags&attrPermissions == 0:
		return fallback, true
	case len(attributes) < at+4:
		return fallback, false
	}
	return binary.BigEndian.Uint32(attributes[at:]), true
}

// interceptHandle is like intercept, but for requests on open files and directories.
func (f *fileFilter) interceptHandle(kind byte, r *fileRequest) any {
	h := f.open[r.Name]
	switch {
	case kind == packetClose && h == nil:
		return r.status(syscall.ENOENT)
	case kind == packetClose:
		delete(f.open, r.Name)
	case h == nil || h.isDir != (kind == packetReaddir):
		return r.status(errors.New("no such handle"))
	case kind == packetWrite && h.appends, kind == packetFsetstat && len(r.Rest) >= 4 && binary.BigEndian.Uint32(r.Rest)&attrTimes != 0:
		info, err := os.Stat(h.path) // Package sftp sets times by path.
		if err != nil || !os.SameFile(info, h.was) {
			return r.status(errors.New("the open file was replaced"))
		}
		if kind == packetWrite && len(r.Rest) >= 8 {
			binary.BigEndian.PutUint64(r.Rest, uint64(info.Size()))
		}
	}
	return nil
}

// Write sends an answer, or part of one, to the client.
func (f *fileFilter) Write(p []byte) (int, error) {
	if f.unsent == 0 { // the first part contains everything except file data
		f.unsent = 4 + int(binary.BigEndian.Uint32(p))
		switch {
		case p[4] == packetHandle && f.opening != nil:
			f.opening.was, _ = os.Stat(f.opening.path)
			f.open[string(p[13:])] = f.opening
		case p[4] == packetStatus && len(p) > 17 && binary.BigEndian.Uint32(p[9:]) == statusFailure:
			message, _, _ := bytes.Cut(p[17:], []byte{0}) // the language tag's length begins with a zero byte
			p = bytes.Clone(p)
			binary.BigEndian.PutUint32(p[9:], statusCode(string(message)))
		}
		f.opening = nil
	}
	n, err := f.ReadWriteCloser.Write(p)
	if f.unsent -= len(p); f.unsent == 0 || err != nil { // the server stops writing after an error
		f.unsent = 0
		<-f.pending
	}
	return n, err
}
