#!/usr/bin/env python3
"""How well `quality.confidence` predicts a page's F1: by tenths of the pages, the mean of both.

    calibration.py OUT

OUT holds quality.json and score.json.
"""

import json
import sys
from pathlib import Path

TENTHS = 10


def main() -> None:
    out = Path(sys.argv[1])
    quality = json.loads((out / "quality.json").read_text())
    pages = json.loads((out / "score.json").read_text())["pages"]
    pairs = sorted((quality[name]["confidence"], page["f1"]) for name, page in pages.items())
    print(f"{'tenth':<7}{'confidence':>11}{'F1':>8}")
    error = 0.0
    for tenth in range(TENTHS):
        part = pairs[len(pairs) * tenth // TENTHS : len(pairs) * (tenth + 1) // TENTHS]
        confidence, f1 = (sum(column) / len(part) for column in zip(*part))
        error += abs(confidence - f1) * len(part) / len(pairs)
        print(f"{tenth + 1:<7}{confidence:>11.3f}{f1:>8.3f}")
    print(f"mean calibration error {error:.3f}")


if __name__ == "__main__":
    main()
