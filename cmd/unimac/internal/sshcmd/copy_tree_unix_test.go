// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build unix && !aix

package sshcmd

import (
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// TestCopyTree copies folders both ways, with our server and with that of OpenSSH.
func TestCopyTree(t *testing.T) {
	t.Parallel()
	t.Run("ours", func(t *testing.T) { testCopyTree(t, startSite(t)) })
	if !testing.Short() {
		t.Run("OpenSSH", func(t *testing.T) { testCopyTree(t, startDaemon(t)) })
	}
}

// makeTree makes a folder with files and folders, and with symbolic links that lead
// to a file, to a folder, up, and nowhere. It returns what is to come out of it.
func makeTree(t *testing.T, dir string) map[string]string {
	t.Helper()
	want := map[string]string{
		"a file": "1", "name \\ with\nall\x1b": "2", "in/file": randomBytes(100_000), "in/in/deep": "4",
		"link": "1",
	}
	for _, folder := range []string{"in/in", "empty"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range want {
		if name != "link" {
			writeFile(t, filepath.Join(dir, name), content)
		}
	}
	for name, to := range map[string]string{"link": "a file", "folder": "in", "in/in/up": "../..", "nowhere": "none"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, mode := range map[string]fs.FileMode{"in": 0o750, "a file": 0o640} {
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	return want
}

// wantTree fails the test unless a folder has the files, no other, and no link.
func wantTree(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	found := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		content, ok := want[name]
		if !ok || !d.Type().IsRegular() {
			t.Errorf("there is %q, %v", name, d.Type())
			return nil
		}
		found++
		wantFile(t, path, content)
		return nil
	})
	if err != nil || found != len(want) {
		t.Errorf("%d of %d files in %s, %v", found, len(want), dir, err)
	}
}

func testCopyTree(t *testing.T, s *site) {
	from := filepath.Join(t.TempDir(), "tree")
	want := makeTree(t, from)
	for _, upload := range []bool{true, false} {
		dir := t.TempDir()
		copyTo := func(to string) result {
			if upload {
				return s.copy("-r", from, "HOST:"+to)
			}
			return s.copy("-r", "HOST:"+from, to)
		}
		check := func(r result) {
			t.Helper()
			for _, message := range []string{
				"/nowhere: no such file or folder\n",
				"/in/in/up: is a symbolic link to a folder", "tree/folder: is a symbolic link to a folder",
			} {
				if r.Status != 1 || strings.Count(r.Stderr, message) != 1 || strings.Count(r.Stderr, "\n") != 3 {
					t.Errorf("upload %t: status %d, %s", upload, r.Status, r.Stderr)
				}
			}
		}
		check(copyTo(dir)) // into it
		tree := filepath.Join(dir, "tree")
		wantTree(t, tree, want)
		for name, mode := range map[string]fs.FileMode{"a file": 0o640, "in": 0o750 | fs.ModeDir, "empty": 0o755 | fs.ModeDir} {
			before, err := os.Stat(filepath.Join(from, name))
			if err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(filepath.Join(tree, name))
			if err != nil || info.Mode() != mode || !info.IsDir() && info.ModTime().Unix() != before.ModTime().Unix() {
				t.Errorf("upload %t: %s: %v, %v", upload, name, info, err)
			}
		}

		// Again, also over what has the same size and time.
		before, err := os.Stat(filepath.Join(tree, "a file"))
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(tree, "a file"), "x")
		if err := os.Chtimes(filepath.Join(tree, "a file"), before.ModTime(), before.ModTime()); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(tree, "in", "file"), "changed")
		check(copyTo(dir))
		wantTree(t, tree, want)

		check(copyTo(filepath.Join(dir, "as"))) // as it
		wantTree(t, filepath.Join(dir, "as"), want)
		copyTo(filepath.Join(dir, "as", "a file")).Want(t, 1, "", "is no folder")
		if upload {
			s.copy(from, "HOST:"+dir).Want(t, 1, "", "unimac ssh copy: "+from+": is a directory; -r copies it\n")
			content := filepath.Join(dir, "content")
			if err := os.Mkdir(content, 0o755); err != nil {
				t.Fatal(err)
			}
			check(s.copy("-r", from+"/in/..", "HOST:"+content))
			wantTree(t, content, want)
		}
	}
}

