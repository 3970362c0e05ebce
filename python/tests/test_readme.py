"""The Python example of the README runs."""

from pathlib import Path


def test_readme_example():
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    code = readme.split("```python\n")[1].split("```")[0]
    names = {}
    exec(code, names)  # noqa: S102
    assert names["energy"] > 0
    assert names["force"][2, 1] > 0
    assert names["friction"][2, 0] < 0
    assert names["step"] == 1.0
