"""Checks the name of a wheel and what is in it: scripts/check_wheel.py target/wheels/*.whl"""

import re
import sys
import zipfile
from pathlib import Path

TREE = Path(__file__).parents[1] / "python" / "stiction"


def complaints(wheel: Path) -> list[str]:
    """What is wrong with a wheel."""
    found = []
    if not re.fullmatch(r"stiction-[0-9.]+-cp310-abi3-\w+\.whl", wheel.name):
        found.append(f"{wheel.name} is not for every Python from 3.10 on (cp310-abi3)")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        scripts = "".join(archive.read(name).decode() for name in names if name.endswith("/entry_points.txt"))
    wanted = {f"stiction/{path.relative_to(TREE)}" for path in TREE.rglob("*") if path.suffix in (".py", ".pyi", ".typed")}
    found += [f"{name} is missing" for name in sorted(wanted - set(names))]
    compiled = [name for name in names if name.endswith((".so", ".pyd", ".dylib"))]
    if len(compiled) != 1 or not compiled[0].startswith("stiction/_stiction"):
        found.append(f"expected one compiled module, found {compiled}")
    licences = [name for name in names if "LICENSE" in name]
    if len(licences) != 2:
        found.append(f"expected two licences, found {licences}")
    strays = [name for name in names if not re.match(r"stiction/|stiction-[^/]*\.(dist-info|libs|sboms)/", name) or "test" in name]
    found += [f"{name} does not belong there" for name in strays]
    if "stiction=stiction.__main__:main" not in scripts.replace(" ", ""):
        found.append("there is no command stiction")
    return found


def main(paths: list[str]) -> int:
    """Says what is wrong with the wheels, of which there must be one."""
    if len(paths) != 1:
        print(f"expected one wheel, found {paths}", file=sys.stderr)
        return 1
    wrong = complaints(Path(paths[0]))
    for complaint in wrong:
        print(complaint, file=sys.stderr)
    if not wrong:
        print(f"{paths[0]}: {Path(paths[0]).stat().st_size / 1e6:.1f} MB")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
