"""Modules use only those below them: the package, ipctk's interface on top of it, and the compiled module under both."""

import ast
import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from types import SimpleNamespace

import pytest

import stiction
from stiction._stiction import drop_in

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "python" / "stiction"
NATIVE = ROOT / "crates" / "stiction-py" / "src"
# From the bottom to the top. A new module goes where its imports allow.
ORDER = (
    "_stiction _coefficients _show _run _simulation _contact_report _mesh_input _dof_order _contact_arguments _contact_stiffness _contact_scene "
    "_contact_friction _contact_increment _ipc_contact _drop_in __init__ __main__"
).split()


def imported(source, package):
    """The modules of the package that a source in one of its folders imports, as (module, name) with full names; not for types alone."""
    for node in nodes(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((name.name, None) for name in node.names if name.name.split(".")[0] == "stiction")
        elif isinstance(node, ast.ImportFrom):
            folder = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            module = ".".join([*folder, *([node.module] if node.module else [])])
            if module.split(".")[0] == "stiction":
                yield from ((module, name.name) for name in node.names)


def nodes(tree):
    """All nodes but those that only type checkers see."""
    yield tree
    for child in ast.iter_child_nodes(tree):
        if not (isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"):
            yield from nodes(child)


def used(path, package):
    """The names of the modules in the same folder that a file imports."""
    for module, name in imported(path.read_text(), package):
        if module == package:
            # A module, or something that the package's own __init__ has.
            yield name if name and exists(path.parent / name) else "__init__"
        elif module.startswith(package + "."):
            yield module.removeprefix(package + ".").split(".")[0]


def exists(path):
    return path.is_dir() or path.with_suffix(".py").exists()


def test_modules_of_the_package_use_only_those_below():
    found = {path.stem for path in PACKAGE.glob("*.py")}
    assert found == set(ORDER) - {"_stiction"}, "name new modules in ORDER"
    for place, module in enumerate(ORDER[1:], 1):
        above = set(used(PACKAGE / f"{module}.py", "stiction")) - set(ORDER[:place])
        assert not above, f"{module}.py uses {sorted(above)}, which ORDER has above it"


def test_modules_of_the_drop_in_have_an_order():
    files = [path for path in (PACKAGE / "ipctk").glob("*.py") if path.stem != "__init__"]
    graph = {path.stem: set(used(path, "stiction.ipctk")) for path in files}
    assert not [module for module, below in graph.items() if "__init__" in below]
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"these use each other: {error.args[1]}")


def test_only_the_door_to_the_drop_in_names_it():
    for path in PACKAGE.glob("*.py"):
        text = path.read_text()
        assert not [module for module, _ in imported(text, "stiction") if module.startswith("stiction.ipctk")], path.name
        assert '"stiction.ipctk' not in text or path.stem == "_drop_in", path.name


def test_only_the_drop_in_uses_what_is_compiled_for_it():
    for path in PACKAGE.glob("*.py"):
        assert not uses_drop_in(path.read_text(), "stiction"), f"{path.name} uses stiction._stiction.drop_in"
    needed = set().union(*(attributes(path.read_text(), of="drop_in") for path in (PACKAGE / "ipctk").glob("*.py")))
    assert public(drop_in) <= needed, "compiled for stiction.ipctk, but it does not use them"


def uses_drop_in(source, package):
    """Whether a source in a folder of the package imports what is compiled for ipctk's interface, under any name, or asks for it."""
    paths = [f"{module}.{name}" if name else module for module, name in imported(source, package)]
    return any(f"{path}.".startswith("stiction._stiction.drop_in.") for path in paths) or "drop_in" in attributes(source)


def attributes(source, of=None):
    """All attributes that a source asks for, or those of one name."""
    found = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Attribute))
    return {node.attr for node in found if of is None or (isinstance(node.value, ast.Name) and node.value.id == of)}


def public(module):
    return {name for name in dir(module) if not name.startswith("_")}


