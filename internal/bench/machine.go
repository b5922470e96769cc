// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/unimac/unimac/internal/bench/peer/crate"
	"github.com/unimac/unimac/internal/bench/peer/ipsecmb"
	"github.com/unimac/unimac/internal/bench/peer/nettle"
	"github.com/unimac/unimac/internal/bench/peer/openssl"
	"github.com/unimac/unimac/internal/bench/peer/rust"
	"github.com/unimac/unimac/internal/bench/peer/sodium"
	"github.com/unimac/unimac/internal/cpu"
)

// machineName names the processor, by what the system says of it.
func machineName() string {
	info, _ := os.ReadFile("/proc/cpuinfo")
	return processor(string(info)) + features()
}

// processor finds the processor's name in the text of /proc/cpuinfo. Virtual
// machines may have one that tells little; the numbers tell the rest.
func processor(info string) string {
	values := map[string]string{}
	for line := range strings.Lines(info) {
		key, value, _ := strings.Cut(line, ":")
		if key = strings.TrimSpace(key); values[key] == "" {
			values[key] = strings.TrimSpace(value)
		}
	}
	name := values["model name"]
	if name == "" {
		return runtime.GOARCH
	}
	if values["cpu family"] != "" {
		name += fmt.Sprintf(" (family %s, model %s)", values["cpu family"], values["model"])
	}
	return name
}

// features names what our kernels find.
func features() string {
	var names []string
	for _, f := range cpu.Features() {
		if f.Available {
			names = append(names, f.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return ", " + strings.Join(names, " ")
}

// peerModules are the modules of Go that are peers.
var peerModules = map[string]string{
	"golang.org/x/crypto":          "x/crypto",
	"lukechampine.com/blake3":      "lukechampine.com/blake3",
	"github.com/minio/highwayhash": "minio/highwayhash",
}

// versions names the system and everyone who is measured.
func versions() string {
	all := []string{
		runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH,
		"nettle " + nettle.Version(),
		"OpenSSL " + openssl.Version(),
		"libsodium " + sodium.Version(),
	}
	if ipsecmb.Available {
		all = append(all, "intel-ipsec-mb "+ipsecmb.Version())
	}
	all = append(all, "multimixer-128 "+crate.Version, rust.Versions)
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if name := peerModules[m.Path]; name != "" {
				all = append(all, name+" "+m.Version)
			}
		}
	}
	return strings.Join(all, ", ")
}
