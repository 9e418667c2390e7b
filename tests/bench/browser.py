#!/usr/bin/env python3
"""The browser rung against playwright-core, as `make bench-browser` runs it: the same Chromium, the
same pages drawn by script, the same number of tabs, in interleaved rounds. CPU is the whole
machine's, Chromium and the server of the pages included; memory is the proportional share of all
processes of the side. Ours is the whole product: the HTTP API, Markdown, and every page kept."""

import concurrent.futures
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
PERF = pathlib.Path(os.environ["SHARED_DIR"]) / "bench" / "perf"
PAGES, TABS, ROUNDS = (int(os.environ.get(name, usual)) for name, usual in (("PAGES", 200), ("TABS", 4), ("ROUNDS", 3)))
SITE, API = 18120, 18121
TICKS = os.sysconf("SC_CLK_TCK")


def busy():
    """CPU seconds of the machine since it began."""
    fields = [int(field) for field in open("/proc/stat").readline().split()[1:]]
    return (fields[0] + fields[1] + fields[2] + fields[5] + fields[6]) / TICKS


def family(root):
    """A process and all below it."""
    children = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                parent = open(f"/proc/{entry}/stat").read().rsplit(")", 1)[1].split()[1]
                children.setdefault(int(parent), []).append(int(entry))
            except OSError:
                pass
    found, todo = [], [root]
    while todo:
        found.append(todo.pop())
        todo += children.get(found[-1], [])
    return found


def memory_mb(root):
    total = 0
    for process in family(root):
        try:
            for line in open(f"/proc/{process}/smaps_rollup"):
                if line.startswith("Pss:"):
                    total += int(line.split()[1])
        except OSError:
            pass
    return total / 1024


class Watch:
    """CPU and peak memory of a piece of work."""

    def __init__(self, process):
        self.process = process

    def __enter__(self):
        self.peak, self.done = 0, threading.Event()
        self.thread = threading.Thread(target=self.sample)
        self.thread.start()
        self.cpu, self.start = busy(), time.monotonic()
        return self

    def sample(self):
        while not self.done.wait(0.5):
            self.peak = max(self.peak, memory_mb(self.process))

    def __exit__(self, *_):
        self.seconds, self.cpu = time.monotonic() - self.start, busy() - self.cpu
        self.done.set()
        self.thread.join()


def scrape(number):
    body = {"url": f"http://127.0.0.1:{SITE}/p{number % 200}.html", "mode": "browser", "wait_for": "#done", "cache": "bypass"}
    request = urllib.request.Request(f"http://127.0.0.1:{API}/v1/scrape", json.dumps(body).encode(), {"content-type": "application/json"})
    page = json.load(urllib.request.urlopen(request, timeout=60))
    return "RENDERED-OK" in (page["markdown"] or "")


def ours(work):
    environment = {
        **os.environ,
        "TRAWLS_PORT": str(API),
        "TRAWLS_DATA_DIR": f"{work}/data",
        "TRAWLS_ALLOW_PRIVATE_TARGETS": "true",
        "TRAWLS_BROWSER_POOL_SIZE": str(TABS),
        "TRAWLS_MAX_CONCURRENCY_PER_HOST": str(TABS),
    }
    with open(f"{work}/trawls.log", "ab") as log:
        server = subprocess.Popen([ROOT / "target/release/trawls", "serve"], env=environment, stdout=log, stderr=log)
    try:
        with concurrent.futures.ThreadPoolExecutor(TABS) as pool:
            for _ in range(100):
                try:
                    urllib.request.urlopen(f"http://127.0.0.1:{API}/readyz").close()
                    break
                except OSError:
                    time.sleep(0.1)
            # Both sides begin with a browser that runs and as many tabs as they may have.
            list(pool.map(scrape, range(TABS)))
            with Watch(server.pid) as watch:
                good = sum(pool.map(scrape, range(PAGES)))
    finally:
        server.terminate()
        server.wait()
    return good, watch


def playwright(work):
    command = ["node", f"{work}/pw_bench.mjs", str(TABS), str(PAGES)]
    environment = {**os.environ, "BASE": f"http://127.0.0.1:{SITE}"}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    with Watch(process.pid) as watch:
        told = json.loads(process.communicate()[0])
    # Its own clock leaves the start of the browser out, as ours does.
    watch.seconds = PAGES / told["pps"]
    return told["pages"], watch


def main():
    work = tempfile.mkdtemp()
    subprocess.run([sys.executable, PERF / "mkjs.py", f"{work}/site"], check=True)
    shutil.copy(PERF / "node" / "pw_bench.mjs", work)
    os.symlink(ROOT / "tests/ui/node_modules", f"{work}/node_modules")
    pathlib.Path(f"{work}/nginx.conf").write_text(
        f"daemon off; user root; pid {work}/nginx.pid; error_log {work}/nginx.log; events {{}}\n"
        f"http {{ include /etc/nginx/mime.types; access_log off; server {{ listen 127.0.0.1:{SITE}; root {work}/site; }} }}\n"
    )
    nginx = subprocess.Popen(["nginx", "-p", work, "-c", f"{work}/nginx.conf"])
    sides = {"trawls": ours, "playwright": playwright}
    rows = {name: [] for name in sides}
    try:
        time.sleep(0.5)
        for _ in range(ROUNDS):
            for name, side in sides.items():
                good, watch = side(work)
                if good != PAGES:
                    sys.exit(f"{name}: {good} of {PAGES} pages")
                rows[name].append((PAGES / watch.seconds, 1000 * watch.cpu / PAGES, watch.peak / TABS))
    finally:
        nginx.terminate()
        nginx.wait()
        shutil.rmtree(work, ignore_errors=True)
    median = {name: [statistics.median(column) for column in zip(*rounds)] for name, rounds in rows.items()}
    print(f"{PAGES} pages, {TABS} tabs, medians of {ROUNDS} rounds")
    for name, (rate, cpu, memory) in median.items():
        print(f"{name:12} {rate:6.1f} pages/s  {cpu:6.1f} ms CPU a page  {memory:6.1f} MB a tab")
    (our_rate, our_cpu, _), (their_rate, their_cpu, _) = median["trawls"], median["playwright"]
    print(f"pages/s {our_rate / their_rate:.2f} x, CPU {their_cpu / our_cpu:.2f} x")


main()
