"""Memory while a gigabyte goes up and comes down, measured in a process of its own for each kind of client."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BYTES = 1_000_000_000
MOST_MIB = 40

# Says by how much the peak of memory grew, in MiB. The file is no PDF: nobody reads it.
MEASURE = """
import asyncio, resource, sys
import carrel

path, size, kind = sys.argv[1], int(sys.argv[2]), sys.argv[3]
options = carrel.CallOptions(timeout=300)

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 * 1024 if sys.platform == "darwin" else 1024)

def blocking():
    with carrel.Carrel() as client:
        client.models.list()
        before = peak()
        file = client.files.upload(path, name="blocking.pdf", options=options)["files"][0]
        got = sum(map(len, client.files.download(file["id"])))
        client.files.delete(file["id"])
        return got, before

async def asynchronous():
    async with carrel.AsyncCarrel() as client:
        await client.models.list()
        before = peak()
        file = (await client.files.upload(path, name="async.pdf", options=options))["files"][0]
        got = 0
        async for chunk in await client.files.download(file["id"]):
            got += len(chunk)
        await client.files.delete(file["id"])
        return got, before

got, before = blocking() if kind == "blocking" else asyncio.run(asynchronous())
assert got == size, got
print(peak() - before)
"""


@unittest.skipIf(sys.platform == "win32", "its peak of memory is not told")
class Memory(unittest.TestCase):
    def test_stays_flat_while_a_gigabyte_goes_up_and_comes_down(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "big.pdf"
            with open(path, "wb") as file:
                file.truncate(BYTES)
            for kind in ("blocking", "async"):
                with self.subTest(kind=kind):
                    command = [sys.executable, "-c", MEASURE, str(path), str(BYTES), kind]
                    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
                    self.assertLess(int(told), MOST_MIB)


if __name__ == "__main__":
    unittest.main()
