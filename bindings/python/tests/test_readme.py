"""The examples of the READMEs and of the guide run as they are pasted."""

import pathlib
import re

import pytest

HERE = pathlib.Path(__file__).resolve().parent.parent
ROOT = HERE.parent.parent


@pytest.mark.parametrize("readme", [HERE / "README.md", ROOT / "README.md", ROOT / "docs/src/python.md"])
def test_examples_run(readme, capsys):
    blocks = re.findall(r"^```python\n(.*?)^```", readme.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert blocks
    for block in blocks:
        if ("einsum" in block and "A=graph" in block) or "to_scipy" in block:
            pytest.importorskip("scipy")
        for module in re.findall(r"^(?:import|from) (scipy|networkx)", block, re.MULTILINE):
            pytest.importorskip(module)
        if 'backend="pleach"' in block:
            # The backend is found by what an installed package says of itself.
            import networkx

            if "pleach" not in networkx.utils.backends.backends:
                pytest.skip("the package is not installed")
        exec(compile(block, str(readme), "exec"), {})
    capsys.readouterr()
