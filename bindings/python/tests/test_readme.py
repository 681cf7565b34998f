"""The examples of the READMEs run as they are pasted."""

import pathlib
import re

import pytest

HERE = pathlib.Path(__file__).resolve().parent.parent


@pytest.mark.parametrize("readme", [HERE / "README.md", HERE.parent.parent / "README.md"])
def test_examples_run(readme, capsys):
    blocks = re.findall(r"^```python\n(.*?)^```", readme.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert blocks
    for block in blocks:
        if ("einsum" in block and "A=graph" in block) or "to_scipy" in block:
            pytest.importorskip("scipy")
        exec(compile(block, str(readme), "exec"), {})
    capsys.readouterr()
