#!/usr/bin/env python3
"""image_content_test.py ARCHIVE…: what is in the images, and what is not."""

import gzip
import hashlib
import io
import json
import re
import sys
import tarfile
import unittest

MAX_BYTES = 60_000_000
ARCHIVES = sys.argv[1:]
# What may be in an image, but for libraries, licences and the program.
OTHER = re.compile(
    r'lib|lib64|etc/(passwd|group|nsswitch\.conf|ssl/certs/ca-certificates\.crt)|'
    r'usr/share/carme/web/(index\.html|assets/[^/]+\.[a-z0-9]+)(\.br|\.gz)?')
LIBRARY = re.compile(r'usr/lib(64)?/([a-z0-9_]+-linux-gnu/)?[^/]+\.so(\.[0-9.]+)?')
LICENCE = re.compile(r'usr/share/(doc/[^/]+/copyright|common-licenses/[^/]+)')


class Archive:

    def __init__(self, path):
        with tarfile.open(path) as tar:
            self.files = {member.name: tar.extractfile(member).read()
                          for member in tar if member.isfile()}
        self.index = json.loads(self.files['index.json'])
        self.manifest = json.loads(self.blob(self.index['manifests'][0]))
        self.config = json.loads(self.blob(self.manifest['config']))
        self.layer = gzip.decompress(self.blob(self.manifest['layers'][0]))

    def blob(self, descriptor):
        kind, digest = descriptor['digest'].split(':')
        data = self.files[f'blobs/{kind}/{digest}']
        assert len(data) == descriptor['size'], descriptor
        assert hashlib.new(kind, data).hexdigest() == digest, descriptor
        return data

    def members(self):
        with tarfile.open(fileobj=io.BytesIO(self.layer)) as tar:
            return {member.name: (member, tar.extractfile(member).read()
                                  if member.isfile() else b'') for member in tar}


class Content(unittest.TestCase):

    def each(self):
        self.assertTrue(ARCHIVES)
        for path in ARCHIVES:
            archive = Archive(path)
            name = archive.config['config']['Entrypoint'][0].rsplit('/', 1)[-1]
            with self.subTest(name):
                yield name, archive

    def test_has_no_file_but_the_program_and_what_it_needs(self):
        for name, archive in self.each():
            for path, (member, _) in archive.members().items():
                if member.isdir() or path == f'usr/sbin/{name}':
                    continue
                self.assertTrue(OTHER.fullmatch(path) or LIBRARY.fullmatch(path)
                                or LICENCE.fullmatch(path), path)

    def test_has_one_executable_program(self):
        for name, archive in self.each():
            found = [path for path, (member, _) in archive.members().items()
                     if member.isfile() and member.mode & 0o111
                     and not LIBRARY.fullmatch(path)]
            self.assertEqual(found, [f'usr/sbin/{name}'])

    def test_has_nothing_that_changes_the_user_and_nothing_writable(self):
        for name, archive in self.each():
            for path, (member, _) in archive.members().items():
                self.assertEqual(member.mode & 0o6000, 0, path)
                if not member.issym() and path != 'tmp':
                    self.assertEqual(member.mode & 0o022, 0, path)
                if path != 'var/lib/carme-proxy':
                    self.assertEqual((member.uid, member.gid), (0, 0), path)

    def test_has_one_user_and_is_not_root(self):
        for name, archive in self.each():
            passwd = archive.members()['etc/passwd'][1].decode()
            user = archive.config['config']['User'].split(':')[0]
            self.assertNotEqual(int(user), 0)
            self.assertTrue(passwd.startswith(f'{name}:x:{user}:'))
            self.assertEqual(passwd.count('\n'), 1)

    def test_has_the_licence_of_each_library(self):
        for name, archive in self.each():
            members = archive.members()
            for package in (name, 'libc6', 'libssl3'):
                found = [path for path in members if re.fullmatch(
                    rf'usr/share/doc/{re.escape(package)}(t64)?/copyright', path)]
                self.assertEqual(len(found), 1, package)
            # What is linked into the program.
            own = members[f'usr/share/doc/{name}/copyright'][1].decode()
            for library in ('gRPC', 'Abseil', 'Protocol Buffers', 'RE2', 'libstdc++'):
                self.assertIn(f'({library}', own)

    def test_is_smaller_than_60_mb(self):
        for _, archive in self.each():
            self.assertLess(len(archive.layer), MAX_BYTES)

    def test_says_what_it_is(self):
        for name, archive in self.each():
            labels = archive.config['config']['Labels']
            prefix = 'org.opencontainers.image.'
            self.assertEqual(labels[f'{prefix}title'], name)
            self.assertEqual(labels[f'{prefix}licenses'], 'Apache-2.0')
            self.assertRegex(labels[f'{prefix}version'], r'^\d+\.\d+')
            self.assertEqual(labels[f'{prefix}created'],
                             archive.config['created'])
            digest = hashlib.sha256(archive.layer).hexdigest()
            self.assertEqual(archive.config['rootfs']['diff_ids'],
                             [f'sha256:{digest}'])


unittest.main(argv=sys.argv[:1])
