#!/usr/bin/env python3
"""Memory of a crawl that knows a million URLs, as `make bench-frontier` runs it.

A site on loopback lists them in twenty sitemaps, and lets its pages wait, so that they stay in the
frontier. Prints what the job knows and the server's resident memory, now and at its most.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

URLS = int(os.environ.get("URLS", 1_000_000))
EACH = 50_000
BINARY = os.environ.get("BINARY", "target/release/trawls")


class Site(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        origin = f"http://{self.headers['Host']}"
        if self.path == "/robots.txt":
            body = f"Sitemap: {origin}/index.xml\n"
        elif self.path == "/index.xml":
            maps = (f"<sitemap><loc>{origin}/map/{n}.xml</loc></sitemap>" for n in range(-(-URLS // EACH)))
            body = f"<sitemapindex>{''.join(maps)}</sitemapindex>"
        elif part := re.fullmatch(r"/map/(\d+)\.xml", self.path):
            first = int(part[1]) * EACH
            pages = (f"<url><loc>{origin}/section/of-the-site/page-{n}</loc><lastmod>2026-01-01</lastmod></url>"
                     for n in range(first, min(first + EACH, URLS)))
            body = f"<urlset>{''.join(pages)}</urlset>"
        else:
            time.sleep(2)
            body = f"<title>{self.path}</title><main><h1>{self.path}</h1><p>{self.path} and some words.</p></main>"
        data = body.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html" if "<title>" in body else "text/xml")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def call(method, url, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def memory(pid):
    status = open(f"/proc/{pid}/status").read()
    return [int(re.search(rf"{name}:\s+(\d+)", status)[1]) / 1024 for name in ("VmRSS", "VmHWM")]


def main():
    site = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as data:
        env = dict(os.environ, TRAWLS_DATA_DIR=data, TRAWLS_PORT="18193", TRAWLS_ALLOW_PRIVATE_TARGETS="true")
        server = subprocess.Popen([BINARY, "serve"], env=env, stderr=subprocess.DEVNULL)
        try:
            follow("http://127.0.0.1:18193", f"http://127.0.0.1:{site.server_port}/", server)
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait()


def follow(base, start, server):
    while server.poll() is None:
        try:
            call("GET", f"{base}/readyz")
            break
        except OSError:
            time.sleep(0.05)
    print(f"idle               {memory(server.pid)[0]:.0f} MB")
    job = call("POST", f"{base}/v1/crawl", {"url": start, "max_pages": 10_000_000})
    begun = time.monotonic()
    while server.poll() is None and time.monotonic() - begun < 600:
        total = call("GET", f"{base}/v1/jobs/{job['id']}")["counts"]["total"]
        now, most = memory(server.pid)
        print(f"{time.monotonic() - begun:5.0f} s  {total:9,} URLs  {now:5.0f} MB  most {most:5.0f} MB", flush=True)
        if total >= URLS:
            return
        time.sleep(5)
    sys.exit("the frontier did not fill")


main()
