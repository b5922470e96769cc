// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package record

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
)

// generations maps CPUID's family and model to the name of the processor's generation.
var generations = map[string]string{
	"6 85": "Intel Skylake or Cascade Lake", "6 106": "Intel Ice Lake", "6 108": "Intel Ice Lake", "6 143": "Intel Sapphire Rapids",
	"6 151": "Intel Alder Lake", "6 154": "Intel Alder Lake", "6 167": "Intel Rocket Lake", "6 173": "Intel Granite Rapids", "6 207": "Intel Emerald Rapids",
	"23 49": "AMD Zen 2, EPYC 7002", "25 1": "AMD Zen 3, EPYC 7003", "25 17": "AMD Zen 4, EPYC 9004", "25 33": "AMD Zen 3, Ryzen 5000",
	"25 97": "AMD Zen 4, Ryzen 7000", "25 160": "AMD Zen 4c, EPYC 97x4", "26 2": "AMD Zen 5, EPYC 9005", "26 17": "AMD Zen 5c, EPYC 9005", "26 68": "AMD Zen 5, Ryzen 9000",
}

// Processor returns the inferred name of the processor's generation and CPUID's report.
func Processor() (name, system string) {
	info, _ := os.ReadFile("/proc/cpuinfo")
	return processor(string(info))
}

// rapids names three generations that no CPUID feature reliably distinguishes. Only
// Granite Rapids has AMX-FP16, but a hypervisor may hide this feature.
const rapids = "Intel Sapphire/Emerald/Granite Rapids"

// processor parses the text of /proc/cpuinfo. A hypervisor may replace the processor's
// name. One hypervisor reports model 167 (Rocket Lake) and AVX512-FP16, which Rocket
// Lake lacks.
func processor(info string) (name, system string) {
	values := map[string]string{}
	for line := range strings.Lines(info) {
		key, value, _ := strings.Cut(line, ":")
		if key = strings.TrimSpace(key); values[key] == "" {
			values[key] = strings.TrimSpace(value)
		}
	}
	flags := strings.Fields(values["flags"])
	system = cmp.Or(strings.NewReplacer("(R)", "", "(TM)", "").Replace(values["model name"]), runtime.GOARCH)
	if values["cpu family"] != "" {
		virtual := ""
		if slices.Contains(flags, "hypervisor") {
			virtual = ", virtual machine"
		}
		system += fmt.Sprintf(" (family %s, model %s%s)", values["cpu family"], values["model"], virtual)
	}
	name = generations[values["cpu family"]+" "+values["model"]]
	if name == "Intel Rocket Lake" && slices.Contains(flags, "avx512_fp16") {
		name = rapids
	}
	return cmp.Or(name, system), system
}

// Now returns the current date and the commit of the working directory.
func Now() (date, commit string) {
	head, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		head = []byte("unknown")
	}
	return time.Now().UTC().Format(time.DateOnly), strings.TrimSpace(string(head))
}