def hidden(module):
    """Methods of the classes of a module whose names begin with one underscore."""
    names = {name for item in vars(module).values() if isinstance(item, type) for name in vars(item)}
    return {name for name in names if name.startswith("_") and not name.startswith("__")}


def test_all_else_that_is_compiled_is_for_everyone():
    own = set().union(*(attributes(path.read_text()) for path in PACKAGE.glob("*.py")))
    only_drop_in = (public(stiction._stiction) | hidden(stiction._stiction)) - set(stiction.__all__) - own - {"drop_in"}
    assert not only_drop_in, "not of the package: should they be in stiction._stiction.drop_in?"


def above_native(source):
    """The modules of the package above the compiled one that a Rust source imports, or has the names of in strings; not in comments."""
    code = re.sub(r"^\s*//.*$", "", source, flags=re.MULTILINE)
    imports = re.findall(r'\bimport\w*\(\s*(?:py\s*,\s*)?(?:intern!\(\s*\w+\s*,\s*)?"([^"]*)"', code)
    names = [*imports, *re.findall(r'"(stiction\.[^"]*)"', code)]
    return {name for name in names if re.match(r"stiction(\.|$)", name) and not re.match(r"stiction\._stiction(\.|$)", name)}


def test_the_compiled_module_imports_none_of_the_package():
    sources = {str(path.relative_to(NATIVE)): path.read_text() for path in NATIVE.rglob("*.rs")}
    assert "drop_in/mod.rs" in sources and "py.import(" in "".join(sources.values())
    wrong = {file: above_native(source) for file, source in sources.items()}
    assert not any(wrong.values()), {file: found for file, found in wrong.items() if found}


def test_steps_back_are_seen(tmp_path):
    for source, expected in [
        ("from . import _stiction", ["_stiction"]),
        ("from . import barrier_value", ["__init__"]),
        ("from ._ipc_contact import IPCContact", ["_ipc_contact"]),
        ("def f():\n    import stiction.ipctk._mesh", ["ipctk"]),
        ("from ._stiction import Contacts, Slides", ["_stiction", "_stiction"]),
        ("if TYPE_CHECKING:\n    from ._ipc_contact import IPCContact\n", []),
        ("import numpy", []),
    ]:
        file = tmp_path / "module.py"
        (tmp_path / "_stiction").mkdir(exist_ok=True)
        file.write_text(source)
        assert list(used(file, "stiction")) == expected
    inside = list(imported("from .. import _stiction\nfrom .._stiction import drop_in\nfrom ._mesh import X", "stiction.ipctk"))
    assert inside == [("stiction", "_stiction"), ("stiction._stiction", "drop_in"), ("stiction.ipctk._mesh", "X")]
    for source in (
        "from ._stiction import drop_in",
        "from ._stiction.drop_in import kind_counts",
        "import stiction._stiction.drop_in as d",
        "from . import _stiction\n_stiction.drop_in.kind_counts",
    ):
        assert uses_drop_in(source, "stiction"), source
    assert not uses_drop_in("from ._stiction import Contacts\nfrom ._drop_in import use_as_ipctk", "stiction")
    assert attributes("drop_in.replaced(other.of_contacts)", of="drop_in") == {"replaced"}
    assert hidden(SimpleNamespace(A=type("A", (), {"_a": 1, "b": 2}), _c=3)) == {"_a"}
    for source, expected in [
        ('py.import("stiction")?.getattr("Scene")', {"stiction"}),
        ('PyModule::import(py, "stiction.ipctk")?', {"stiction.ipctk"}),
        ('py.import(intern!(py, "stiction"))?', {"stiction"}),
        ('const NAME: &str = "stiction._simulation";', {"stiction._simulation"}),
        ('// py.import("stiction")', set()),
        ('py.import("stiction._stiction")?; py.import("stiction._stiction.drop_in")?; py.import("os")?; "stiction"', set()),
    ]:
        assert above_native(source) == expected, source
