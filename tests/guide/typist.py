#!/usr/bin/env python3
"""Types the commands of docs/admin/installation.md.

  typist.py GUIDE                  prints "LINE HOST FIRST-COMMAND" of each block
  typist.py GUIDE LINE ANSWERS -- COMMAND…
                                   types the block at LINE into the shell that
                                   COMMAND starts

Every block of code begins with ```sh and the hosts on which it is typed. A line
is typed when the shell prompts; programs that ask get the answers of ANSWERS, a
TOML file of "question" = "answer". A command must end with status 0; carmectl
doctor may also find what is in the list `findings` there.
"""
import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time
import tomllib

HOSTS = {"build", "head", "dmz", "node"}
PROMPT = re.compile(r"guide:(\d+)> $")
QUESTION = re.compile(r"(?:^|\n)([^\n]*(?:\]: |\]\? |\] |no\) |shown[^\n]*\): ))$")
FINDING = re.compile(r"\n(?:error|warning) \[[^\]]*\] (\S+)(?=\n)")
TIMEOUT_S = 600


def blocks_of(guide):
    """[(line, hosts, [command, …])]"""
    found, current = [], None
    with open(guide, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            line = line.rstrip("\n")
            if not line.startswith("```"):
                if current is not None:
                    current[2].append(line)
            elif current is not None:
                found.append(current)
                current = None
            else:
                hosts = line.removeprefix("```sh ").split()
                if not line.startswith("```sh ") or set(hosts) - HOSTS:
                    sys.exit(f"{guide}:{number}: \"{line}\": expected ```sh and "
                             f"some of {', '.join(sorted(HOSTS))}")
                current = (number, hosts, [])
    return found


class Shell:
    def __init__(self, command, answers):
        self.answers = answers
        self.text = ""
        self.asked = []
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execvp(command[0], command)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ,
                    struct.pack("HHHH", 50, 200, 0, 0))

    def read(self, deadline):
        """More output, or "" when there is none for a quarter of a second."""
        while True:
            if select.select([self.fd], [], [], 0.25)[0]:
                try:
                    data = os.read(self.fd, 65536)
                except OSError:
                    data = b""
                if not data:
                    sys.exit("typist: the shell ended")
                sys.stdout.write(data.decode(errors="replace"))
                sys.stdout.flush()
                self.text += data.decode(errors="replace").replace("\r", "")
                return
            if QUESTION.search(self.text):
                return
            if time.monotonic() > deadline:
                sys.exit("typist: nothing more was printed in "
                         f"{TIMEOUT_S} s, and this is not a known question")

    def type(self, text):
        self.text = ""
        os.write(self.fd, text.encode() + b"\n")

    def answer(self, line):
        for question, answer in self.answers.items():
            if question in line and self.asked.count(line) < 2:
                self.asked.append(line)
                self.type(answer)
                return
        sys.exit(f"\ntypist: no answer to \"{line}\", or not this one")

    def wait(self):
        """The status of the command, after it and its questions."""
        deadline = time.monotonic() + TIMEOUT_S
        while True:
            done = PROMPT.search(self.text)
            if done:
                return int(done[1])
            before = self.text
            self.read(deadline)
            if self.text != before:
                deadline = time.monotonic() + TIMEOUT_S
                continue
            self.answer(QUESTION.search(self.text)[1])


def main():
    if len(sys.argv) == 2:
        for line, hosts, commands in blocks_of(sys.argv[1]):
            for host in hosts:
                print(line, host, commands[0])
        return
    guide, line, answers = sys.argv[1:4]
    with open(answers, "rb") as file:
        known = tomllib.load(file)
    commands = {str(b[0]): b[2] for b in blocks_of(guide)}[line]
    findings = set(known.pop("findings"))
    shell = Shell(sys.argv[5:], known)
    shell.wait()
    for command in commands:
        shell.type(command)
        status = shell.wait()
        found = set(FINDING.findall(shell.text))
        if status != 0 and not (found and found <= findings):
            sys.exit(f"\ntypist: {guide}: \"{command}\" ended with {status}")
    print()


main()
