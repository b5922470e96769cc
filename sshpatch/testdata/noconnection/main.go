// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Command noconnection calls Register and Accelerate, but no function of x/crypto/ssh.
package main

import (
	"fmt"

	"github.com/unimac/unimac/sshpatch"
)

func main() { fmt.Println(sshpatch.Register(), sshpatch.Accelerate()) }
