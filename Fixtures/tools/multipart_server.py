"""An HTTP server that reads multipart forms with python-multipart, for the tests of Ferry's multipart bodies.

Prints its port, answers each POST with a JSON list of the parts that the parser found, and ends when its standard
input does. A part whose content is that of the file named by the X-File header is marked as matching it.
"""

import hashlib
import http.server
import json
import sys
import threading

from python_multipart.multipart import MultipartParser, parse_options_header


def file_digest(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


class Form:
    """Collects what the parser reports."""

    def __init__(self, boundary):
        self.parts = []
        self.is_ended = False
        self.parser = MultipartParser(
            boundary,
            {
                "on_part_begin": self.part_begin,
                "on_part_data": self.part_data,
                "on_part_end": self.part_end,
                "on_header_field": self.header_field,
                "on_header_value": self.header_value,
                "on_header_end": self.header_end,
                "on_end": self.end,
            },
        )

    def part_begin(self):
        self.headers, self.field, self.value = [], b"", b""
        self.size, self.head, self.digest = 0, b"", hashlib.sha256()

    def header_field(self, data, start, end):
        self.field += data[start:end]

    def header_value(self, data, start, end):
        self.value += data[start:end]

    def header_end(self):
        self.headers.append((self.field.decode().lower(), self.value))
        self.field, self.value = b"", b""

    def part_data(self, data, start, end):
        chunk = data[start:end]
        self.size += len(chunk)
        self.digest.update(chunk)
        if len(self.head) < 256:
            self.head += chunk[: 256 - len(self.head)]

    def part_end(self):
        headers = dict(self.headers)
        disposition = headers.get("content-disposition", b"")
        kind, options = parse_options_header(disposition.decode("latin-1"))
        self.parts.append(
            {
                "kind": kind.decode(),
                "disposition": disposition.hex(),
                "name": options.get(b"name", b"").hex(),
                "fileName": options[b"filename"].hex() if b"filename" in options else None,
                "type": headers["content-type"].decode() if "content-type" in headers else None,
                "headers": len(self.headers),
                "size": self.size,
                "content": self.head.hex(),
                "digest": self.digest.hexdigest(),
            }
        )

    def end(self):
        self.is_ended = True


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        try:
            status, answer = 200, self.read()
        except Exception as error:  # The test shows it.
            status, answer = 400, {"error": repr(error), "parts": []}
        content = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def read(self):
        if self.headers["Transfer-Encoding"] is not None:
            raise ValueError("two framings")
        left = int(self.headers["Content-Length"])
        kind, options = parse_options_header(self.headers["Content-Type"])
        if kind != b"multipart/form-data":
            raise ValueError("not a form")
        form = Form(options[b"boundary"])
        while left > 0:
            chunk = self.rfile.read(min(left, 1 << 20))
            if not chunk:
                raise ValueError("cut")
            left -= len(chunk)
            form.parser.write(chunk)
        form.parser.finalize()
        if path := self.headers["X-File"]:
            expected = file_digest(path)
            for part in form.parts:
                part["isFile"] = part["digest"] == expected
        return {"parts": form.parts, "isEnded": form.is_ended}

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
threading.Thread(target=lambda: (sys.stdin.read(), server.shutdown()), daemon=True).start()
print(server.server_address[1], flush=True)
server.serve_forever()
