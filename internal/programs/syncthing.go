// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"os"
	"path/filepath"
	"strconv"
)

// syncthingTest is added to syncthing's package of the protocol, as that has no benchmark of
// its encryption. An encrypted folder is what an untrusted device keeps: AES-SIV for names
// and hashes of blocks, XChaCha20-Poly1305 for the blocks.
const syncthingTest = `package protocol

import (
	"crypto/sha256"
	"encoding/binary"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"google.golang.org/protobuf/proto"
)

const measuredBlock = 128 << 10 // the smallest that syncthing cuts files into

func BenchmarkMeasuredEncrypt(b *testing.B) {
	key, data := new([keySize]byte), make([]byte, measuredBlock)
	for range b.N {
		encryptBytes(data, key)
	}
}

func BenchmarkMeasuredDecrypt(b *testing.B) {
	key := new([keySize]byte)
	sealed := encryptBytes(make([]byte, measuredBlock), key)
	for range b.N {
		if _, err := DecryptBytes(sealed, key); err != nil {
			b.Fatal(err)
		}
	}
}

func TestMeasuredFolder(t *testing.T) {
	folder := os.Getenv("MEASURED_FOLDER")
	if folder == "" {
		t.Skip("no folder")
	}
	size, err := strconv.ParseInt(os.Getenv("MEASURED_SIZE"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	keys := NewKeyGenerator()
	folderKey := keys.KeyFromPassword("folder", "a password")
	file := FileInfo{Name: "file", Size: size, Permissions: 0o644, RawBlockSize: measuredBlock}
	fileKey := keys.FileKey(file.Name, folderKey)
	var content []byte
	for at := int64(0); at < size; at += measuredBlock {
		block := make([]byte, min(measuredBlock, size-at))
		binary.LittleEndian.PutUint64(block, uint64(at))
		hash := sha256.Sum256(block)
		file.Blocks = append(file.Blocks, BlockInfo{Hash: hash[:], Offset: at, Size: len(block)})
		if len(block) < minPaddedSize {
			block = append(block, make([]byte, minPaddedSize-len(block))...)
		}
		content = append(content, encryptBytes(block, fileKey)...)
	}
	sealed := encryptFileInfo(keys, file, folderKey)
	trailer, err := proto.Marshal(sealed.ToWire(false))
	if err != nil {
		t.Fatal(err)
	}
	content = append(content, trailer...)
	content = binary.BigEndian.AppendUint32(content, uint32(len(trailer)))
	name := filepath.Join(folder, filepath.FromSlash(sealed.Name))
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
`

// measureSyncthing encrypts and decrypts blocks of a file as syncthing does for a device that
// is not trusted, runs syncthing's own benchmark of requests, and lets its command decrypt a
// whole folder.
func measureSyncthing(m *measurement) error {
	syncthing, err := m.buildAll("./cmd/syncthing")
	if err != nil {
		return err
	}
	for _, build := range builds {
		name := filepath.Join(m.source(build), "lib/protocol/measured_test.go")
		if err := os.WriteFile(name, []byte(syncthingTest), 0o666); err != nil {
			return err
		}
	}
	tests, err := m.buildTests("./lib/protocol")
	if err != nil || *build {
		return err
	}
	for _, b := range []struct{ what, name string }{
		{"encrypt a block of 128 KiB for an untrusted device", "MeasuredEncrypt"},
		{"decrypt a block of 128 KiB", "MeasuredDecrypt"},
		{"its benchmark RequestsTLSoTCP, a block of 128 KiB", "RequestsTLSoTCP"},
	} {
		if err := m.benchmark(b.what, tests, "lib/protocol", b.name); err != nil {
			return err
		}
	}

	// Each verifies what the other sealed.
	var folders [2]string
	for b, test := range tests {
		folders[1-b] = filepath.Join(m.dir, builds[b]+"-folder")
		err := command(m.dir, nil, "env", "MEASURED_FOLDER="+folders[1-b], "MEASURED_SIZE="+strconv.FormatInt(*size, 10),
			test, "-test.run=^TestMeasuredFolder$")
		if err != nil {
			return err
		}
	}
	return m.compare(megabytes("its command decrypt, verifying", *size), func(b int) error {
		return command(m.dir, nil, syncthing[b], "decrypt", "--verify-only", "--folder-id=folder", "--password=a password", folders[b])
	})
}
