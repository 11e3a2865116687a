# SPDX-License-Identifier: MIT
"""The path of a ledger: where the file may be, and whether all users have one name for it.

SQLite names the WAL file after the path. Users of one file by two names would have two WAL files,
and each would spend the whole budget: https://www.sqlite.org/howtocorrupt.html, 2.4 and 2.5.
"""

from __future__ import annotations

import hashlib
import os
import re
import struct
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from cydp.accounting._errors import LedgerError

__all__ = ["Hold", "check_length", "check_links", "check_place", "read_path", "wait_for_one_name"]

if sys.platform == "linux":
    import fcntl
else:
    fcntl: Any = None  # no other system has the locks that are used here

_LIKE_AN_ADDRESS = re.compile(r"://|^\s*postgres\w*[+:]|password\s*=", re.IGNORECASE)
_MOUNTS = Path("/proc/self/mountinfo")  # of Linux, see proc(5)
# Several machines may use one file on shared, each machine with its own caches and locks.
_SHARED_BY_MACHINES = frozenset((
    "9p", "afs", "beegfs", "ceph", "cifs", "coda", "drvfs", "fuse", "fuse.blobfuse2", "fuse.ceph",
    "fuse.ceph-fuse", "fuse.drive", "fuse.gcsfuse", "fuse.glusterfs", "fuse.grpcfuse",
    "fuse.juicefs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs", "fuse.vmhgfs-fuse", "gfs2", "gpfs",
    "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "orangefs", "prl_fs", "smb3", "smbfs", "vboxsf",
    "virtiofs", "wekafs"
))  # fmt: skip
_LONGEST_PATH = 512  # bytes: MAX_PATHNAME of SQLite on systems like Unix
_SETTLED = 1.0  # seconds in which a `create` of another process has removed the name of its draft

# Offsets of the bytes that are locked, which no file reaches. SQLite's own locks are at 2^30.
_NAME_LOCKS = 2**62
_SQLITE_SHARED = (2**30 + 2, 510)  # https://www.sqlite.org/src/file/src/os.h, SHARED_FIRST
_FLOCK = "hhqqi"  # struct flock: type, whence, start, length, pid


def read_path(path: str | os.PathLike[str]) -> Path:
    """Return the path of a file on a disk; TypeError or ValueError for anything else."""
    text = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(text, str):
        raise TypeError(f"path must be text or a path, not {type(text).__name__}")
    if _LIKE_AN_ADDRESS.search(text):  # which may have a password, so that it is not shown
        raise ValueError(
            "path must be that of a file on a disk, or an address that begins with postgresql://"
        )
    if text in ("", ":memory:") or text.startswith("file:"):
        raise ValueError(f"path must be that of a file on a disk, not {text[:40]!r}")
    return Path(text)


def check_place(path: Path) -> None:
    """Raise a LedgerError for a mount point, and for a file system that several machines share.

    Where the system does not list its mount points, nothing is refused.
    """
    name, kind, longest = os.fsencode(path), "", -1
    for point, kind_of_point in _mounts():
        if point == name:
            raise LedgerError(
                f"{path} is a mount point: SQLite would keep its other files beside each name of "
                "the file, and each would be a budget of its own; mount the folder instead"
            )
        if len(point) >= longest and name.startswith(point.rstrip(b"/") + b"/"):
            kind, longest = kind_of_point, len(point)
    if kind in _SHARED_BY_MACHINES:
        raise LedgerError(
            f"no ledger can be kept on {kind}, which several machines may share: {path}; use a "
            "disk of this machine"
        )


def check_length(path: Path) -> None:
    """Raise a LedgerError for a path that SQLite could not open with its suffixes."""
    longest = len("-journal")
    limits = [(len(os.fsencode(path)), _LONGEST_PATH, "path")]
    with suppress(AttributeError, OSError, ValueError):  # the system does not say
        name_max = os.pathconf(path.parent, "PC_NAME_MAX")
        limits.append((len(os.fsencode(path.name)), name_max, "name"))
    for length, limit, what in limits:
        if length + longest > limit:
            raise LedgerError(
                f"no ledger can be made here: its {what} has {length:,} bytes, and SQLite needs "
                f"{longest} more for its other files, of {limit:,} in all; use a shorter {what}"
            )


def _mounts() -> Iterator[tuple[bytes, str]]:
    """Yield each mount point and the type of its file system."""
    try:
        lines = _MOUNTS.read_bytes().split(b"\n")
    except OSError:
        return
    for line in lines:
        mount, _, system = line.partition(b" - ")
        fields = mount.split(b" ")
        if len(fields) > 4:
            point = re.sub(rb"\\([0-7]{3})", lambda code: bytes([int(code[1], 8)]), fields[4])
            yield point, system.split(b" ")[0].decode(errors="replace")


def check_links(path: Path, links: int) -> None:
    """Raise a LedgerError for a file that has several names."""
    if links > 1:
        raise LedgerError(
            f"{path} has {links} names (hard links), and each would be a budget of its own: keep "
            "one; `create`, if it was killed, leaves another name in a folder .ledger-... beside "
            "the ledger, which you may delete"
        )


