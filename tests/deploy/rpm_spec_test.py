#!/usr/bin/env python3
"""The RPM spec's list of files is that of the Debian packages, and `rpmspec`
reads the spec where it is installed."""

import collections
import pathlib
import re
import shutil
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPEC = ROOT / 'deploy/packages/carme.spec'
PATHS = ROOT / 'deploy/packages/paths.txt'
MACROS = {
    '_sysconfdir': '/etc', '_bindir': '/usr/bin', '_sbindir': '/usr/sbin',
    '_libexecdir': '/usr/libexec', '_datadir': '/usr/share',
    '_mandir': '/usr/share/man', '_unitdir': '/usr/lib/systemd/system',
    '_sysusersdir': '/usr/lib/sysusers.d',
    'plugin_dir': '/usr/lib/*/slurm-wlm',
}
# of Debian only: Enterprise Linux has SELinux, and puts documentation elsewhere
DEBIAN = re.compile(r'/usr/share/(doc|lintian)/|/etc/apparmor\.d/')


def of_debian():
    """{package: its paths}, from the table that the packages are tested with."""
    paths = collections.defaultdict(set)
    for line in PATHS.read_text(encoding='utf-8').splitlines():
        if line.startswith('#'):
            continue
        package, _, _, path = line.split()
        if package != 'carme-doc' and not DEBIAN.match(path):
            paths[package].add(path)
    return dict(paths)


def of_spec():
    """{package: [(path, whether it is a directory without its content)]}."""
    files = collections.defaultdict(list)
    package = None
    for line in SPEC.read_text(encoding='utf-8').splitlines():
        section = re.match(r'%files (\w+)$', line)
        if section:
            package = f'carme-{section[1]}'
        elif line.startswith('%changelog'):
            package = None
        elif package and line and not re.match('%(license|doc) ', line):
            path = re.sub(r'%\{(\w+)\}', lambda macro: MACROS[macro[1]], line)
            alone = path.startswith('%dir ')
            path = re.sub(r'^%(dir|config\(noreplace\)) ', '', path)
            files[package].append((path, alone))
    return dict(files)


def covers(entry, path):
    listed, alone = entry
    if listed.endswith('*'):  # a manual page, compressed or not
        return path.removesuffix('.gz') == listed[:-1]
    return path == listed or not alone and path.startswith(f'{listed}/')


class Spec(unittest.TestCase):

    def test_lists_each_path_of_the_debian_packages(self):
        listed = of_spec()
        self.assertEqual(listed.keys(), of_debian().keys())
        missing = [(package, path)
                   for package, paths in of_debian().items() for path in paths
                   if not any(covers(entry, path) for entry in listed[package])]
        self.assertEqual(missing, [])

    def test_lists_nothing_that_the_debian_packages_do_not_have(self):
        known = of_debian()
        unknown = [(package, entry[0])
                   for package, entries in of_spec().items()
                   for entry in entries
                   if not any(covers(entry, path) for path in known[package])]
        self.assertEqual(unknown, [])

    def test_installs_each_unit_and_manual_page_that_it_lists(self):
        install = SPEC.read_text(encoding='utf-8').split('%install')[1]
        install = install.split('\n%pre ')[0]
        for entries in of_spec().values():
            for path, _ in entries:
                if '/systemd/' not in path and '/man8/' not in path:
                    continue
                name = path.rsplit('/', 1)[1]
                program = re.sub(r'^carme-|\.\w+\*?$', '', name)
                self.assertRegex(install, rf'\b{re.escape(program)}\b', name)

    @unittest.skipUnless(shutil.which('rpmspec'), 'no rpmspec')
    def test_is_read_by_rpm(self):
        done = subprocess.run(
            ['rpmspec', '-q', '--qf', '%{name}\n', '--define',
             f'carme_source {ROOT}', SPEC],
            check=False, text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(set(done.stdout.split()) - {'carme'},
                         of_debian().keys())


unittest.main()
