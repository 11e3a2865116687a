# SPDX-License-Identifier: MIT
"""Where the file of a ledger may be, and that all its users know it by one name.

SQLite names the WAL file after the path. Users of one file by two names would have two WAL files,
and each would spend the budget anew: https://www.sqlite.org/howtocorrupt.html, 2.4 and 2.5.
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
from pathlib import Path

from cydp.accounting._errors import LedgerError

__all__ = ["Hold", "check", "check_links", "wait_for_one_name"]

if sys.platform == "linux":
    import fcntl

_MOUNTS = Path("/proc/self/mountinfo")  # of Linux, see proc(5)
# Several machines may use one file of these, each with caches and locks of its own.
_SHARED_BY_MACHINES = frozenset((
    "9p", "afs", "beegfs", "ceph", "cifs", "coda", "fuse.ceph", "fuse.ceph-fuse", "fuse.gcsfuse",
    "fuse.glusterfs", "fuse.grpcfuse", "fuse.rclone", "fuse.s3fs", "fuse.sshfs",
    "fuse.vmhgfs-fuse", "gfs2", "gpfs", "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "orangefs",
    "prl_fs", "smb3", "smbfs", "vboxsf", "virtiofs"
))  # fmt: skip
_SETTLED = 1.0  # seconds in which a `create` of another process removes its draft's name

# Bytes that are locked, of which no file has that many. SQLite's own locks are at 2^30.
_NAMES = 2**62
_SQLITE_SHARED = (2**30 + 2, 510)  # https://www.sqlite.org/src/file/src/os.h, SHARED_FIRST
_FLOCK = "hhqqi"  # struct flock: type, whence, start, length, pid


def check(path: Path) -> None:
    """Raise a LedgerError for a mount point, and for a file system that several machines share.

    Nothing is refused where the system does not tell what is mounted.
    """
    name, kind, longest = os.fsencode(path), "", -1
    for point, its_kind in _mounts():
        if point == name:
            raise LedgerError(
                f"{path} is a mount point: SQLite would keep its other files beside each name of "
                "the file, and each would be a budget of its own; mount the folder instead"
            )
        if len(point) >= longest and name.startswith(point.rstrip(b"/") + b"/"):
            kind, longest = its_kind, len(point)
    if kind in _SHARED_BY_MACHINES:
        raise LedgerError(
            f"no ledger can be kept on {kind}, which several machines may share: {path}; use a "
            "disk of this machine"
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
    """The descriptors of one file in this process, which are closed all at once or not at all.

    To close any descriptor of a file drops the locks that SQLite holds on it by another one.
    """

    def __init__(self) -> None:
        self.users: set[Hold] = set()
        self.spare: list[int] = []


_files: dict[tuple[int, int], _Descriptors] = {}
_changing = threading.RLock()  # the dict; a finalizer may interrupt the thread that holds it


class Hold:
    """A descriptor of a ledger's file, by whose locks the users of another name are noticed.

    The locks belong to the open file (OFD locks, see fcntl(2)), and lie beyond SQLite's. Each user
    read-locks one byte, which stands for folder and name, and looks for locks on all others: of
    two users, the later one sees the earlier one. Where the system has no such locks, nothing is
    noticed by them.
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
            these = _files.get(self._inode) or _Descriptors()
            these.users.add(self)
            _files[self._inode] = these
            self._descriptor = these.spare.pop() if these.spare else self._opened()
        folder = os.stat(self._path.parent)
        name = f"{folder.st_dev} {folder.st_ino} ".encode() + os.fsencode(self._path.name)
        mine = _NAMES + 1 + int.from_bytes(hashlib.sha256(name).digest()[:7])
        if not self._lock(fcntl.F_RDLCK, mine, 1):
            return
        for start, length in ((_NAMES, mine - _NAMES), (mine + 1, 0)):  # 0: all that follow
            asked = struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, start, length, 0)
            met = fcntl.fcntl(self._descriptor, fcntl.F_OFD_GETLK, asked)
            if struct.unpack(_FLOCK, met)[0] != fcntl.F_UNLCK:
                raise LedgerError(
                    f"{self._path} is in use by another name, or by the name that it had before "
                    "it was moved: each name would be a budget of its own; close the ledger "
                    "everywhere, and then use one name"
                )

    def share(self) -> bool:
        """Take the lock of SQLite's readers, as long as which no WAL file is deleted.

        Return False if the system has no such locks. BlockingIOError while the last user of the
        ledger copies the WAL file and deletes it.
        """
        return sys.platform == "linux" and self._lock(fcntl.F_RDLCK, *_SQLITE_SHARED)

    def release(self) -> None:
        """Let go of the locks, and close the file when nobody in this process uses it."""
        if self._descriptor >= 0 and sys.platform == "linux":
            self._lock(fcntl.F_UNLCK, 0, 0)
        with _changing:
            these = _files.get(self._inode)
            if these is None or self not in these.users:
                return
            # A signal that interrupts here leaves it open, which harms nothing: to have it twice
            # among the spare ones would.
            descriptor, self._descriptor = self._descriptor, -1
            if descriptor >= 0:
                these.spare.append(descriptor)
            these.users.discard(self)
            if not these.users:
                while these.spare:
                    os.close(these.spare.pop())
                _files.pop(self._inode, None)

    def _opened(self) -> int:
        descriptor = os.open(self._path, os.O_RDONLY | os.O_NONBLOCK)
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
        asked = struct.pack(_FLOCK, kind, os.SEEK_SET, start, length, 0)
        try:
            fcntl.fcntl(self._descriptor, fcntl.F_OFD_SETLK, asked)
        except BlockingIOError:
            raise
        except OSError:
            return False
        return True
