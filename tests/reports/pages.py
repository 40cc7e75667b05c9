"""What every HTML page must be: closed, and complete in itself."""

import re
from html.parser import HTMLParser


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.seen, self.ids = [], [], []

    def handle_starttag(self, tag, attributes):
        self.seen.append(tag)
        for name, value in attributes:
            if name == "id":
                self.ids.append(value)
            if name in ("src", "href", "xlink:href", "srcset", "action"):
                assert value.startswith("#"), f"{tag} {name}={value}"
        if tag not in ("meta", "link", "img", "br", "wbr"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def check_page(text):
    tags = Tags()
    tags.feed(text)
    assert not tags.open
    assert not {"link", "img", "iframe"} & set(tags.seen)
    assert not re.search(r"\b(?:fetch|XMLHttpRequest|import)\b *\(", text), "nothing is loaded"
    assert not re.search(r"url\((?!#)", text)
    assert "@import" not in text
    assert len(set(tags.ids)) == len(tags.ids)
    outside = set(re.findall(r"https?://[^\"'\s<>]+", text))
    assert outside <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}, "names of formats, not links"
    return tags
