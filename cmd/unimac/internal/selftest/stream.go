// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package selftest

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/unimac/unimac/aead/stream"
)

// A streamAnswer is a stream, the key and the additional data that it opens with,
// and what is in it, in hexadecimal digits.
type streamAnswer struct {
	format               stream.Format
	key, data, msg, file string
}

// streamAnswers are from testdata. The salt of a stream is random, so they can be
// opened alone; more comes from sealing and opening.
var streamAnswers = []streamAnswer{
	{stream.UnimacV2, "9c7bd9f9ab9401d0fc5afa6c6a6b72e70c712ef1ebc6e8c719c5615762455c73", "", "", "756e696d6163320a4804fa95db2c7bedfc55980b2d99a116464b76ced5ebea3e0874785aed294ac442fe6bb2481ad8011b41ffce60d0afabe96633d2b42de8e9cf39f997a088ed2ccc750b085249613025afa8d27f84045043c3897497fbf6b9"},
	{stream.UnimacV2, "3887d55b315b7efb51caa93f7f895d41155863b793de36118b30cfe7aabf40e1", "bbe3560e678cd77b04c01bdd8d7ab6a3e0", "f4", "756e696d6163320ae4f05eaa0f5b8e8d9c1e5b20dc0cde48bbfc9a3a113cd30049bd7e00229eb165bb6a8663ffe678961c5cb89be2dfe509f5a2a7c98a40e71f3233698a09ec25b3483d7629a8cb78e0494b51142265d6270bc0c142a0e359afb8"},
	{stream.UnimacV2, "4bc26974642165de7dbc4cbac2077ebef1460996ad68f4dc95ff2f3a4dad5738", "", "", "756e696d6163320ca2cdf1102452c942f2459e0068adf4a588c79e92b2a7d96d0b3c415fa6a3cccedf7bbbd6eabd913e049d975f8e83f01a465df6e680d32aea30e9a6ddff307a0cdc226cba1ffca9186fe9d0f096382185901352e663311fe4"},
	{stream.UnimacV2, "40ddc282cacf78826bd10c1d693fecf27749abb4c4e13992e7b393873574cb65", "8d45db1b0f2b10edfa9dd87151429f390b", "2d", "756e696d6163320c5b6fa26577c04c54ae038c9a8fdcb4c33df13425d18d2e007ee8008a851f9cbe73adcadd2e2159682b6c08c28757a973631697804bed068fa810bee2ebf4bcb88bd2d0df064f972811ddbf862d378c332585307f4e863044c4"},
	{stream.UnimacV2, "cf348df3a27fe7cc95ce78d4ba17dc593b70c8dcbec80a24cb8d3e1745867e73", "", "", "756e696d6163321058245131fbe73dfb69a1103ba73aad2faa51241293393757c86b9f00e4af40dd9bb0666b68c6d608f6d0789e4379cd3da6dd8ff8a9c5f3554b90dab6be5cedc73999850582bd32f83a52e94656be0aabd97668513f575a5e"},
	{stream.UnimacV2, "6f10a5624150fa604694231cb4378ea150c9cb9ebd0cf5d694fa288b6b178829", "acd0e41e902581c0582e5ca0c51e95ef21", "c1", "756e696d61633210fb6d6f28732c380cf0ea33721dc8e91fa44817ac03c95dd7930341187cb8329370ebd6d3b3e0d4ba67630fe04d87fa8eec768796db9bd32cf5b9e13f928d1deac806cb9d3eb9f9ed42739e549f7e4cc2fbc9fd18b2a774f1fd"},
	{stream.Cobblestone128, "155a59c23655c156eaf54bfdc5b2556e", "", "", "e2488a3fc300472fc440feb332ae22cfac491538b1a887b4fbddf83db2f85afcd74ea39c502050d435a274646324233b21ba5acba7f8912a9bf1620a5b4ebb99ab9d545e5cdca715"},
	{stream.Cobblestone128, "318c9c67c70864585fceee4b18d94f0c", "12fa54aa13", "54", "96be04d77bbe18d153acbc14ebf2d07258e346de9724dd78b520fef3aebdc689bfeaec62aee1eece6f63ee4426c925fb7c31ce07bb3b5c56f2343db04b0f229a146230ad41678209d7"},
	{stream.Cobblestone256, "262b0c7943cf85bcb6fbf176abe57b1e0ed4c2cc6407ba75b8e68d81606c348d", "", "", "91b942dd6c53fe9da75283b91b8317dc444ee3f2c3406d6780858bcf5ba2b5732911238d7b01a23702b14af7d7fcf1371ea0730662207d4b11311721b0abfcff7530077687fd60c9"},
	{stream.Cobblestone256, "dec4cd05f01765b6c1ba2f4d52727298fcb4113600b035147723e47119341d48", "0cc507612c", "77", "b3b90c29f9b9739431fca6e5599d5585a09d586cfb32cb6b930da4989267dccf4bffa010a7bff93f1017aea95833144beeb65a57c8860b9c9770cf6c92e1a2ca15da7fd9a450f62b0f"},
	{stream.ChunkedChaCha20Poly1305, "e7803ce6fd990542bac67e338e9b5a2cf43b0cf1bd03dca4a335d1c2083fb486", "", "", "28b0b0dbbc21e6f7fbbe624d6a1016c856359bdce24c55d618878a4c7829b3d65f2b4ba27c5840001aeebc7796584bb45bec3938ab34de8cdc2866033bc31ce2ca4b8b749b272c80"},
	{stream.ChunkedChaCha20Poly1305, "d373d94d6b0d8e5c6464acc391351d83cfeedcd1872a1732825185f88e31406d", "94d3dc21a0", "4b", "44e0e5f1cb1bd9c9980132fda80638ef70a2c63307346e4fd3f124750626de28d9c86fedbc12b38ee050e69131c5f4268b50677ca6d7d3cbc76569398bc0a7db96cb0c969f3479e3bb"},
}