// TestCopyTreeStays has symbolic links where a folder is copied to, which lead out
// of it.
func TestCopyTreeStays(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	from, to, outside := t.TempDir(), t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(from, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"file", "folder/file"} {
		writeFile(t, filepath.Join(from, name), "new")
	}
	secret := writeFile(t, filepath.Join(outside, "file"), "outside")
	tree := filepath.Join(to, filepath.Base(from))
	if err := os.Mkdir(tree, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, leads := range map[string]string{"folder": outside, "file": secret} {
		if err := os.Symlink(leads, filepath.Join(tree, name)); err != nil {
			t.Fatal(err)
		}
	}
	r := s.copy("-r", "HOST:"+from, to)
	if r.Status != 1 || strings.Count(r.Stderr, "\n") != 1 || !strings.Contains(r.Stderr, "folder: ") {
		t.Errorf("%+v", r)
	}
	wantFile(t, secret, "outside")
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
	if info, err := os.Lstat(filepath.Join(tree, "file")); err != nil || !info.Mode().IsRegular() {
		t.Errorf("the link is not replaced: %v, %v", info, err)
	}
}

// A fileList is what package sftp takes lists from.
type fileList []fs.FileInfo

func (l fileList) ListAt(to []fs.FileInfo, offset int64) (int, error) {
	n := copy(to, l[min(offset, int64(len(l))):])
	if n < len(to) {
		return n, io.EOF
	}
	return n, nil
}

// A hostileTree is files of SFTP whose folders all hold the same names.
type hostileTree struct{ names []string }

// A hostileFile is one of them. A name that ends in "deep" is of a folder.
type hostileFile struct{ name string }

func (f hostileFile) Name() string       { return f.name }
func (f hostileFile) Size() int64        { return 4 }
func (f hostileFile) ModTime() time.Time { return time.Unix(1, 0) }
func (f hostileFile) IsDir() bool        { return strings.HasSuffix(f.name, "deep") }
func (f hostileFile) Sys() any           { return nil }
func (f hostileFile) Mode() fs.FileMode {
	if f.IsDir() {
		return fs.ModeDir | 0o777
	}
	return 0o777
}

func (h *hostileTree) Filelist(r *sftp.Request) (sftp.ListerAt, error) {
	if r.Method != "List" {
		return fileList{hostileFile{filepath.Base(r.Filepath)}}, nil
	}
	if slices.Contains(h.names, "unending") {
		return unending{}, nil
	}
	var list fileList
	for _, name := range h.names {
		list = append(list, hostileFile{name})
	}
	return list, nil
}

func (h *hostileTree) Fileread(r *sftp.Request) (io.ReaderAt, error) {
	if strings.HasSuffix(r.Filepath, "endless") {
		return endless{}, nil
	}
	return strings.NewReader("evil"), nil
}

// unending is a list that has no end.
type unending struct{}

func (unending) ListAt(to []fs.FileInfo, _ int64) (int, error) {
	for i := range to {
		to[i] = hostileFile{strings.Repeat("n", 250)}
	}
	return len(to), nil
}

// endless is a file that has no end.
type endless struct{}

func (endless) ReadAt(p []byte, _ int64) (int, error) { return len(p), nil }

// TestCopyHostile copies from a server that sends names which lead out of the folder,
// folders and files without end, and modes that let all write.
func TestCopyHostile(t *testing.T) {
	t.Parallel()
	own := t.TempDir()
	identity := filepath.Join(own, "id")
	key := writeKey(t, identity)
	for _, tt := range []struct {
		names   []string
		inside  []string // what may be there afterwards
		message error
		lines   int
	}{
		// Package sftp takes the last part of a name, and leaves out "." and "..".
		{[]string{"..", ".", "", "/", "/..", "x/../..", "zero\x00byte", "../../escape", "/escape", "good"}, []string{"escape", "good"}, errName, 5},
		{[]string{"deep"}, []string{"deep"}, errDeep, 1},
		{[]string{"unending"}, nil, errLongList, 1},
		{[]string{"endless", "good"}, []string{"good"}, errChanged, 1},
	} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		go serveHostile(listener, key, &hostileTree{tt.names})
		known := writeFile(t, filepath.Join(own, "known"), knownhosts.Line([]string{listener.Addr().String()}, key.PublicKey())+"\n")
		host, port, _ := net.SplitHostPort(listener.Addr().String())
		above := t.TempDir()
		dir := filepath.Join(above, "in", "in")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		r := runWith("", "ssh", "copy", "-r", "-i", identity, "-known-hosts", known, "-p", port, host+":deep", dir+"/inside")
		if r.Status != 1 || strings.Count(r.Stderr, tt.message.Error()) != tt.lines || strings.Count(r.Stderr, "\n") != tt.lines || strings.ContainsAny(r.Stderr, "\x00") {
			t.Errorf("%q: status %d, %s", tt.names, r.Status, r.Stderr)
		}
		for folder, want := range map[string][]string{above: {"in"}, above + "/in": {"in"}, dir: {"inside"}, dir + "/inside": tt.inside} {
			entries, err := os.ReadDir(folder)
			var names []string
			for _, entry := range entries {
				name := entry.Name()
				if info, err := entry.Info(); err != nil || info.Mode().Perm()&umask() != 0 {
					t.Errorf("%s: %v, %v", name, info.Mode(), err)
				}
				names = append(names, name)
			}
			if err != nil || !slices.Equal(names, want) {
				t.Errorf("%q: in %s there is %q, %v", tt.names, folder, names, err)
			}
		}
	}
}

// serveHostile serves the files to one client.
func serveHostile(listener net.Listener, key ssh.Signer, files *hostileTree) {
	conn, err := listener.Accept()
	if err != nil {
		return
	}
	config := &ssh.ServerConfig{NoClientAuth: true}
	if config.Config, err = Config(allMACs(), allCiphers()); err != nil {
		return
	}
	config.AddHostKey(key)
	_, channels, requests, err := ssh.NewServerConn(conn, config)
	if err != nil {
		return
	}
	go ssh.DiscardRequests(requests)
	for channel := range channels {
		accepted, requests, err := channel.Accept()
		if err != nil {
			return
		}
		go func() {
			for request := range requests {
				request.Reply(request.Type == "subsystem", nil)
			}
		}()
		go sftp.NewRequestServer(accepted, sftp.Handlers{FileGet: files, FileList: files}).Serve()
	}
}
