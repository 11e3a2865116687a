"""accounting/ledger/_path.py: one file has one name, and users of another name are refused.

SQLite names the WAL file after the path. The attacks run in real processes, and each tries to
charge 1 to a budget of 1 by a name of its own.
"""

import ctypes
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path

import pytest
from accounting.ledger.ledger_processes import child, ended, forked, new

from cydp import BudgetExceededError, BudgetLedger, LedgerError, PureDP
from cydp.accounting.ledger import _path
from cydp.accounting.ledger._store import FileStore

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]
linux = pytest.mark.skipif(sys.platform != "linux", reason="needs locks of open files")
NEW_NAMESPACE, BIND, PRIVATE = 0x20000, 0x1000, 0x44000  # CLONE_NEWNS, MS_BIND, MS_REC|MS_PRIVATE


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(_path, "_SETTLED", 0.2)  # other names here stay, whoever waits
    path = tmp_path / "ledger"
    new(path).close()
    return path


class User:
    """A process with a ledger, which does what it is told, one thing at a time."""

    def __init__(self, path: Path, prepare: Callable[[], object] = lambda: None) -> None:
        (told, self.tell), (self.hear, say) = os.pipe(), os.pipe()
        self.path = path
        self.ledger: BudgetLedger | None = None

        def work() -> None:
            prepare()
            while (order := os.read(told, 1)) != b"q":
                os.write(say, self.obey(order))

        self.process = forked(work)
        os.close(told)
        os.close(say)

    def obey(self, order: bytes) -> bytes:
        try:
            if order == b"o":
                self.ledger = BudgetLedger.open(self.path)
            elif self.ledger is None:
                return b"-"  # what could not be opened is not charged
            else:
                self.ledger.charge(PureDP(1))
        except BudgetExceededError:
            return b"x"
        except LedgerError as error:
            return b"m" if "mount point" in str(error) else b"n" if "name" in str(error) else b"e"
        return b"1"

    def do(self, order: str) -> str:
        """Open ("o") or charge ("c"): "1" if done, "x" for no budget; "n", "m": name, mount."""
        os.write(self.tell, order.encode())
        return os.read(self.hear, 1).decode()

    def end(self) -> None:
        os.write(self.tell, b"q")
        assert ended(self.process) == 0
        os.close(self.tell)
        os.close(self.hear)


def mounted(path: Path, there: Path) -> None:
    """Mount a file at another path, for this process alone."""
    libc = ctypes.CDLL(None, use_errno=True)
    for done in (
        libc.unshare(NEW_NAMESPACE),
        libc.mount(b"none", b"/", None, PRIVATE, None),
        libc.mount(os.fsencode(path), os.fsencode(there), None, BIND, None),
    ):
        if done != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def skip_unless_mounting_is_permitted(folder: Path) -> None:
    source, target = folder / "source", folder / "target"
    source.touch()
    target.touch()

    def work() -> None:
        try:
            mounted(source, target)
        except OSError as error:
            os._exit(error.errno)

    code = ended(forked(work))
    source.unlink()
    target.unlink()
    if code != 0:
        pytest.skip(f"mounting is not permitted: {os.strerror(code)}")


def test_a_hard_link(path: Path) -> None:
    other = path.with_name("other")
    os.link(path, other)
    users = [User(path), User(other)]
    assert [user.do("o") for user in users] == ["n", "n"]
    for user in users:
        user.end()
    other.unlink()
    with BudgetLedger.open(path) as ledger:
        ledger.charge(PureDP(1))


@pytest.mark.parametrize("when", ["before the first charge", "between two charges"])
def test_a_hard_link_to_an_open_ledger(path: Path, when: str) -> None:
    first, other = User(path), path.with_name("other")
    assert first.do("o") == "1"
    if when == "between two charges":
        assert first.do("c") == "1"
    os.link(path, other)
    second = User(other)
    assert (second.do("o"), first.do("c")) == ("n", "n")
    other.unlink()
    assert first.do("c") == ("1" if when == "before the first charge" else "x")
    for user in (first, second):
        user.end()
    with BudgetLedger.open(path) as ledger:
        ledger.verify()
        assert ledger.remaining == PureDP(0)


@linux
@pytest.mark.parametrize("charged", [False, True])
def test_a_ledger_that_is_moved_while_it_is_open(path: Path, charged: bool) -> None:
    """Its charges are in the WAL file of the old name, which a user of the new one cannot see."""
    first, other = User(path), path.with_name("other")
    orders = "oc" if charged else "o"
    assert {first.do(order) for order in orders} == {"1"}
    path.rename(other)
    second = User(other)
    assert (second.do("o"), first.do("c")) == ("n", "e")
    first.end()
    assert [second.do(order) for order in "oc"] == ["1", "x" if charged else "1"]
    second.end()
    with BudgetLedger.open(other) as ledger:
        ledger.verify()
        assert ledger.remaining == PureDP(0)


