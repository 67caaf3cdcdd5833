#!/usr/bin/env python3
"""converse.py SCRIPT COMMAND…: runs the command on a terminal of its own.

SCRIPT has two lines for each exchange: a text that the command must print, and
what is typed then; `^C` is the interrupt key. Prints everything that appeared
on the terminal. The exit code is that of the command, or 99 if a text did not
appear within a minute."""

import os
import pty
import select
import sys


def read_until(terminal, text, shown):
    """Extends shown; returns False when the text does not appear."""
    start = len(shown)
    while text not in shown[start:]:
        ready, _, _ = select.select([terminal], [], [], 60)
        try:
            data = os.read(terminal, 4096) if ready else b''
        except OSError:  # the command has ended
            data = b''
        if not data:
            return False
        shown += data
    return True


def main():
    with open(sys.argv[1], encoding='utf-8') as script:
        lines = script.read().split('\n')
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvp(sys.argv[2], sys.argv[2:])
    shown = bytearray()
    missing = None
    for text, typed in zip(lines[::2], lines[1::2]):
        if not read_until(terminal, text.encode(), shown):
            missing = text
            break
        os.write(terminal, b'\x03' if typed == '^C' else typed.encode() + b'\n')
    if missing is None:
        read_until(terminal, b'\0', shown)
    else:
        os.close(terminal)  # the command gets SIGHUP
    sys.stdout.write(shown.decode(errors='replace').replace('\r', ''))
    _, status = os.waitpid(pid, 0)
    if missing is not None:
        print(f'\nconverse.py: "{missing}" did not appear')
        return 99
    return os.waitstatus_to_exitcode(status) % 256


sys.exit(main())
