// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

// A program is a third-party module, or a loop in this command, that uses x/crypto. It
// is built twice: as released and with a copy of x/crypto. Its shell commands run in
// one directory, with a file named "file" of -size bytes or a fraction of -size. $BIN
// is the prefix of the names of a build's executables, $OTHER is the prefix for the
// other build, and $SRC is the directory of a build's source.
type program struct {
	name        string
	module      string // with its version; "" for a loop of this command
	vendorFlags []string
	packages    []string          // to build
	tests       string            // a package whose tests are built, as $BIN.test
	files       map[string]string // added to the module, by path
	part        int64             // divides -size: 1 for all of it, 2 for half; 0 for no file
	setup       string
	works       []work
	cleanup     string
	test        []string // packages whose own tests are run with the copy
	skip        string   // matches the names of tests that are not run
	reason      string   // of skip, as a clause after "which"
	unreliable  string   // matches the name of a test that fails sometimes as released, too
	folder      string   // of the package of unreliable
	quick       bool     // CI runs the program's own tests
	env         []string // environment variables of the tests
}

// A work is a shell command whose duration is measured. If prints is set, the command
// prints its result in nanoseconds instead.
type work struct {
	what   string // SIZE stands for the size of the file
	line   string
	prints bool
	plain  string // replaces line for the build as released; "" for the same line
}

const (
	ns = ` | awk '{for (i = 2; i <= NF; i++) if ($i == "ns/op") print $(i-1)}'`

	kopiaBenchmark = `HOME=$PWD/home KOPIA_CHECK_FOR_UPDATES=false "$BIN"-kopia benchmark --block-size=1MB --log-level=error `
	kopiaResult    = `{unit["B"] = 1; unit["KB"] = 1e3; unit["MB"] = 1e6; unit["GB"] = 1e9; print 1e9 * 2^20 / ($3 * unit[$4]) / blocks}'`

	rclone = `"$BIN"-rclone --config config --ignore-times copyto `
)

// programs lists the measured programs, then those that only run their own tests.
var programs = append(measured, tested...)

var measured = []program{
	{
		name: "age", module: "filippo.io/age@v1.3.2", packages: []string{"./cmd/age", "./cmd/age-keygen"}, part: 1,
		setup: `"$BIN"-age-keygen -o key 2>/dev/null && "$BIN"-age-keygen -y key >recipient`,
		works: []work{
			{what: "encrypt SIZE", line: `"$BIN"-age -R recipient -o "$BIN".age file`},
			{what: "decrypt SIZE", line: `"$BIN"-age -d -i key -o opened "$OTHER".age`},
			{what: "encrypt SIZE to /dev/null", line: `"$BIN"-age -R recipient file >/dev/null`},
			{what: "decrypt SIZE to /dev/null", line: `"$BIN"-age -d -i key "$OTHER".age >/dev/null`},
			{what: "encrypt SIZE from a pipe to /dev/null", line: `cat file | "$BIN"-age -R recipient >/dev/null`},
			{what: "decrypt SIZE from a pipe to /dev/null", line: `cat "$OTHER".age | "$BIN"-age -d -i key >/dev/null`},
		},
		cleanup: `cmp file opened`,
		test:    []string{"./..."},
	},
	{
		name: "wireguard-go", module: "golang.zx2c4.com/wireguard@v0.0.0-20260522210424-ecfc5a8d5446", tests: "./device",
		works: []work{
			{what: "its benchmark Throughput, a packet", line: `cd "$SRC/device" && "$BIN".test -test.run=- -test.bench=^BenchmarkThroughput$` + ns, prints: true},
			{what: "its benchmark Latency, a packet", line: `cd "$SRC/device" && "$BIN".test -test.run=- -test.bench=^BenchmarkLatency$` + ns, prints: true},
		},
		test: []string{"./device", "./replay", "./ratelimiter"},
	},
	{
		name: "packets", packages: []string{"."}, files: map[string]string{"main.go": packets, "go.mod": "module packets\n\ngo 1.26.0\n"},
		works: []work{{what: "seal and open 1420 bytes in place", line: `"$BIN"-packets`, prints: true}},
	},
	{
		name: "go-sftp-server", module: "github.com/pkg/sftp@v1.13.12", packages: []string{"./examples/go-sftp-server"}, part: 2,
		setup: sftpSetup,
		works: []work{
			{what: "OpenSSH's sftp, get SIZE", line: "sh ./example get"},
			{what: "the same by sshd, and by the copy (get)", line: "sh ./example get", plain: "sh ./move get 2023 -i id_rsa"},
			{what: "OpenSSH's sftp, put SIZE", line: "sh ./example put"},
			{what: "the same by sshd, and by the copy (put)", line: "sh ./example put", plain: "sh ./move put 2023 -i id_rsa"},
		},
		cleanup: `kill "$(cat pid)"; cmp file moved`,
		test:    []string{"."},
	},
	{
		name: "kopia", module: "github.com/kopia/kopia@v0.21.1", packages: []string{"."},
		setup: `mkdir home`,
		works: []work{
			{what: "hash 1 MiB by BLAKE2B-256-128", line: kopiaBenchmark + `--repeat=3 hashing | awk -v blocks=32 '/[.] BLAKE2B-256-128 /` + kopiaResult, prints: true},
			{what: "encrypt 1 MiB by ChaCha20-Poly1305", line: kopiaBenchmark + `--repeat=300 encryption | awk -v blocks=1 '/[.] CHACHA20-POLY1305-HMAC-SHA256 /` + kopiaResult, prints: true},
		},
		test: []string{"./repo/hashing", "./repo/encryption"},
	},
	{
		name: "rclone", module: "github.com/rclone/rclone@v1.76.0", packages: []string{"."}, part: 2,
		vendorFlags: []string{"-ssh-window=33554432", "-ssh-buffer=262144"},
		setup:       `printf '[c]\ntype = crypt\nremote = %s/sealed\npassword = %s\n' "$PWD" "$("$BIN"-rclone obscure 'a password')" >config`,
		works: []work{
			{what: "crypt, encrypt SIZE", line: rclone + "file c:file"},
			{what: "crypt, decrypt SIZE", line: rclone + "c:file opened"},
		},
		cleanup: `cmp file opened`,
		// The tests in cmd/serve/sftp exchange files with a server that they start.
		test: []string{"./backend/crypt/...", "./backend/sftp", "./cmd/serve/sftp"}, skip: "^TestIntegration", reason: "needs servers in containers",
	},
	{
		name: "saltpack", module: "github.com/keybase/saltpack@v0.0.0-20260909171118-5bef7952e563", tests: "./basic",
		files: map[string]string{"basic/measured_test.go": saltpackBox},
		works: []work{{what: "seal and open a box of 16 KiB", line: `"$BIN".test -test.run=- -test.bench=^BenchmarkMeasuredBox$` + ns, prints: true}},
		test:  []string{"./..."},
	},
	{
		name: "kcp-go", module: "github.com/xtaci/kcp-go/v5@v5.7.5", tests: ".",
		works: []work{{what: "its benchmark Salsa20, a packet of 1500 bytes encrypted and decrypted", line: `"$BIN".test -test.run=- -test.benchtime=300ms -test.bench=^BenchmarkSalsa20$` + ns, prints: true}},
		test:  []string{"."},
	},
}

