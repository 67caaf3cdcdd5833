#!/usr/bin/env python3
"""The files of deploy/containers agree with one another: each way to run the
containers has the same restrictions, and the ids of the images. It checks rules
of Carme; container_schemas_test.py checks the schemas."""

import pathlib
import re
import subprocess
import sys
import unittest

try:
    import yaml
except ImportError:
    print('skipped: no python3-yaml')
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[3]
FOLDER = ROOT / 'deploy/containers'
IMAGES = (FOLDER / 'write_image').read_text(encoding='utf-8')
PROGRAMS = ('proxy', 'frontend')
UNITS = {'proxy': 'carme-proxy@', 'frontend': 'carme-frontend'}


def read(name):
    return (FOLDER / name).read_text(encoding='utf-8')


def image_id(program):
    return int(re.search(rf"'carme-{program}': {{\s*'id': (\d+)", IMAGES)[1])


def image_port(program):
    return int(re.search(rf"'carme-{program}': {{\s*'id': \d+, 'port': (\d+)",
                         IMAGES)[1])


class Files(unittest.TestCase):

    def test_podman_services_take_all_rights(self):
        for program in PROGRAMS:
            text = read(f'systemd/{UNITS[program]}.service')
            for option in ('--read-only ', '--read-only-tmpfs=false',
                           '--cap-drop=all', '--pull=never',
                           '--security-opt=no-new-privileges',
                           '--volume=/etc/carme:/etc/carme:ro',
                           f'"/usr/sbin/carme-{program}","--health-check"'):
                self.assertIn(option, text, program)
            self.assertIn('\nRestartPreventExitStatus=78\n', text)
            self.assertNotRegex(text, r'--privileged|--user=0|--cap-add')

    def test_quadlets_have_the_options_of_the_services(self):
        for program in PROGRAMS:
            service = read(f'systemd/{UNITS[program]}.service')
            quadlet = read(f'quadlet/{UNITS[program]}.container')
            for key, option in (
                    ('ReadOnly=yes', '--read-only '),
                    ('ReadOnlyTmpfs=no', '--read-only-tmpfs=false'),
                    ('DropCapability=all', '--cap-drop=all'),
                    ('NoNewPrivileges=yes', '--security-opt=no-new-privileges'),
                    ('Network=host', '--network=host'),
                    ('Pull=never', '--pull=never')):
                self.assertIn(f'\n{key}\n', quadlet)
                self.assertIn(option, service)
            for key, option in (('PidsLimit', 'pids-limit'), ('Ulimit', 'ulimit'),
                                ('Volume', 'volume'), ('HealthCmd', 'health-cmd')):
                self.assertEqual(
                    re.findall(rf'^{key}=(.*)$', quadlet, re.MULTILINE),
                    re.findall(rf"--{option}='?([^\s']+)", service), key)
            for key in ('Restart', 'RestartSec', 'RestartPreventExitStatus',
                        'TimeoutStopSec', 'Sockets', 'StartLimitIntervalSec'):
                pattern = re.compile(rf'^{key}=.*$', re.MULTILINE)
                self.assertEqual(pattern.findall(quadlet),
                                 pattern.findall(service))

    def test_a_proxy_that_handed_over_is_not_restarted(self):
        self.assertIn('\nRestart=on-failure\n',
                      read('systemd/carme-proxy@.service'))

    def test_the_socket_is_held_by_a_unit_of_its_own(self):
        self.assertNotIn('Service=', read('systemd/carme-proxy-port.socket'))
        self.assertIn('\nRemainAfterExit=yes\n',
                      read('systemd/carme-proxy-port.service'))
        for file in ('systemd/carme-proxy@.service',
                     'quadlet/carme-proxy@.container'):
            self.assertIn('\nSockets=carme-proxy-port.socket\n', read(file))

    def test_compose_takes_all_rights(self):
        services = yaml.safe_load(read('compose.yaml'))['services']
        for program in PROGRAMS:
            service = services[program]
            self.assertTrue(service['read_only'])
            self.assertEqual(service['cap_drop'], ['ALL'])
            self.assertEqual(service['security_opt'], ['no-new-privileges:true'])
            self.assertEqual(service['healthcheck']['test'],
                             ['CMD', f'/usr/sbin/carme-{program}',
                              '--health-check'])
            for volume in service['volumes']:
                self.assertTrue(volume.endswith(':ro') or
                                volume.startswith('state:'), volume)
        self.assertEqual(services['proxy']['ports'],
                         [f'443:{image_port("proxy")}'])
        self.assertNotIn('ports', services['frontend'])

    def test_compose_has_a_network_for_plain_http_alone(self):
        compose = yaml.safe_load(read('compose.yaml'))
        self.assertTrue(compose['networks']['portal']['internal'])
        members = [name for name, service in compose['services'].items()
                   if 'portal' in service['networks']]
        self.assertEqual(sorted(members), sorted(PROGRAMS))

    def kubernetes(self):
        return {item['kind']: item
                for item in yaml.safe_load_all(read('kubernetes.yaml'))}

    def test_kubernetes_takes_all_rights(self):
        pod = self.kubernetes()['Deployment']['spec']['template']['spec']
        self.assertFalse(pod['automountServiceAccountToken'])
        self.assertTrue(pod['securityContext']['runAsNonRoot'])
        containers = {one['name']: one
                      for one in pod['initContainers'] + pod['containers']}
        self.assertEqual(sorted(containers), sorted(PROGRAMS))
        for program, container in containers.items():
            context = container['securityContext']
            self.assertEqual(context['runAsUser'], image_id(program))
            self.assertEqual(context['runAsGroup'], image_id(program))
            self.assertTrue(context['readOnlyRootFilesystem'])
            self.assertFalse(context['allowPrivilegeEscalation'])
            self.assertEqual(context['capabilities'], {'drop': ['ALL']})
            ports = [port['name'] for port in container['ports']]
            for probe in ('startupProbe', 'livenessProbe', 'readinessProbe'):
                self.assertIn(container[probe]['httpGet']['port'], ports)
            self.assertTrue(all(
                mount.get('readOnly') or mount['name'] == 'state'
                for mount in container['volumeMounts']))

    def test_kubernetes_selects_the_pods_of_the_deployment(self):
        kinds = self.kubernetes()
        labels = kinds['Deployment']['spec']['template']['metadata']['labels']
        for selector in (
                kinds['Deployment']['spec']['selector']['matchLabels'],
                kinds['Service']['spec']['selector'],
                kinds['NetworkPolicy']['spec']['podSelector']['matchLabels']):
            self.assertLessEqual(selector.items(), labels.items())
        claims = [volume['persistentVolumeClaim']['claimName'] for volume in
                  kinds['Deployment']['spec']['template']['spec']['volumes']
                  if 'persistentVolumeClaim' in volume]
        self.assertEqual(
            claims, [kinds['PersistentVolumeClaim']['metadata']['name']])

    def test_kubernetes_allows_no_other_connections(self):
        policy = self.kubernetes()['NetworkPolicy']['spec']
        self.assertEqual(policy['policyTypes'], ['Ingress', 'Egress'])
        for rule in policy['egress']:
            self.assertTrue(rule['to'] and rule['ports'])
        open_ports = [port['port'] for rule in policy['ingress']
                      if 'from' not in rule for port in rule['ports']]
        self.assertEqual(open_ports, [image_port('proxy')])

    def test_the_tags_are_those_of_this_version(self):
        version = re.search(r'^project\(carme VERSION ([\d.]+)',
                            (ROOT / 'CMakeLists.txt').read_text(), re.MULTILINE)
        for name in subprocess.run(['git', 'ls-files', '--cached', '--others',
                                    FOLDER], cwd=ROOT, check=False, text=True,
                                   capture_output=True).stdout.split():
            for tag in re.findall(r'localhost/carme-\w+:([\d.]+\d)',
                                  (ROOT / name).read_text(encoding='utf-8')):
                self.assertEqual(tag, version[1], name)


unittest.main()
