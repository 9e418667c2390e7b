#!/usr/bin/env python3
"""The ratios that count, from result files of the crawl bench.

crawl_ratios.py 2000-plain=FILE 2000-delay=FILE 20000-plain=FILE
"""

import json
import statistics
import sys

# Pages per second that 32 connections can reach at 50 ms an answer.
DELAY_CEILING = 640

# Figure, peer, at least, aim.
PEERS = [
    ("CPU a page: limit-dommd / ours", "limit-dommd", 0.5, 0.75),
    ("pages a CPU second against spider", "spider", 1.0, 1.5),
    ("the same against spider with readability", "spider-readability", 2, 3),
    ("against crawlee + turndown", "crawlee-turndown", 10, 18),
    ("against Scrapy + trafilatura", "scrapy-trafilatura", 15, 28),
    ("against crawl4ai", "crawl4ai", 20, 35),
]


def medians(path):
    """Median of each figure, by peer; runs that brought no page do not count."""
    runs = {}
    with open(path) as lines:
        for run in map(json.loads, lines):
            if run["pages"]:
                runs.setdefault(run["name"], []).append(run)
    figures = ("cpu_per_1000", "pps", "rss_mb")
    return {
        name: {
            **{figure: statistics.median(run[figure] for run in of) for figure in figures},
            "last": of[-1],
        }
        for name, of in runs.items()
    }


def row(name, value, least, aim, unit="×"):
    print(f"| {name} | {value} {unit} | {least} | {aim} |")


def main():
    sites = {name: medians(path) for name, path in (arg.split("=", 1) for arg in sys.argv[1:])}
    small, large = sites.get("2000-plain", {}), sites.get("20000-plain", {})
    print("\n| measure | here | at least | aim |\n|---|---|---|---|")
    ours = small.get("trawls")
    for name, peer, least, aim in PEERS if ours else ():
        if peer in small:
            row(name, round(small[peer]["cpu_per_1000"] / ours["cpu_per_1000"], 2), least, aim)
    if delayed := sites.get("2000-delay", {}).get("trawls"):
        row("50 ms site: share of 640 pages/s", round(delayed["pps"] / DELAY_CEILING, 2), 0.75, 0.85, "")
    if big := large.get("trawls"):
        row("peak RSS over 20,000 pages", round(big["rss_mb"]), "≤ 200", "≤ 100", "MB")
        if ours:
            row("the same over its own at 2,000", round(big["rss_mb"] / ours["rss_mb"], 2), "≤ 1.5", "≤ 1.2")
        last = big["last"]
        quality, server = last["quality"], last["server"]
        print(f"\ndelivered {quality.get('unique')}, with their token {quality.get('token')}, requests "
              f"{server.get('requests')}, forbidden {server.get('private')}, navigation kept {quality.get('nav')}")


main()
