#!/usr/bin/env python3
"""The files of deploy/containers as the programs that read them see them: the
Compose specification in Debian's docker-compose, the types of Kubernetes in
python3-kubernetes, and the generator of Debian 13's podman, because Debian 12's
podman has no Quadlet."""

import inspect
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

try:
    import compose.config
    import jsonschema
    import kubernetes.client
    import yaml
except ImportError as error:
    print(f'skipped: {error}')
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[3]
FOLDER = ROOT / 'deploy/containers'
UNITS = {'carme-frontend': 'carme-frontend', 'carme-proxy': 'carme-proxy@'}
# A root of Debian 13 that has podman's files; nothing in it is executed but the
# generator.
MAKE_ROOT = '''
. "$1/images/debian.sh"
apt-config dump | grep -E '^Acquire::https?::' > "$2/apt" || true
mmdebstrap --quiet --variant=extract --aptopt="$2/apt" --include=podman \
  trixie "$2/root" - < <(debian_sources trixie)
'''


def read(name):
    return (FOLDER / name).read_text(encoding='utf-8')


# Fields that are newer than Debian 12's python3-kubernetes: of Kubernetes 1.28
# and 1.29.
NEWER = {('V1Container', 'restartPolicy'), ('V1Handler', 'sleep')}


def kubernetes_findings(value, kind, path):
    """What a server with strict checks of fields would refuse."""
    parts = re.fullmatch(r'(list\[|dict\(str, )(.*)[\])]', kind)
    if parts:
        items = enumerate(value) if kind.startswith('list') else value.items()
        return [finding for key, item in items for finding in
                kubernetes_findings(item, parts[2], f'{path}[{key}]')]
    model = getattr(kubernetes.client, kind, None)
    if not inspect.isclass(model):
        expected = {'str': str, 'int': int, 'bool': bool, 'float': float}.get(kind)
        good = expected is None or type(value) is expected
        return [] if good else [f'{path}: {value!r} is not of type {kind}']
    if not isinstance(value, dict):
        return [f'{path}: is no {kind}']
    names = {name: field for field, name in model.attribute_map.items()}
    findings = [f'{path}: {kind} has no field {name}'
                for name in value
                if name not in names and (kind, name) not in NEWER]
    known = {name: item for name, item in value.items() if name in names}
    try:
        model(**{names[name]: item for name, item in known.items()})
    except ValueError as problem:
        findings.append(f'{path}: {problem}')
    for name, item in known.items():
        findings += kubernetes_findings(
            item, model.openapi_types[names[name]], f'{path}.{name}')
    return findings


class Kubernetes(unittest.TestCase):

    def findings(self, item):
        return kubernetes_findings(item, f'V1{item["kind"]}', item['kind'])

    def test_every_field_exists_and_has_its_type(self):
        for item in yaml.safe_load_all(read('kubernetes.yaml')):
            self.assertEqual(self.findings(item), [])

    def test_every_kind_belongs_to_its_group(self):
        for item in yaml.safe_load_all(read('kubernetes.yaml')):
            group = item['apiVersion'].split('/')[0].split('.')[0]
            api = getattr(kubernetes.client, 'CoreV1Api' if group == 'v1'
                          else f'{group.capitalize()}V1Api')
            kind = re.sub(r'(?<!^)(?=[A-Z])', '_', item['kind']).lower()
            self.assertTrue(hasattr(api, f'create_namespaced_{kind}'), kind)

    def test_the_check_finds_unknown_fields_types_and_what_is_missing(self):
        item = {'kind': 'Service', 'spec': {'port': [], 'ports': [
            {'port': '443'}, {'name': 'https'}]}}
        found = '\n'.join(self.findings(item))
        self.assertIn('V1ServiceSpec has no field port', found)
        self.assertIn("'443' is not of type int", found)
        self.assertIn('Service.spec.ports[1]: Invalid value for `port`', found)


class Compose(unittest.TestCase):

    def setUp(self):
        folder = pathlib.Path(compose.config.__file__).parent
        specification = (folder / 'compose_spec.json').read_text('utf-8')
        self.validator = jsonschema.Draft7Validator(json.loads(specification))

    def test_compose_is_valid(self):
        project = yaml.safe_load(read('compose.yaml'))
        # newer than Debian 12's docker-compose
        self.assertIsInstance(project.pop('name'), str)
        self.assertEqual([f'{list(error.path)}: {error.message}' for error in
                          self.validator.iter_errors(project)], [])

    def test_the_specification_refuses_what_it_does_not_name(self):
        self.assertFalse(self.validator.is_valid(
            {'services': {'proxy': {'image': 'x', 'read_onyl': True}}}))


class Quadlet(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(dir='/var/tmp')
        cls.addClassCleanup(folder.cleanup)
        cls.work = pathlib.Path(folder.name)
        subprocess.run(['bash', '-euc', MAKE_ROOT, 'make_root', ROOT, cls.work],
                       check=True)
        cls.units = cls.work / 'units'
        cls.units.mkdir()

    def generated(self, name, text):
        """The unit, or the generator's refusal."""
        (self.units / f'{name}.container').write_text(text, encoding='utf-8')
        library = next(self.work.glob('root/usr/lib/*/ld-linux-*.so.*')).parent
        result = subprocess.run(
            [next(library.glob('ld-linux-*.so.*')), '--library-path', library,
             self.work / 'root/usr/libexec/podman/quadlet', '--dryrun',
             '--no-kmsg-log'],
            env={'QUADLET_UNIT_DIRS': self.units}, check=False, text=True,
            capture_output=True)
        (self.units / f'{name}.container').unlink()
        return result

    @staticmethod
    def options(text):
        """The pairs of name and value of `podman run`."""
        command = re.search(r'^ExecStart=(.*)$', text.replace('\\\n', ' '),
                            re.MULTILINE)[1]
        found, name = {}, ''
        for word in shlex.split(command)[2:-1]:
            if word.startswith('-'):
                name, _, value = word.lstrip('-').partition('=')
                name = {'v': 'volume', 'd': 'detach'}.get(name, name)
                found.setdefault(name, []).append(value)
            else:
                found[name][-1] = word
        return {(key, value) for key, values in found.items() for value in values}

    def test_the_generator_refuses_an_unknown_key(self):
        result = self.generated('wrong', '[Container]\nImage=x\nReadOnyl=yes\n')
        self.assertIn('ReadOnyl', result.stderr)

    def test_the_generated_units_run_podman_as_the_services_do(self):
        for program, unit in UNITS.items():
            result = self.generated(unit, read(f'quadlet/{unit}.container'))
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertNotRegex(result.stderr, 'unsupported|error')
            service = read(f'systemd/{unit}.service')
            ours, made = self.options(service), self.options(result.stdout)
            self.assertEqual(
                {option for option in ours - made
                 if option[0] not in ('detach', 'rm', 'replace')}, set(), program)
            self.assertIn(f'--stop-timeout='
                          f'{re.search("stop .*--time=([0-9]+)", service)[1]}',
                          result.stdout)


unittest.main()
