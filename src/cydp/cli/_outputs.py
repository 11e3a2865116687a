# SPDX-License-Identifier: MIT
"""Files that a release is written to: prepared before the charge, and written whole or not at all.

Each is written to a temporary file in the same folder, which is renamed at the end.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from cydp._columns.file_errors import FileError
from cydp._columns.paths import named_files
from cydp.releases.output._files import finish_file, new_file

__all__ = ["Outputs", "Showing", "check_output"]

_TABLES = {".csv": "csv", ".parquet": "parquet", ".json": "json"}
_PICTURES = (".png", ".svg", ".pdf")


@dataclass(frozen=True, slots=True)
class Showing:
    """What is shown: a release, what was made of it, and how its errors are stated.

    Attributes
    ----------
    release : Release
    result : Release, or what post-processors made of it
    confidence : str or None
        None: 0.95.
    simultaneous : bool

    """

    release: Any
    result: Any
    confidence: str | None
    simultaneous: bool

    @property
    def level(self) -> str:
        """The confidence."""
        return self.confidence or "0.95"

    @property
    def text(self) -> str:
        """The result for people."""
        return str(self.result.to_text(self.level, simultaneous=self.simultaneous))

    @property
    def facts(self) -> dict[str, Any]:
        """The result as JSON can hold it."""
        return dict(self.result.to_dict(self.level))


@dataclass(slots=True)
class Outputs:
    """The files that a command writes. `prepare` makes it; leaving it removes what is unfinished.

    Attributes
    ----------
    files : list of (path, temporary file, function that writes)

    """

    files: list[tuple[Path, str, Callable[[Showing, str], None]]] = field(default_factory=list)

    @classmethod
    def prepare(cls, options: argparse.Namespace) -> Self:
        """Check all outputs, and make a temporary file for each.

        Raises
        ------
        ValueError
            For a name with an unknown suffix, and for a file that is named twice or is read.
        FileError
            If a file exists and ``--force`` is not given, if no file can be made in its folder, and
            if matplotlib is needed and missing.

        """
        wanted = [("--output", path, _writer_of(path)) for path in options.output]
        if options.plot is not None:
            wanted.append(("--plot", options.plot, _plotter_of(options.plot)))
        if options.certificate is not None:
            wanted.append(("--certificate", options.certificate, _write_certificate))
        if options.force and not wanted:
            raise ValueError("--force needs --output, --plot or --certificate")
        read = [*named_files(options.files), getattr(options, "keys", None), options.ledger]
        outputs, paths = cls(), set()
        try:
            for option, text, write in wanted:
                path = check_output(option, text, read, options.force)
                if path in paths:
                    raise ValueError(f"{option} must be another file: {text!r} is named twice")
                paths.add(path)
                outputs.files.append((path, _reserved(path, text), write))
        except BaseException:
            outputs.discard()
            raise
        return outputs

    def write(self, showing: Showing) -> None:
        """Write all files; a FileError says which one failed."""
        while self.files:
            path, draft, write = self.files[0]
            try:
                write(showing, draft)
                finish_file(draft, path)
            except (KeyboardInterrupt, SystemExit):
                raise
            except Exception as error:
                why = f": {error.strerror}" if isinstance(error, OSError) and error.strerror else ""
                raise FileError(f"cannot write {str(path)!r}{why}") from None
            self.files.pop(0)

    def discard(self) -> None:
        """Remove the temporary files of what was not written."""
        for _, draft, _ in self.files:
            with suppress(OSError):
                os.unlink(draft)
        self.files.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.discard()


def check_output(option: str, text: str, read: list[str | None], force: bool) -> Path:
    """Return the path of a file that may be written."""
    try:
        path = Path(text).absolute()
        str(path).encode()
        for other in read:
            if other is not None and path.exists() and os.path.samefile(path, other):
                raise ValueError(
                    f"{option} must be another file than those that are read: {text!r}"
                )
        if path.is_dir():
            raise FileError(f"{option} must be a file, and {text!r} is a folder")
        if os.path.lexists(path) and not force:
            raise FileError(f"{text!r} exists already: choose another name, or add --force")
    except (OSError, UnicodeEncodeError):
        raise FileError(f"cannot write {text!r}") from None
    return path.resolve()


def _reserved(path: Path, text: str) -> str:
    try:
        return new_file(path)
    except OSError as error:
        raise FileError(f"cannot write {text!r}: {error.strerror}") from None


def _writer_of(text: str) -> Callable[[Showing, str], None]:
    kind = _TABLES.get(Path(text).suffix.lower())
    if kind is None:
        raise ValueError(f"--output must be named *.csv, *.parquet or *.json, not {text!r}")
    if kind == "json":
        return _write_json

    def write(showing: Showing, draft: str) -> None:
        _write_table(showing, draft, kind)

    return write


def _plotter_of(text: str) -> Callable[[Showing, str], None]:
    if Path(text).suffix.lower() not in _PICTURES:
        raise ValueError(f"--plot must be named *.png, *.svg or *.pdf, not {text!r}")
    try:
        import matplotlib  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise FileError("--plot needs matplotlib: pip install 'cydp[plot]'") from None
    matplotlib.use("Agg")
    return _plot


def _plot(showing: Showing, draft: str) -> None:
    axes = showing.result.plot(confidence=showing.level, simultaneous=showing.simultaneous)
    axes.figure.savefig(draft, bbox_inches="tight", dpi=150)


def _write_json(showing: Showing, draft: str) -> None:
    Path(draft).write_text(showing.result.to_json(), encoding="utf-8")


def _write_certificate(showing: Showing, draft: str) -> None:
    import json

    text = json.dumps(showing.release.certificate(), indent=2)
    Path(draft).write_text(f"{text}\n", encoding="utf-8")


def _write_table(showing: Showing, draft: str, kind: str) -> None:
    """Write the columns of `to_pandas()`."""
    write = showing.result.to_csv if kind == "csv" else showing.result.to_parquet
    write(draft, overwrite=True, confidence=showing.level, simultaneous=showing.simultaneous)
