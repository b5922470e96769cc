// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package xcrypto_test

import (
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/unimac/unimac/xcrypto"
)

// A test like this in a program that keeps a copy in its folder xcrypto fails as soon
// as go.mod requires another release of x/crypto.
func ExampleCheck() {
	if err := xcrypto.Check("no-such-folder"); errors.Is(err, xcrypto.ErrOutdated) {
		log.Fatal(err) // explains how to update the copy
	} else if errors.Is(err, os.ErrNotExist) {
		fmt.Println("there is no copy")
	}
	// Output:
	// there is no copy
}