func testStream() error {
	for _, a := range streamAnswers {
		key, _ := hex.DecodeString(a.key)
		data, _ := hex.DecodeString(a.data)
		msg, _ := hex.DecodeString(a.msg)
		file, _ := hex.DecodeString(a.file)
		options := stream.Options{AdditionalData: data, Format: a.format}
		opened, err := openStream(options, file, key)
		if err != nil || !bytes.Equal(opened, msg) {
			return fmt.Errorf("stream of %d bytes: %w", len(file), errWrongAnswer)
		}
		at, err := options.NewReaderAt(bytes.NewReader(file), int64(len(file)), key)
		if err != nil || at.Size() != int64(len(msg)) {
			return fmt.Errorf("stream of %d bytes, at random: %w", len(file), errWrongAnswer)
		}
	}
	for _, f := range []stream.Format{stream.UnimacV2, stream.Cobblestone128, stream.Cobblestone256, stream.ChunkedChaCha20Poly1305, stream.ChunkedAEGIS256X2} {
		if err := testFormat(stream.Options{Format: f}); err != nil {
			return fmt.Errorf("%v: %w", f, err)
		}
	}
	return nil
}

// testFormat seals and opens a long stream.
func testFormat(options stream.Options) error {
	key, msg := pattern(options.Format.KeySize()), pattern(1<<20+1)
	var file bytes.Buffer
	w, err := options.NewWriter(&file, key)
	if err != nil {
		return err
	}
	for at := 0; at < len(msg); at += pieceSize {
		w.Write(msg[at:min(at+pieceSize, len(msg))])
	}
	if err := w.Close(); err != nil {
		return err
	}
	opened, err := openStream(options, file.Bytes(), key)
	if err != nil || !bytes.Equal(opened, msg) {
		return fmt.Errorf("stream of %d bytes: %w", file.Len(), errWrongAnswer)
	}
	file.Bytes()[file.Len()/2] ^= 1
	if _, err := openStream(options, file.Bytes(), key); !errors.Is(err, stream.ErrAuth) {
		return fmt.Errorf("changed stream of %d bytes: %w", file.Len(), errWrongAnswer)
	}
	return nil
}

func openStream(options stream.Options, file, key []byte) ([]byte, error) {
	r, err := options.NewReader(bytes.NewReader(file), key)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}
