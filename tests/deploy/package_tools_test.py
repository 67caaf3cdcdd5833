#!/usr/bin/env python3
"""The manual pages and the completion of the packages, made from small inputs
and from the files of deploy/config."""

import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = ROOT / 'deploy/packages'
KEY = re.compile(r'^#?([\w.]+) *=', re.MULTILINE)

PROGRAM = r'''#!/bin/sh
case "$*" in
  --help) cat << 'END'
keeps things.
Usage: keep [OPTIONS] SUBCOMMAND

Options:
  -h,--help                   Print this help message and exit

Subcommands:
  thing                       what is kept
END
    ;;
  'thing --help') cat << 'END'
what is kept
Usage: keep thing [OPTIONS]

Options:
  --file TEXT                 its file
  --json                      print JSON
END
    ;;
  --version) echo 'keep 1.0' ;;
  *) exit 2 ;;
esac
'''


def output(*command):
    return subprocess.run([str(word) for word in command], check=True,
                          text=True, capture_output=True).stdout


def git(folder, *words):
    subprocess.run(['git', '-C', str(folder), '-c', 'user.name=t', '-c',
                    'user.email=t@t', *words], check=True, capture_output=True,
                   env={'PATH': '/usr/bin:/bin', 'HOME': str(folder),
                        'GIT_COMMITTER_DATE': '2026-11-24T06:05:04+02:00'})


class Version(unittest.TestCase):

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        (self.path / 'CMakeLists.txt').write_text(
            'project(carme VERSION 1.2.3 LANGUAGES CXX)\n', encoding='utf-8')

    def version(self):
        return output(TOOLS / 'package_version', self.path).strip()

    def commit(self):
        git(self.path, 'init')
        git(self.path, 'commit', '--allow-empty', '-m', 'one')

    def test_an_archive_has_the_version_of_its_release(self):
        self.assertEqual(self.version(), '1.2.3')

    def test_a_commit_without_a_tag_adds_its_time_in_utc_and_its_id(self):
        self.commit()
        self.assertRegex(self.version(),
                         r'^1\.2\.3\+git20261124\.040504\.[0-9a-f]{8}$')

    def test_the_tag_of_another_release_changes_nothing(self):
        self.commit()
        git(self.path, 'tag', 'v1.2.4')
        self.assertIn('+git', self.version())

    def test_a_commit_with_the_tag_of_the_version_is_the_release(self):
        for tag in ('1.2.3', 'v1.2.3'):
            self.commit()
            git(self.path, 'tag', tag)
            self.assertEqual(self.version(), '1.2.3')
            git(self.path, 'tag', '-d', tag)


class Tools(unittest.TestCase):

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, text, mode=0o644):
        path = pathlib.Path(self.folder.name) / name
        path.write_text(text, encoding='utf-8')
        path.chmod(mode)
        return path

    def page_of(self, text):
        return output(TOOLS / 'config_man', self.write('x.toml', text), 'x.toml')

    def test_config_man_refuses_what_it_does_not_understand(self):
        for text in ('no key\n', 'list = [\n  "a",\n'):
            with self.assertRaises(subprocess.CalledProcessError):
                self.page_of(text)

    def test_config_man_prints_a_comment_below_its_keys(self):
        page = self.page_of('# About both.\na = 1\n#b = "x"\n')
        self.assertIn('.TP\n\\fBa\\fR = 1\n.TQ\n\\fBb\\fR = "x"\nAbout both.\n',
                      page)

    def test_config_man_keeps_lists_and_examples_as_they_are(self):
        page = self.page_of('# Text.\n#\n# [table]\n# key = 1\n\n'
                            'list = [\n  "a", # [not counted\n  ".b",\n]\n')
        self.assertIn('.nf\n [table]\n key = 1\n.fi\n', page)
        self.assertIn('= [\n.nf\n  "a", # [not counted\n  ".b",\n]\n.fi\n', page)

    def test_config_man_escapes_what_roff_would_execute(self):
        page = self.page_of('# .so /etc/passwd\n# a \\fB b-c\nkey = 1\n')
        self.assertIn('\n\\&.so /etc/passwd\na \\efB b\\-c\n', page)

    def test_config_man_has_every_key_of_each_file(self):
        files = sorted((ROOT / 'deploy/config').glob('*.toml'))
        self.assertGreater(len(files), 5)
        for path in files:
            page = output(TOOLS / 'config_man', path, path.name)
            for key in KEY.findall(path.read_text(encoding='utf-8')):
                self.assertTrue(f'\\fB{key}\\fR = ' in page,
                                f'{key} of {path.name}')

    def test_completion_offers_subcommands_and_their_options(self):
        program = self.write('keep', PROGRAM, 0o755)
        script = self.write('keep.bash', output(TOOLS / 'completion', program))

        def completed(*words):
            return output(
                'bash', '-c', 'set -u; . "$0"; COMP_WORDS=("$@"); '
                'COMP_CWORD=$(($# - 1)); _keep; echo "${COMPREPLY[*]-}"',
                script, 'keep', *words).split()
        self.assertEqual(completed('t'), ['thing'])
        self.assertEqual(completed('thing', '--j'), ['--json'])
        self.assertEqual(completed('--help', 'thing', '--f'), ['--file'])
        # a file name: bash's own completion
        self.assertEqual(completed('thing', '--file', ''), [])


unittest.main()
