// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package selftest

import (
	"bytes"
	"encoding/hex"
	"fmt"

	"github.com/unimac/unimac/multimac"
)

// A multimacAnswer is the tag of a list. All are in hexadecimal digits.
type multimacAnswer struct {
	key1, key2 string
	inputs     []string
	tag        string
}

// multimacAnswers are from testdata, one for each size of a tag.
var multimacAnswers = []multimacAnswer{
	{
		key1:   "6579eacb1654264d672584bf0a83e862149ab8e365ca3198b7ed4740945c6dc3",
		key2:   "25bdb5757a96c69af108c4082cf5aed3e1aa7951aaa0046d69a7595de2c446ea",
		inputs: []string{"eb57", "9756", "802e3f80", "35d377a9f024b4519aa80b7c0768f9beabc338e43c955cf3297cd8bc6a1fe86f102e8fb7dfb3"},
		tag:    "ea686cfa648860f1bb524f46a49383a81438b33e644bcaa85168c6af249c0a71",
	},
	{
		key1:   "728045c5cc812eff071f9dfc786f02f4be0c444ceac201fddaf3332f7e2113a8637f60b5f7d94cab6484f50c57d7d20f",
		key2:   "cef2dac93ab2773aee68623a7e378c6ae0d682f2016fbcd7aff74414f1cf338813ecf38b568f0cee2ff8a40add358e37",
		inputs: []string{"af8b", "0dde", "b5ab393a", "b568cc073f3ab1bf20cb7aa988b6c38e9811df0ba7f5adbe531ef70547dcb52ee791cfe72ad6"},
		tag:    "1212406b6d9c3889211abe14d0cff0272f7f3e3b0435361f74ac4fd0a6e3fb834add64b90d5209661f2780a0f6f094d4",
	},
	{
		key1:   "73927c4e88c8b4d57bc663c988e321dc418ee2373324ff19984cb7a4a56f8f3dbe726abd98a7a7ae43ee1b1cb9e84c4632f90dca9be8de37fd053a3cf5475280",
		key2:   "61bdf0ae0199a4d74b1268a70b2d367cb87cf87c6d0247bccb97e34061813888ca14714d211e41e6420c46e582c9c096d5ece4ba4cb8e150224167a690b43337",
		inputs: []string{"61e8", "93d5", "3451fb84", "c745f5f0388b9dd5d35560eded0917232756a0557d00e5bcaba9d167b66094488ca61a1980ff"},
		tag:    "c13ddc8dadb1b80fd2b093c9ac3670d203b19ed17335d45b34682f0868765eca0150f151ff71aaea3d34c0ad144dbcf324191e0632b64133e7d78857c9c4f0f4",
	},
}

func testMultiMAC() error {
	for _, a := range multimacAnswers {
		tag, _ := hex.DecodeString(a.tag)
		key1, _ := hex.DecodeString(a.key1)
		key2, _ := hex.DecodeString(a.key2)
		key, err := multimac.NewKey(key1, key2)
		if err != nil {
			return err
		}
		var inputs [][]byte
		m := key.New()
		for _, digits := range a.inputs {
			input, _ := hex.DecodeString(digits)
			inputs = append(inputs, input)
			m.Write(input[:1])
			m.Write(input[1:])
			m.Next()
		}
		twice := append(bytes.Clone(tag), tag...)
		if !bytes.Equal(key.Sum(nil, inputs...), tag) || !key.Verify(tag, inputs...) ||
			!bytes.Equal(key.SumBatch(nil, inputs, inputs), twice) || !m.Verify(tag) {
			return fmt.Errorf("tag of %d bytes of %d inputs: %w", len(tag), len(inputs), errWrongAnswer)
		}
	}
	return nil
}
