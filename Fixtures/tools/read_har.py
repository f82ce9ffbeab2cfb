"""Reads a HAR with haralyzer (pip install haralyzer) and prints method, path and status of each entry."""

import json
import sys
from urllib.parse import urlsplit

try:
    from haralyzer import HarParser
except ImportError:
    sys.exit(3)

with open(sys.argv[1], encoding="utf-8") as file:
    parser = HarParser(json.load(file))
for entry in parser.har_data["entries"]:
    assert entry["startedDateTime"] and entry["timings"] is not None
for page in parser.pages:
    for entry in page.entries:
        assert entry.startTime is not None
        print(entry.request.method, urlsplit(entry.request.url).path, entry.response.status)
