"""Labels for the trainer: how much of each block stands in the page's reference text.

A block's words are aligned with the reference in order (longest common subsequence), so that of
two blocks with the same words only the one at the right place counts. Matches must be contiguous:
single words that happen to fit do not make content. What stands elsewhere in the reference is then
found by runs of four words.
"""

import gzip
import json
import re

WORD = re.compile(r"\w+")
MAX_CELLS = 4_000_000_000  # of the alignment; beyond it the page's end is not aligned
CONTENT = 0.5
MIN_MOVED_WORDS = 6
MIN_MOVED_SHARE = 0.7


def align(page: list[str], reference: list[str]) -> list[int]:
    """For each word of the page its position in the reference, or -1 (bit-parallel LCS)."""
    width = len(reference)
    full = (1 << width) - 1
    masks: dict[str, int] = {}
    for position, word in enumerate(reference):
        masks[word] = masks.get(word, 0) | (1 << position)
    state, states = full, []
    for word in page:
        mask = masks.get(word, 0)
        if mask:
            both = state & mask
            state = ((state + both) | (state - both)) & full
        states.append(state)
    found = [-1] * len(page)
    row, column = len(page), width
    while row and column:
        if (states[row - 1] >> (column - 1)) & 1:
            column -= 1
            continue
        row -= 1
        if not (row and not (states[row - 1] >> (column - 1)) & 1):
            column -= 1
            found[row] = column
    return found


def hits(match: list[int]) -> list[int]:
    return [position for position in match if position >= 0]


def share_of_long(match: list[int]) -> float:
    """Share of the words whose match continues that of the word before or after."""
    last = len(match) - 1
    good = sum(
        1
        for i, at in enumerate(match)
        if at >= 0 and ((i and match[i - 1] == at - 1) or (i < last and match[i + 1] == at + 1))
    )
    return good / len(match)


def share_of_short(matches: list[list[int]], index: int, starts: set[int], ends: set[int]) -> float:
    """One or two words count if they are a line of the reference or touch their neighbours' words."""
    found = hits(matches[index])
    if len(found) != len(matches[index]) or (len(found) == 2 and found[1] != found[0] + 1):
        return 0.0
    before = next((h for m in matches[max(0, index - 2) : index][::-1] if (h := hits(m))), None)
    after = next((h for m in matches[index + 1 : index + 3] if (h := hits(m))), None)
    touches = (before and before[-1] == found[0] - 1) or (after and after[0] == found[-1] + 1)
    return 1.0 if touches or (found[0] in starts and found[-1] in ends) else 0.0


def find_moved(blocks: list[list[str]], matches: list[list[int]], labels: list[float], reference: list[str]) -> None:
    """Blocks whose text the reference holds in another order."""
    used = {at for match, label in zip(matches, labels) if label >= CONTENT for at in hits(match)}
    runs: dict[tuple, list[int]] = {}
    for i in range(len(reference) - 3):
        runs.setdefault(tuple(reference[i : i + 4]), []).append(i)
    for index, block in enumerate(blocks):
        if labels[index] >= CONTENT or len(block) < MIN_MOVED_WORDS:
            continue
        covered, taken = set(), set()
        for i in range(len(block) - 3):
            at = next((p for p in runs.get(tuple(block[i : i + 4]), ()) if p not in used), None)
            if at is not None:
                covered.update(range(i, i + 4))
                taken.update(range(at, at + 4))
        if len(covered) / len(block) >= MIN_MOVED_SHARE:
            labels[index] = len(covered) / len(block)
            used |= taken


def label(blocks: list[list[str]], lines: list[list[str]]) -> list[float]:
    reference = [word for line in lines for word in line]
    if not reference:
        return [0.0] * len(blocks)
    page = [word for block in blocks for word in block]
    cut = min(len(page), MAX_CELLS // len(reference))
    found = iter(align(page[:cut], reference) + [-1] * (len(page) - cut))
    matches = [[next(found) for _ in block] for block in blocks]
    starts, ends, at = set(), set(), 0
    for line in filter(None, lines):
        starts.add(at)
        at += len(line)
        ends.add(at - 1)
    labels = []
    for index, match in enumerate(matches):
        if not match:
            labels.append(0.0)
        elif len(match) >= 3:
            labels.append(share_of_long(match))
        else:
            labels.append(share_of_short(matches, index, starts, ends))
    find_moved(blocks, matches, labels, reference)
    return labels


def label_page(job: tuple[str, list[str], str]) -> tuple[str, list[float], str, int]:
    """Page id, labels of its blocks, page type, words of the reference."""
    page, texts, corpus = job
    with gzip.open(f"{corpus}/ground-truth/{page}.json.gz") as file:
        truth = json.load(file)
    content = truth["ground_truth"].get("main_content") or ""
    lines = [WORD.findall(line.lower()) for line in content.split("\n")]
    blocks = [WORD.findall(text.lower()) for text in texts]
    kind = truth["_internal"]["page_type"]["primary"]
    return page, label(blocks, lines), kind, sum(map(len, lines))
