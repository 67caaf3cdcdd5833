#!/usr/bin/env python3
"""fake_frontend.py PORT DIR: answers each request; /held first sends a part of
its response, creates DIR/held, and sends the rest when DIR/release exists."""

import http.server
import pathlib
import sys
import time

PORT, FOLDER = int(sys.argv[1]), pathlib.Path(sys.argv[2])
HELD_BYTES = 1 << 20


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def do_GET(self):  # pylint: disable=invalid-name
        body = b'x' * HELD_BYTES if self.path == '/held' else b'ok\n'
        self.send_response(200)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        if self.path == '/held':
            self.wfile.write(body[:1])
            (FOLDER / 'held').touch()
            while not (FOLDER / 'release').exists():
                time.sleep(0.02)
            body = body[1:]
        self.wfile.write(body)

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


http.server.ThreadingHTTPServer(('127.0.0.1', PORT), Handler).serve_forever()
