#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright 2026 The unimac Authors
"""Usage: stream.py VECTORS.json

Checks test vectors of unimac stream v2, such as testdata/stream.json, with an independent
implementation of FORMAT.md. It needs the package cryptography, for ChaCha20."""
import hashlib, hmac, json, sys
if __name__ == "__main__" and len(sys.argv) != 2: sys.exit(__doc__)
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms

ENC = b"ChaCha20-BLAKE2b 07/12/2021 20:40 ChaCha20.Encrypt()"
MAC = b"ChaCha20-BLAKE2b 07/12/2021 20:41 BLAKE2b.KeyedHash()"

def le(n, size): return n.to_bytes(size, "little")
def blake2b(size, key, *parts): return hashlib.blake2b(b"".join(parts), digest_size=size, key=key).digest()
def kdf(size, key, context, salt=b""): return blake2b(size, key, salt, context, le(len(salt), 4), le(len(context), 4))

def chacha20(key, nonce, text):  # the block counter's 8 bytes, from 0, then the nonce
    return Cipher(algorithms.ChaCha20(key, bytes(8) + nonce), None).encryptor().update(text)

def tag(key, nonce, text): return blake2b(32, kdf(64, key, MAC, nonce), text, le(0, 4), le(len(text), 4))
def nonce(index, final): return index.to_bytes(7, "big") + bytes([final])

def header(key, e, salt, ad):
    head = b"unimac2" + bytes([e]) + salt
    derived = blake2b(64, key, b"unimac stream v2", head, ad, le(len(ad), 8))
    return head + derived[32:], derived[:32]

def seal(key, e, salt, ad, plaintext):
    out, file_key = header(key, e, salt, ad)
    out, enc, count = [out], kdf(32, file_key, ENC), max(1, -(-len(plaintext) // 2**e))
    for i in range(count):
        n = nonce(i, i == count - 1)
        text = chacha20(enc, n, plaintext[i << e:(i + 1) << e])
        out += [text, tag(file_key, n, text)]
    return b"".join(out)

def open_(key, ad, file):
    if file[:7] != b"unimac2" or len(file) < 64 + 32 or not 10 <= file[7] <= 24:
        raise ValueError("no stream")
    want, file_key = header(key, file[7], file[8:32], ad)
    if not hmac.compare_digest(want, file[:64]):
        raise ValueError("wrong key or additional data")
    out, enc, stride = [], kdf(32, file_key, ENC), 2**file[7] + 32
    count = -(-(len(file) - 64) // stride)
    for i in range(count):
        chunk, n = file[64 + i * stride:64 + (i + 1) * stride], nonce(i, i == count - 1)
        text = chunk[:-32]
        if len(chunk) < 32 or not hmac.compare_digest(tag(file_key, n, text), chunk[-32:]) or (not text and i > 0):
            raise ValueError(f"chunk {i} is not authentic")
        out.append(chacha20(enc, n, text))
    return b"".join(out)

if __name__ == "__main__":
    tests = json.load(open(sys.argv[1]))["tests"]
    for i, t in enumerate(tests):
        key, salt, ad = (bytes.fromhex(t[name]) for name in ("key", "salt", "ad"))
        n = t["msg"].get("pattern", 0)
        message = bytes.fromhex(t["msg"].get("hex", "")) or (bytes(range(251)) * (n // 251 + 1))[:n]
        file = seal(key, t["chunkLog2"], salt, ad, message)
        assert hashlib.sha256(file).hexdigest() == t["fileSHA256"] and t.get("file", file.hex()) == file.hex(), f"test {i}: sealed"
        assert open_(key, ad, file) == message, f"test {i}: opened"
        for at in (0, 7, 8, 40, 64, len(file) - 1):  # a changed byte anywhere
            try: open_(key, ad, file[:at] + bytes([file[at] ^ 1]) + file[at + 1:])
            except ValueError: continue
            assert False, f"test {i}: byte {at} changed, and it opens"
    assert len(tests) > 0
    print(len(tests), "streams are correct")
