"""The commands of a program, read from its --help and those of its subcommands.

The programs print help as CLI11 does: options as `  -h,--help`, subcommands
below a line `Subcommands:`."""

import re
import subprocess

OPTION = re.compile(r'^ {2}((?:-\w,)?--[\w-]+|-\w)(?: (\w+))?')
SUBCOMMAND = re.compile(r'^ {2}([a-z][\w-]*)(?:\s|$)')


class Command:
    """words: what is typed after the program's name; help: its --help;
    options: long and short names, with whether each takes a value;
    subcommands: Commands."""

    def __init__(self, program, words):
        self.words = words
        self.help = subprocess.run(
            [program, *words, '--help'], check=True, text=True,
            stdin=subprocess.DEVNULL, capture_output=True).stdout
        self.options = {}
        names = []
        in_subcommands = False
        for line in self.help.splitlines():
            if not line.startswith(' '):
                in_subcommands = line == 'Subcommands:'
            elif in_subcommands:
                found = SUBCOMMAND.match(line)
                names += [found[1]] if found else []
            elif (found := OPTION.match(line)):
                for name in found[1].split(','):
                    self.options[name] = found[2] is not None
        self.subcommands = [Command(program, words + [name]) for name in names]

    def all(self):
        """This command and all below it."""
        yield self
        for command in self.subcommands:
            yield from command.all()
