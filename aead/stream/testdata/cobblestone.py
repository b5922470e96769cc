#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright 2026 The unimac Authors
"""Opens streams that others sealed by pyca/cryptography's Cobblestone, and seals the same.

Usage: cobblestone.py CASES.json     A list of cases: Bits, Key and Context in hexadecimal
digits, and the names of three files: Plain, Sealed by others, and Resealed, to be written.
Needs the package cryptography, version 50 or newer."""
import json, sys
from cryptography import cobblestone

PIECE = 1 << 20

def run(work, data):  # an encryptor or a decryptor, in pieces
    return b"".join([work.update(data[i:i + PIECE]) for i in range(0, len(data), PIECE)] + [work.finalize()])

def refused(work, data):
    try: run(work, data)
    except Exception as e: return not isinstance(e, (TypeError, AttributeError))
    return False

def read(name):
    with open(name, "rb") as f: return f.read()

cases = json.load(open(sys.argv[1]))
for c in cases:
    seal, open_ = (getattr(cobblestone, f"Cobblestone{c['Bits']}{what}") for what in ("Encryptor", "Decryptor"))
    key, context = bytes.fromhex(c["Key"]), bytes.fromhex(c["Context"])
    plain, sealed = read(c["Plain"]), read(c["Sealed"])
    assert run(open_(key, context), sealed) == plain, f"{c['Sealed']}: not the plaintext"
    assert refused(open_(key, context + b"x"), sealed), f"{c['Sealed']}: opens with another context"
    assert refused(open_(key, context), sealed[:-1]), f"{c['Sealed']}: opens without its last byte"
    assert refused(open_(key, context), sealed + b"x"), f"{c['Sealed']}: opens with a byte more"
    with open(c["Resealed"], "wb") as f: f.write(run(seal(key, context), plain))
print(len(cases), "streams are as they should be")
