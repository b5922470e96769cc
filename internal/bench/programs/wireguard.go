// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// measureWireGuard runs wireguard-go's own benchmarks of a device: two peers in one
// process.
func measureWireGuard(m *measurement) error {
	tests, err := m.buildTests("./device")
	if err != nil || *build {
		return err
	}
	for _, name := range []string{"Throughput", "Latency"} {
		if err := m.benchmark("its benchmark "+name+", a packet", tests, "device", name); err != nil {
			return err
		}
	}
	return nil
}

// packetSource seals and opens packets in place, as wireguard-go does.
const packetSource = `package main

import (
	"encoding/binary"
	"fmt"
	"time"

	"golang.org/x/crypto/chacha20poly1305"
)

func main() {
	aead, err := chacha20poly1305.New(make([]byte, 32))
	if err != nil {
		panic(err)
	}
	const n = 200000
	buffer := make([]byte, 16+1420+16)
	var nonce [12]byte
	start := time.Now()
	for i := range uint64(n) {
		binary.LittleEndian.PutUint64(nonce[4:], i)
		sealed := aead.Seal(buffer[16:16], nonce[:], buffer[16:16+1420], nil)
		if _, err := aead.Open(sealed[:0], nonce[:], sealed, nil); err != nil {
			panic(err)
		}
	}
	fmt.Println(float64(time.Since(start).Nanoseconds()) / n)
}
`

// measurePackets seals and opens packets of 1420 bytes through x/crypto and through the
// copy, in a program of this command's own.
func measurePackets(m *measurement) error {
	var programs [2]string
	for i, build := range builds {
		dir := m.source(build)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		for name, content := range map[string]string{"main.go": packetSource, "go.mod": "module packets\n\ngo 1.26.0\n"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
				return err
			}
		}
		version, err := output(root, "go", "list", "-m", "-f", "{{.Version}}", "golang.org/x/crypto")
		if err != nil {
			return err
		}
		if err := command(dir, nil, "go", "get", "golang.org/x/crypto/chacha20poly1305@"+string(version[:len(version)-1])); err != nil {
			return err
		}
		if build == vendored {
			if err := m.vendor(dir); err != nil {
				return err
			}
		}
		programs[i] = filepath.Join(m.dir, build+"-packets")
		if err := command(dir, nil, "go", "build", "-o", programs[i], "."); err != nil {
			return err
		}
	}
	if *build {
		return nil
	}
	return m.turns("seal and open 1420 bytes in place", 3**rounds, func(build int) (float64, error) {
		out, err := output(m.dir, programs[build])
		if err != nil {
			return 0, err
		}
		var ns float64
		_, err = fmt.Sscan(string(out), &ns)
		return ns / 1e9, err
	})
}