def wait_for_one_name(path: Path) -> None:
    """Let a `create` that is under way remove its draft; LedgerError if the other names stay."""
    end = time.monotonic() + _SETTLED
    while (links := os.stat(path).st_nlink) > 1 and time.monotonic() < end:
        time.sleep(0.005)
    check_links(path, links)


class _Descriptors:
    """The descriptors of one file in this process, which are closed together.

    If one descriptor of a file is closed, the locks that SQLite holds on the file by another
    descriptor are dropped.
    """

    def __init__(self) -> None:
        self.users: set[Hold] = set()
        self.spare: list[int] = []


_files: dict[tuple[int, int], _Descriptors] = {}
_changing = threading.RLock()  # guards the dict; a finalizer may interrupt the thread that holds it


class Hold:
    """A descriptor of a ledger's file. Its locks show who uses the file by another name.

    The locks belong to the open file (OFD locks, see fcntl(2)), at offsets beyond SQLite's. Each
    user read-locks one byte, which stands for folder and name, and looks for locks on all other
    bytes: the second of two users sees the first. Where the system has no such locks, other names
    are not noticed.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor = -1
        found = os.stat(path)
        self._inode = found.st_dev, found.st_ino

    def take(self) -> None:
        """Open the file and lock its name; LedgerError if it is in use by another name."""
        if sys.platform != "linux":
            return
        with _changing:
            shared = _files.get(self._inode) or _Descriptors()
            shared.users.add(self)
            _files[self._inode] = shared
            self._descriptor = shared.spare.pop() if shared.spare else self._open()
        folder = os.stat(self._path.parent)
        name = f"{folder.st_dev} {folder.st_ino} ".encode() + os.fsencode(self._path.name)
        mine = _NAME_LOCKS + 1 + int.from_bytes(hashlib.sha256(name).digest()[:7])
        if not self._lock(fcntl.F_RDLCK, mine, 1):
            return
        for start, length in (
            (_NAME_LOCKS, mine - _NAME_LOCKS),
            (mine + 1, 0),
        ):  # 0: all that follow
            request = struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, start, length, 0)
            answer = fcntl.fcntl(self._descriptor, fcntl.F_OFD_GETLK, request)
            if struct.unpack(_FLOCK, answer)[0] != fcntl.F_UNLCK:
                raise LedgerError(
                    f"{self._path} is in use by another name, or by the name that it had before "
                    "it was moved: each name would be a budget of its own; close the ledger "
                    "everywhere, and then use one name"
                )

    def check_locks(self) -> None:
        """Raise a LedgerError unless this object sees the lock that SQLite's connection holds.

        Some file systems grant every lock, to all who ask: processes would charge at once.
        """
        if sys.platform != "linux":
            return
        request = struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, *_SQLITE_SHARED, 0)
        try:
            answer = fcntl.fcntl(self._descriptor, fcntl.F_OFD_GETLK, request)
        except OSError:  # the system has no such locks
            return
        if struct.unpack(_FLOCK, answer)[0] != fcntl.F_RDLCK:
            raise LedgerError(
                f"no ledger can be kept here: the file system of {self._path} keeps no locks, so "
                "that several users would charge at once, or this process has read the file and "
                "closed it while it used the ledger, which drops its locks; use a disk of this "
                "machine, and leave the file to the ledger"
            )

    def share(self) -> bool:
        """Take the lock of SQLite's readers: while it is held, no WAL file is deleted.

        Return False if the system has no such locks. BlockingIOError while the last user of the
        ledger copies the WAL file and deletes it.
        """
        return sys.platform == "linux" and self._lock(fcntl.F_RDLCK, *_SQLITE_SHARED)

    def release(self) -> None:
        """Release the locks, and close the file if nothing else in this process uses it."""
        if self._descriptor >= 0 and sys.platform == "linux":
            self._lock(fcntl.F_UNLCK, 0, 0)
        with _changing:
            shared = _files.get(self._inode)
            if shared is None or self not in shared.users:
                return
            # If a signal interrupts here, the descriptor stays open, which is harmless. To have it
            # twice among the spare descriptors would be harmful.
            descriptor, self._descriptor = self._descriptor, -1
            if descriptor >= 0:
                shared.spare.append(descriptor)
            shared.users.discard(self)
            if not shared.users:
                while shared.spare:
                    os.close(shared.spare.pop())
                _files.pop(self._inode, None)

    def _open(self) -> int:
        descriptor = os.open(self._path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        found = os.fstat(descriptor)
        inode = found.st_dev, found.st_ino
        if inode != self._inode:
            if inode in _files:
                _files[inode].spare.append(descriptor)
            else:
                os.close(descriptor)
            raise LedgerError(
                f"{self._path} was replaced or removed while it was opened: open it again"
            )
        return descriptor

    def _lock(self, kind: int, start: int, length: int) -> bool:
        """Lock or unlock bytes; False if the system has no such locks."""
        request = struct.pack(_FLOCK, kind, os.SEEK_SET, start, length, 0)
        try:
            fcntl.fcntl(self._descriptor, fcntl.F_OFD_SETLK, request)
        except BlockingIOError:
            raise
        except OSError:
            return False
        return True
