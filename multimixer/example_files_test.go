// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimixer_test

import (
	"fmt"
	"io"
	"io/fs"
	"log"
	"testing/fstest"

	"github.com/unimac/unimac/multimixer"
)

// Keep a list of tags to detect changes to files that others may write to. No nonce
// needs to be stored, and equal files have equal tags. The list itself must be
// authenticated, too, or an attacker can restore an old list, or an old file together
// with its line. Therefore the tag of the list is kept where only its owner may write.
func Example_files() {
	key, err := multimixer.NewKey(secret, multimixer.Size256)
	if err != nil {
		log.Fatal(err)
	}
	disk := fstest.MapFS{ // os.DirFS(dir) in a real program
		"a.txt":     {Data: []byte("first")},
		"sub/b.txt": {Data: []byte("second")},
	}
	before, err := tags(key, disk)
	if err != nil {
		log.Fatal(err)
	}
	disk["sub/b.txt"].Data[0] = 'b'
	err = fs.WalkDir(disk, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		mac, err := sumFile(key, disk, path)
		if err != nil {
			return err
		}
		fmt.Println(path, mac.Verify(before[path]))
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// a.txt true
	// sub/b.txt false
}

// tags returns the tags of all files, indexed by path.
func tags(key *multimixer.Key, disk fs.FS) (map[string][]byte, error) {
	list := map[string][]byte{}
	return list, fs.WalkDir(disk, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		mac, err := sumFile(key, disk, path)
		if err == nil {
			list[path] = mac.Sum(nil)
		}
		return err
	})
}

// sumFile hashes a file's path, a separator that no path contains, and the file's
// content. Because the path is hashed, an attacker cannot swap two files.
func sumFile(key *multimixer.Key, disk fs.FS, path string) (*multimixer.MAC, error) {
	f, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	mac := key.New()
	io.WriteString(mac, path+"\x00")
	_, err = io.Copy(mac, f)
	return mac, err
}
