// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package selftest

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/unimac/unimac/aead"
	"github.com/unimac/unimac/aead/stream"
)

// A streamAnswer is a stream, the key it opens under and what is in it, in
// hexadecimal digits.
type streamAnswer struct{ key, msg, file string }

// streamAnswers are from testdata. The salt of a stream is random, so they can be
// opened alone; more comes from sealing and opening.
var streamAnswers = []streamAnswer{
	{"9c7bd9f9ab9401d0fc5afa6c6a6b72e70c712ef1ebc6e8c719c5615762455c73", "", "756e696d6163310a4804fa95db2c7bedfc55980b2d99a116464b76ced5ebea3e3cbf78f1821eac7cbc89258db3d8e6ee4943385be4e74a562f622f3bf81fdc13"},
	{"a5e4defb05c76eb144d8f7319c48e0eadfc68b7494213d1eb705e43a8ba4740e", "e4", "756e696d6163310a3887d55b315b7efb51caa93f7f895d41155863b793de3611014a5128486aa71d7598197ffc6df33e640e21fc1aa86d1dbaff112f42571088a5"},
	{"de90504923f9dd71630755337e44841b0117aa54735bde50cf8dfef63a3ac0ce", "", "756e696d6163310c688b6e64ee00d9593b546da0d11e4796e680c605bf553a773f0d574661fdb9afca0fbbcb6a1c7f40e39b3295aaf64b4b0d024ef402f4164d"},
	{"f3fb7284bd4d63ec86715b3f4916643d075d73221a54cae16fde295adb23bc51", "62", "756e696d6163310cad0069d137762481d8254f035471c15da9aa7b59fff959cd7f6c0b775212d478c68ba11c6d6e43210603da59893be4e85b11ed06b52c9541fb"},
	{"3fd35db740a3fca6061df48ecafbd8483c46db75892ede6051ad80a5e8c3cea7", "", "756e696d6163311061b2a0ed2d41988acf6620dc4226756a10d184ef2c257bc2a754fb4e293e46c9b76963876b14f4d304db079b79adf6af4c918b4aca8b7ac3"},
	{"ba81678421ce6f5516d98a4374481bb9fb9658c34774371f215e3ae20f8167bc", "11", "756e696d616331101df2bfa393e0c99d551f0167d030198842395fb566497d5f705f1f1d88c6b6d855276ec193d6a80062ecfdbc5f8518fc146086373e30f44f8b"},
}

func testStream() error {
	for _, a := range streamAnswers {
		key, _ := hex.DecodeString(a.key)
		msg, _ := hex.DecodeString(a.msg)
		file, _ := hex.DecodeString(a.file)
		opened, err := openStream(file, key)
		if err != nil || !bytes.Equal(opened, msg) {
			return fmt.Errorf("stream of %d bytes: %w", len(file), errWrongAnswer)
		}
		at, err := stream.NewReaderAt(bytes.NewReader(file), int64(len(file)), key)
		if err != nil || at.Size() != int64(len(msg)) {
			return fmt.Errorf("stream of %d bytes, at random: %w", len(file), errWrongAnswer)
		}
	}
	key, msg := pattern(aead.KeySize), pattern(1<<20+1)
	var file bytes.Buffer
	w, err := stream.NewWriter(&file, key)
	if err != nil {
		return err
	}
	for at := 0; at < len(msg); at += pieceSize {
		w.Write(msg[at:min(at+pieceSize, len(msg))])
	}
	if err := w.Close(); err != nil {
		return err
	}
	opened, err := openStream(file.Bytes(), key)
	if err != nil || !bytes.Equal(opened, msg) {
		return fmt.Errorf("stream of %d bytes: %w", file.Len(), errWrongAnswer)
	}
	file.Bytes()[file.Len()/2] ^= 1
	if _, err := openStream(file.Bytes(), key); !errors.Is(err, stream.ErrAuth) {
		return fmt.Errorf("changed stream of %d bytes: %w", file.Len(), errWrongAnswer)
	}
	return nil
}

func openStream(file, key []byte) ([]byte, error) {
	r, err := stream.NewReader(bytes.NewReader(file), key)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}
