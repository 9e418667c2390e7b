#!/usr/bin/env python3
"""Compare the quality figures with floors.json; fail when one is below its floor.

    check_floors.py OUT [--write]

OUT holds score.json and structure.json. `leak` is a ceiling, all else are floors. --write raises
the floors to the figures (it never lowers one).
"""

import argparse
import json
import sys
from pathlib import Path

FLOORS = Path(__file__).with_name("floors.json")
DIGITS = 4
# Rounding of the means, nothing else: reading is deterministic.
MARGIN = 0.0005


def figures(out: Path) -> dict[str, float]:
    score = json.loads((out / "score.json").read_text())
    overall = score["overall"]
    found = {"ALL": overall["f1"], "macro": overall["macro_f1"]}
    found |= {kind: row["f1"] for kind, row in score["types"].items()}
    found |= {"good": overall["good"], "leak": overall["leak"]}
    structure = json.loads((out / "structure.json").read_text())
    found |= {"kept": structure["kept"], "marked": structure["marked"]}
    return {name: round(value, DIGITS) for name, value in found.items()}


def is_better(name: str, value: float, floor: float) -> bool:
    return value <= floor if name == "leak" else value >= floor


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    found = figures(args.out)
    floors = json.loads(FLOORS.read_text()) if FLOORS.exists() else {}
    below = []
    print(f"{'':<14}{'now':>8}{'floor':>8}")
    for name, value in found.items():
        floor = floors.get(name, value)
        slack = MARGIN if name == "leak" else -MARGIN
        is_fine = is_better(name, value, floor + slack)
        print(f"{name:<14}{value:>8.4f}{floor:>8.4f}{'' if is_fine else '  below its floor'}")
        if not is_fine:
            below.append(name)
        if is_better(name, value, floor):
            floors[name] = value
    if args.write:
        FLOORS.write_text(json.dumps(floors, indent=1) + "\n")
    if below:
        sys.exit(f"below their floors: {', '.join(below)}")


if __name__ == "__main__":
    main()
