#!/usr/bin/env python3
"""hold_sockets.py PORT… COMMAND…: becomes the command, with listening sockets on
the ports of loopback as descriptors 3 and up, as systemd does for a unit."""

import os
import socket
import sys

words = sys.argv[1:]
held = []
while words[0].isdigit():
    listener = socket.create_server(('127.0.0.1', int(words.pop(0))), backlog=512)
    held.append(listener)
spare = [os.dup2(one.fileno(), 100 + i) for i, one in enumerate(held)]
for i, fd in enumerate(spare):
    os.dup2(fd, 3 + i)
    os.close(fd)
os.execvp(words[0], words)
