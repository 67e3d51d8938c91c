"""Keeps the half of a file's records that training may see; the other half is measured with (scripts/bench/redaction.ts).

usage: half.py IN.jsonl.zst OUT.jsonl.zst
"""
import subprocess, sys, zlib

source, target = sys.argv[1:3]
lines = subprocess.run(["zstdcat", source], capture_output=True).stdout.split(b"\n")
kept = b"".join(line + b"\n" for line in lines if line and zlib.crc32(line) % 2 == 0)
subprocess.run(["zstd", "-q", "-f", "-o", target], input=kept, check=True)
