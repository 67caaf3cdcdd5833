"""What the checks share: the files of the tree, C++ without its comments, and
the lists of known findings."""

import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
KNOWN = os.path.join(ROOT, 'tests', 'lint', 'known')

# In that order: a raw string, a string, a character, both kinds of comment.
_TOKEN = re.compile(
    r'R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'"
    r'|//[^\n]*|/\*.*?\*/', re.DOTALL)


def git_files(*patterns):
    """Files that git tracks, or would track, and that exist."""
    output = subprocess.check_output(
        ['git', 'ls-files', '-co', '--exclude-standard', '--', *patterns],
        cwd=ROOT, text=True)
    return sorted({f for f in output.splitlines()
                   if os.path.isfile(os.path.join(ROOT, f))})


def read(path):
    with open(os.path.join(ROOT, path), encoding='utf-8',
              errors='replace') as file:
        return file.read()


def without_comments(text):
    """C++ or proto with blanks for comments and literals; lines stay."""
    return _TOKEN.sub(
        lambda m: re.sub(r'[^\n]', ' ', m.group(0)), text)


def compile_commands(build):
    """The entries of compile_commands.json, one a source: those of a unity
    build, which compiles several sources at once, are taken apart."""
    with open(os.path.join(build, 'compile_commands.json'),
              encoding='utf-8') as file:
        entries = json.load(file)
    commands = []
    for entry in entries:
        path = os.path.join(entry['directory'], entry['file'])
        if '/Unity/unity_' not in path:
            commands.append(entry)
            continue
        with open(path, encoding='utf-8') as file:
            parts = re.findall(r'^#include "([^"]+)"', file.read(),
                               re.MULTILINE)
        options = entry['command'].removesuffix(path)
        for part in parts:
            commands.append({'directory': entry['directory'], 'file': part,
                             'command': options + part})
    return commands


def change_base():
    """The commit that a change is compared with."""
    chosen = os.environ.get('CARME_LINT_BASE')
    if chosen:
        return chosen
    for command in (['merge-base', 'HEAD', 'origin/main'],
                    ['rev-parse', '--verify', '--quiet', 'HEAD~1']):
        result = subprocess.run(['git', *command], cwd=ROOT, text=True,
                                capture_output=True)
        base = result.stdout.strip()
        head = subprocess.run(['git', 'rev-parse', 'HEAD'], cwd=ROOT,
                              text=True, capture_output=True).stdout.strip()
        if base and base != head:
            return base
    return 'HEAD'


def known_findings(name):
    path = os.path.join(KNOWN, name + '.txt')
    if not os.path.exists(path):
        return set()
    with open(path, encoding='utf-8') as file:
        lines = (line.split('#')[0].strip() for line in file)
        return {line for line in lines if line}


def report(name, findings):
    """findings: {key: message}. Fails for each finding that known/NAME.txt
    does not list, and for each line there that is no finding any more. With
    --write-known as the argument it writes that list instead."""
    if '--write-known' in sys.argv[1:]:
        os.makedirs(KNOWN, exist_ok=True)
        path = os.path.join(KNOWN, name + '.txt')
        with open(path, 'w', encoding='utf-8') as file:
            file.writelines(key + '\n' for key in sorted(findings))
        print(f'{name}: {len(findings)} known findings written')
        return 0
    known = known_findings(name)
    new = sorted(set(findings) - known)
    gone = sorted(known - set(findings))
    for key in new:
        print(findings[key])
    for key in gone:
        print(f'tests/lint/known/{name}.txt: "{key}" is fixed; '
              'remove the line')
    listed = f', {len(known)} known' if known else ''
    print(f'{name}: {len(new)} findings{listed}')
    return 1 if new or gone else 0
