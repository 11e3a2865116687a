"""Check the SBOM of a wheel against the schema of CycloneDX, and print the wheel's size."""

import sys
import zipfile
from pathlib import Path

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

wheel = Path(sys.argv[1])
archive = zipfile.ZipFile(wheel)
(name,) = (name for name in archive.namelist() if ".dist-info/sboms/" in name)
error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(archive.read(name).decode())
print(f"{wheel.name}: {wheel.stat().st_size:,} bytes; {name}: {error or 'valid'}")
sys.exit(error is not None)
