"""An HTML page of about argv[1] bytes: an article with navigation, lists, a table and code."""
import random
import sys

WORDS = "harbour lamp tide rope barrel keeper bell pilot stone ferry ledger wheel oak heather glass plate market copper lantern anchor".split()
random.seed(7)


def sentence(n):
    return " ".join(random.choice(WORDS) for _ in range(n)).capitalize() + "."


head = "<!doctype html><html lang=en><head><meta charset=utf-8><title>A long article</title></head><body><header><nav><ul>"
head += "".join(f'<li><a href="/section/{i}">Section {i}</a></li>' for i in range(40)) + "</ul></nav></header><main><article><h1>A long article</h1>"
foot = "</article></main><footer><ul>" + "".join(f'<li><a href="/foot/{i}">Footer {i}</a></li>' for i in range(30)) + "</ul></footer></body></html>"
parts, size, target, n = [], len(head) + len(foot), int(sys.argv[1]), 0
while size < target:
    n += 1
    part = f'<h2 id="s{n}">{sentence(4)}</h2>' if n % 6 == 0 else f'<p class="text">{sentence(30)} <a href="/link/{n}">{sentence(2)}</a> <em>{sentence(3)}</em> {sentence(25)}</p>'
    if n % 20 == 0:
        part += "<table><tr><th>Year</th><th>Price</th></tr>" + "".join(f"<tr><td>{1800 + i}</td><td>{i * 3}</td></tr>" for i in range(8)) + "</table>"
    parts.append(part)
    size += len(part)
print(head + "".join(parts) + foot)
