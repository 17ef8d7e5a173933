"""A certificate that nobody but the tests vouches for."""

import subprocess
from pathlib import Path
from typing import NamedTuple


class Certificate(NamedTuple):
    """Files: the key with the certificate; the certificate alone; a folder of it by its hash."""

    pair: Path
    public: Path
    folder: Path


def self_signed(folder: Path, *names: str) -> Certificate:
    """Make a certificate for 127.0.0.1 and some names, valid for two days."""
    key, public, pair = folder / "key.pem", folder / "public.pem", folder / "pair.pem"
    alternatives = ",".join(["IP:127.0.0.1", *(f"DNS:{name}" for name in names)])
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    _openssl("req", "-x509", *curve, "-keyout", key, "-out", public, "-days", "2",
             "-subj", "/CN=receipts test", "-addext", f"subjectAltName={alternatives}")  # fmt: skip
    pair.write_bytes(key.read_bytes() + public.read_bytes())
    hashed = folder / "by-hash"
    hashed.mkdir()
    name = _openssl("x509", "-hash", "-noout", "-in", public).strip()
    (hashed / f"{name}.0").write_bytes(public.read_bytes())
    return Certificate(pair, public, hashed)


def _openssl(*arguments: str | Path) -> str:
    command = ["openssl", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
