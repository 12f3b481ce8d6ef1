"""Write the generated pages of docs/reference and the scripts of completions/: python docs/generate.py"""

from pathlib import Path

from rescene_cli.cli.reference import generated
from rescene_cli.cli.shells import script

ROOT = Path(__file__).parents[1]

for name, text in generated().items():
    (ROOT / "docs" / "reference" / name).write_text(text, "utf-8")
for shell, name in {"bash": "rescene.bash", "zsh": "_rescene", "fish": "rescene.fish"}.items():
    (ROOT / "completions" / name).write_text(script(shell), "utf-8")
