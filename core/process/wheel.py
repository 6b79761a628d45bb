"""The wheel of this Bubblescope, built from a checkout or put together from an installation."""

from __future__ import annotations

import base64
import hashlib
import subprocess
import sys
import zipfile
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from core.message import message
from core.paths import PROJECT_ROOT
from core.version import VERSION

PROJECT_FILE = PROJECT_ROOT / "pyproject.toml"
WHEEL = f"bubblescope-{VERSION}-py3-none-any.whl"
# Files that an installer adds to the wheel's files; RECORD is written again.
_INSTALLERS = ("INSTALLER", "REQUESTED", "RECORD", "direct_url.json")


def make_wheel(folder: Path) -> Path:
    """Write the wheel into a folder and return its path. Raises OSError with a one-line message."""
    if PROJECT_FILE.is_file():
        return _built(folder)
    try:
        return repacked(distribution("bubblescope"), folder)
    except PackageNotFoundError as error:
        raise OSError(message("this Bubblescope is not installed: there is no wheel")) from error


def repacked(installed: Distribution, folder: Path) -> Path:
    """Write the wheel that an installation was made from, and return its path."""
    path = folder / WHEEL
    records = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in installed.files or ():
            # The command `bubblescope` is outside the packages; the installer makes it again.
            is_outside = ".." in file.parts
            is_made_here = "__pycache__" in file.parts or file.name in _INSTALLERS
            if is_outside or is_made_here:
                continue
            data = Path(str(file.locate())).read_bytes()
            archive.writestr(str(file), data)
            digest = hashlib.sha256(data).digest()
            encoded = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
            records.append(f"{file},sha256={encoded},{len(data)}\n")
        record = f"bubblescope-{VERSION}.dist-info/RECORD"
        archive.writestr(record, "".join([*records, f"{record},,\n"]))
    return path


def _built(folder: Path) -> Path:
    words = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--no-deps"]
    # The build tools are installed with the checkout's tests. An isolated build would download
    # them.
    words += ["--no-build-isolation", "--wheel-dir", str(folder), str(PROJECT_ROOT)]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True)
    path = folder / WHEEL
    if done.returncode or not path.is_file():
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        reason = lines[-1] if lines else message("pip produced no wheel")
        raise OSError(message("the wheel cannot be built: {reason}", reason=reason))
    return path