// sftpSetup starts OpenSSH's sshd for the current user and writes two scripts. "move"
// transfers the file with OpenSSH's sftp. "example" first starts the build's server,
// whose password is in its source. The server uses the defaults of x/crypto/ssh and
// therefore negotiates chacha20-poly1305@openssh.com.
const sftpSetup = `set -e
printf '#!/bin/sh\necho tiger\n' >askpass && chmod +x askpass
echo get file moved >get; echo put file moved >put
mkfifo listening
ssh-keygen -q -t ed25519 -N '' -f id_rsa
mkdir -p /run/sshd || true
printf '%s\n' 'Port 2023' 'ListenAddress 127.0.0.1' "HostKey $PWD/id_rsa" "AuthorizedKeysFile $PWD/id_rsa.pub" 'StrictModes no' \
	'UsePAM no' "PidFile $PWD/pid" 'PermitRootLogin yes' 'Subsystem sftp internal-sftp' >config
/usr/sbin/sshd -f "$PWD/config" >/dev/null 2>&1
until [ -s pid ]; do sleep 0.05; done
cat >move <<'E'
way=$1 port=$2
shift 2
exec sftp -q -oStrictHostKeyChecking=no -oUserKnownHostsFile=/dev/null -oBatchMode=no -P "$port" "$@" "127.0.0.1:$PWD" <"$way"
E
cat >example <<'E'
"$BIN"-go-sftp-server >listening 2>/dev/null &
exec 3<listening
read -r _ <&3
SSH_ASKPASS=$PWD/askpass SSH_ASKPASS_REQUIRE=force sh ./move "$1" 2022 -oUser=testuser -oPubkeyAuthentication=no
status=$?
kill $! 2>/dev/null
exit $status
E
`

// packets seals and opens packets in place, as wireguard-go does.
const packets = `package main

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
	const n = 600000
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

// saltpackBox is added to saltpack's key package, which has no benchmark of nacl/box
// with a precomputed key.
const saltpackBox = `package basic

import (
	"bytes"
	"testing"

	"github.com/keybase/saltpack"
	"golang.org/x/crypto/nacl/box"
)

func BenchmarkMeasuredBox(b *testing.B) {
	public, secret, err := box.GenerateKey(bytes.NewReader(make([]byte, 64)))
	if err != nil {
		b.Fatal(err)
	}
	key, text := NewSecretKey(public, secret), make([]byte, 16<<10)
	shared := key.Precompute(key.GetPublicKey())
	for range b.N {
		if _, err := shared.Unbox(saltpack.Nonce{}, shared.Box(saltpack.Nonce{}, text)); err != nil {
			b.Fatal(err)
		}
	}
}
`
