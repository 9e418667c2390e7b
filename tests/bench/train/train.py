#!/usr/bin/env python3
"""Train the scorer of blocks, with five folds over domains.

    cargo build --release -p trawls-content --example dump_blocks
    pip install -r tests/bench/train/requirements.txt
    tests/bench/train/train.py CORPUS [--work target/train]

The rows come from the reader's own code (`dump_blocks`). Written are `crates/content/src/
main_content/model.bin`, trained on all pages, and `tests/bench/folds/`: per fold the model that
has not seen the fold's sites, and `folds.json`, which says where each page belongs.
`bench_quality` reads the corpus with these, so its figures are cross-validated.
"""

import argparse
import hashlib
import json
import struct
import subprocess
from multiprocessing import Pool
from pathlib import Path

import lightgbm
import numpy

from labels import WORD, label_page

ROOT = Path(__file__).resolve().parents[3]
MODEL = ROOT / "crates/content/src/main_content/model.bin"
FOLDS = ROOT / "tests/bench/folds"
FOLD_COUNT = 5
# Blocks to train on; the others count too little to pay for their time.
SAMPLE = 110_000
LEAF = 0xFFFF
TREES = 150
PARAMETERS = {
    "objective": "cross_entropy",
    "learning_rate": 0.1,
    # Thresholds drawn at random: pages are few, and the best thresholds fit single pages.
    "extra_trees": True,
    "num_leaves": 31,
    "min_data_in_leaf": 60,
    "min_sum_hessian_in_leaf": 0.3,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "max_bin": 63,
    "use_missing": False,
    "force_col_wise": True,
    "deterministic": True,
    # On a busy machine two threads spend their time waiting for each other.
    "num_threads": 1,
    "seed": 1,
    "verbose": -1,
}


def fold_of(page: str, domain: str) -> int:
    return int(hashlib.sha256((domain or page).encode()).hexdigest(), 16) % FOLD_COUNT


def weights(words: numpy.ndarray, reference: int) -> numpy.ndarray:
    """F1 counts pages alike and words within a page: a block weighs its share of the page's words.
    Pages with much boilerplate may weigh more, as far as it could drown the content."""
    total = float(words.sum())
    content = float(reference or total)
    size = max(30.0, 0.7 * content + 0.3 * min(total, 3 * content + 1))
    return numpy.minimum((words + 0.5) / size, 1.0)


def sample(weight: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Blocks drawn by their weight, and the weights that make up for it."""
    low, high = 0.0, 1000.0
    for _ in range(40):
        scale = (low + high) / 2
        if numpy.minimum(1, weight * scale).sum() > SAMPLE:
            high = scale
        else:
            low = scale
    chance = numpy.minimum(1, weight * scale)
    drawn = numpy.flatnonzero(numpy.random.default_rng(1).random(len(weight)) < chance)
    scaled = weight[drawn] / chance[drawn]
    return drawn, scaled / scaled.mean()


def forest_bytes(booster: lightgbm.Booster, width: int) -> bytes:
    """The file that `main_content/forest.rs` reads."""
    trees = booster.dump_model()["tree_info"]
    out = [struct.pack("<IIf", width, len(trees), 0.0)]
    for tree in trees:
        nodes: list[tuple] = []

        def add(node: dict) -> int:
            index = len(nodes)
            nodes.append((LEAF, 0, node.get("leaf_value", 0.0)))
            if "split_feature" in node:
                add(node["left_child"])
                nodes[index] = (node["split_feature"], add(node["right_child"]), node["threshold"])
            return index

        add(tree["tree_structure"])
        out.append(struct.pack("<H", len(nodes)))
        out += [struct.pack("<HHf", *node) for node in nodes]
    return b"".join(out)


def load(corpus: Path, work: Path):
    """Rows, labels, weights and fold of each block, and each page's fold."""
    domains = json.loads((corpus / "metadata.json").read_text())["files"]
    dump = [json.loads(line) for line in (work / "blocks.jsonl").open()]
    with Pool() as pool:
        labelled = pool.map(label_page, [(d["page"], d["texts"], str(corpus)) for d in dump], chunksize=8)
    labels, weight, folds, fold_by_page = [], [], [], {}
    for page, (name, page_labels, _, reference) in zip(dump, labelled):
        fold = fold_of(name, domains.get(name, {}).get("domain", ""))
        words = numpy.array([len(WORD.findall(text)) for text in page["texts"]], dtype=float)
        labels += page_labels
        weight.append(weights(words, reference))
        folds += [fold] * len(words)
        fold_by_page[name] = fold
    rows = numpy.fromfile(work / "rows.bin", dtype="<f4").reshape(len(labels), -1)
    return rows, numpy.array(labels), numpy.concatenate(weight), numpy.array(folds), fold_by_page


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--work", type=Path, default=ROOT / "target/train")
    args = parser.parse_args()
    dump = ROOT / "target/release/examples/dump_blocks"
    subprocess.run([dump, args.corpus, args.work], check=True)
    rows, labels, weight, folds, fold_by_page = load(args.corpus, args.work)
    drawn, drawn_weight = sample(weight)
    data = lightgbm.Dataset(rows[drawn], labels[drawn], weight=drawn_weight, params=PARAMETERS, free_raw_data=False)
    data.construct()
    FOLDS.mkdir(exist_ok=True)
    for fold in range(FOLD_COUNT):
        others = data.subset(numpy.flatnonzero(folds[drawn] != fold))
        booster = lightgbm.train(PARAMETERS, others, TREES)
        (FOLDS / f"fold{fold}.bin").write_bytes(forest_bytes(booster, rows.shape[1]))
    (FOLDS / "folds.json").write_text(json.dumps(fold_by_page))
    MODEL.write_bytes(forest_bytes(lightgbm.train(PARAMETERS, data, TREES), rows.shape[1]))


if __name__ == "__main__":
    main()