@linux
def test_a_charge_that_was_not_copied_before_its_ledger_was_moved(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signal may come between a charge and the copy of its WAL file into the ledger."""
    monkeypatch.setattr(FileStore, "_copy_wal", lambda _: None)
    ledger, other = BudgetLedger.open(path), path.with_name("other")
    ledger.charge(PureDP("1/4"))
    path.rename(other)
    ledger.close()
    with BudgetLedger.open(other) as moved:
        moved.verify()
        assert moved.spent == PureDP("1/4")


@linux
def test_a_ledger_that_was_moved_and_replaced_while_it_was_open(path: Path) -> None:
    """What is in the WAL file then belongs to the new file as much as to the old one: it stays."""
    first, copy = User(path), path.with_name("copy")
    copy.write_bytes(path.read_bytes())
    assert [first.do(order) for order in "oc"] == ["1", "1"]
    length = path.with_name("ledger-wal").stat().st_size
    path.rename(path.with_name("old"))
    copy.rename(path)
    assert first.do("c") == "e"
    first.end()
    assert path.with_name("ledger-wal").stat().st_size == length


@linux
def test_two_names_at_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lock by name alone: of two that open at once, at most one may charge."""
    monkeypatch.setattr(_path, "check_links", lambda *_: None)
    monkeypatch.setattr(_path, "wait_for_one_name", lambda *_: None)
    rounds, barrier = 16, get_context("fork").Barrier(2)
    names = [[path.with_name(f"{number}{name}") for name in "ab"] for number in range(rounds)]
    for one, other in names:
        new(one).close()
        os.link(one, other)
    read, write = os.pipe()

    def race(name: int) -> None:
        for number in range(rounds):
            barrier.wait()
            user = User.__new__(User)
            user.path, user.ledger = names[number][name], None
            said = user.obey(b"o"), user.obey(b"c")
            assert said in [(b"1", b"1"), (b"n", b"-")]
            if said == (b"1", b"1"):
                os.write(write, bytes([number]))
            barrier.wait()  # neither is closed before

    racers = [forked(lambda name=name: race(name)) for name in range(2)]  # type: ignore[misc]
    os.close(write)
    with open(read, "rb") as numbers:
        granted = numbers.read()
    assert [ended(racer) for racer in racers] == [0, 0]
    assert len(set(granted)) == len(granted)


@linux
@pytest.mark.parametrize("first", ["the file", "the mount"])
def test_a_mounted_file(path: Path, first: str) -> None:
    """As a container's volume of one file is: its other path is a mount point."""
    skip_unless_mounting_is_permitted(path.parent)
    there = path.with_name("there")
    there.touch()
    users = [User(path), User(there, lambda: mounted(path, there))]
    for user in users if first == "the file" else users[::-1]:
        assert user.do("o") == ("1" if user is users[0] else "m")
        assert user.do("c") == ("1" if user is users[0] else "-")
    for user in users:
        user.end()


@linux
def test_a_mounted_file_meets_the_lock_by_name(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even where the system does not tell what is mounted."""
    skip_unless_mounting_is_permitted(path.parent)
    monkeypatch.setattr(_path, "_MOUNTS", path.with_name("no such file"))
    there = path.with_name("there")
    there.touch()
    users = [User(path), User(there, lambda: mounted(path, there))]
    assert [user.do("o") for user in users] == ["1", "n"]
    for user in users:
        user.end()


@linux
def test_a_mounted_folder_is_one_name(path: Path) -> None:
    skip_unless_mounting_is_permitted(path.parent)
    there = path.parent / "folder"
    there.mkdir()
    users = [User(path), User(there / "ledger", lambda: mounted(path.parent, there))]
    assert [user.do("o") for user in users] == ["1", "1"]
    assert sorted(user.do("c") for user in users) == ["1", "x"]
    for user in users:
        user.end()


@linux
@pytest.mark.parametrize("name", ["ledger", "a b", "a\\b", "a\nb"])
def test_what_is_mounted_where(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As proc(5) says that it is written, with the last mount of a path on top."""
    folder = tmp_path / name
    folder.mkdir()
    path = folder / "ledger"
    written = str(folder)
    for letter, code in (("\\", "\\134"), (" ", "\\040"), ("\n", "\\012")):
        written = written.replace(letter, code)
    mounts = tmp_path / "mounts"
    monkeypatch.setattr(_path, "_MOUNTS", mounts)
    root = "27 1 254:0 / / rw,relatime shared:1 master:2 - ext4 /dev/vda rw\n"
    there = f"30 27 0:31 / {written} rw,relatime - %s server:/x rw\n"
    mounts.write_text(root + there % "nfs4" + there % "tmpfs")
    new(path).close()
    for kind in (
        "nfs4", "cifs", "fuse.sshfs", "9p", "fuse.drive", "fuse.blobfuse2", "fuse.juicefs",
        "wekafs", "drvfs", "fuse",
    ):  # fmt: skip
        mounts.write_text(root + there % "tmpfs" + there % kind)
        for call, file in ((BudgetLedger.open, path), (new, folder / "other")):
            with pytest.raises(LedgerError, match=f"kept on {kind}, which several machines"):
                call(file)
        mounts.write_text(root + (there % kind).replace(written, written + "x"))  # beside it
        BudgetLedger.open(path).close()
    mounts.write_text(root + (there % "ext4").replace(written, f"{written}/ledger"))
    for read_only in (False, True):
        with pytest.raises(LedgerError, match="is a mount point"):
            BudgetLedger.open(path, read_only=read_only)
    assert [file.name for file in folder.iterdir()] == ["ledger"]


NO_LOCKS = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>
int fcntl64(int fd, int cmd, ...) {
    va_list more;
    va_start(more, cmd);
    long given = va_arg(more, long);
    va_end(more);
    if (cmd == F_SETLK || cmd == F_SETLKW || cmd == F_OFD_SETLK || cmd == F_OFD_SETLKW) return 0;
    if (cmd == F_GETLK || cmd == F_OFD_GETLK) {
        ((struct flock*)given)->l_type = F_UNLCK;
        return 0;
    }
    return (int)syscall(SYS_fcntl, fd, cmd, given);
}
int fcntl(int fd, int cmd, ...) __attribute__((alias("fcntl64")));
"""


@linux
@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_a_file_system_without_locks_is_refused(tmp_path: Path, path: Path) -> None:
    """Lock calls that do nothing would let several processes charge at once."""
    source, library = tmp_path / "no_locks.c", tmp_path / "no_locks.so"
    source.write_text(NO_LOCKS)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    code = """
try:
    BudgetLedger.open(sys.argv[1]).charge(PureDP(1))
except LedgerError as error:
    print(error)
"""
    for before, expected in (([], ""), ([f"LD_PRELOAD={library}"], "keeps no locks")):
        there = tmp_path / f"ledger {len(before)}"
        new(there).close()
        said = child(code, str(there), before=("env", *before)).communicate()[0].decode()
        assert expected in said
        assert bool(said) == bool(expected)


def test_a_create_that_is_not_done_yet(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For a moment its file has two names: who opens it waits for the end of this."""
    draft = path.with_name("draft")
    os.link(path, draft)
    monkeypatch.setattr(_path.time, "sleep", lambda _: draft.unlink())
    with BudgetLedger.open(path) as ledger:
        ledger.charge(PureDP(1))
    assert not draft.exists()


LOOK = """
for _ in sys.stdin:
    BudgetLedger.open(sys.argv[1]).close()
    print("closed", flush=True)
"""


@linux
def test_descriptors_of_the_file_are_not_closed_while_it_is_in_use(path: Path) -> None:
    """To close one drops SQLite's locks: another process would delete the WAL file as unused."""
    ledger = BudgetLedger.open(path)
    ledger.charge(PureDP(0.25))

    def opened() -> int:
        names = map(os.path.realpath, Path("/proc/self/fd").iterdir())
        return sum(name.startswith(str(path)) for name in names)

    counts = set()
    look = child(LOOK, str(path))  # the last one to close it, perhaps
    assert look.stdin is not None
    assert look.stdout is not None
    for _ in range(3):
        others = [BudgetLedger.open(path), BudgetLedger.open(path)]
        for other in others:
            other.close()
        counts.add(opened())
        look.stdin.write(b"\n")
        look.stdin.flush()
        assert look.stdout.readline() == b"closed\n"
        assert ledger.spent == PureDP(0.25)
    look.communicate()
    assert len(counts) == 1  # they are used again
    ledger.close()
    assert opened() == 0


def test_a_removed_file_of_sqlites(path: Path) -> None:
    """Without the shared memory, another process would not see the locks of this one."""
    for suffix in ("-wal", "-shm"):
        ledger = BudgetLedger.open(path)
        Path(f"{path}{suffix}").unlink()
        with pytest.raises(LedgerError, match="replaced or removed"):
            ledger.charge(PureDP(0.5))
        ledger.close()
        with sqlite3.connect(path) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        connection.close()
