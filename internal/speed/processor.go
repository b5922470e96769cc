// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package speed

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// Processor names the processor, by what the system says of it.
func Processor() string {
	info, _ := os.ReadFile("/proc/cpuinfo")
	return processor(string(info))
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
	name := strings.NewReplacer("(R)", "", "(TM)", "").Replace(values["model name"])
	if name == "" {
		return runtime.GOARCH
	}
	if values["cpu family"] != "" {
		name += fmt.Sprintf(" (family %s, model %s)", values["cpu family"], values["model"])
	}
	return name
}
