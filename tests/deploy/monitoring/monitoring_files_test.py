#!/usr/bin/env python3
"""monitoring_files_test: Prometheus' promtool accepts the files of deploy/monitoring,
every alert fires in carme.rules.test.yml, the queries of the dashboard are valid,
and the Zabbix template is consistent. Skipped (77) without promtool."""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import yaml

HERE = pathlib.Path(__file__).resolve().parent
FILES = HERE.parents[2] / 'deploy' / 'monitoring'
findings = []


def promtool(*arguments):
    ran = subprocess.run(('promtool',) + arguments, capture_output=True,
                         text=True, check=False)
    if ran.returncode != 0:
        findings.append(f'promtool {" ".join(arguments)}: {ran.stdout}'
                        f'{ran.stderr}')


def check_rules(folder):
    shutil.copy(FILES / 'carme.rules.yml', folder)
    shutil.copy(HERE / 'carme.rules.test.yml', folder)
    promtool('check', 'rules', f'{folder}/carme.rules.yml')
    promtool('check', 'config', '--syntax-only', str(FILES / 'prometheus.yml'))
    promtool('test', 'rules', f'{folder}/carme.rules.test.yml')
    tested = set(re.findall(r'alertname="(\w+)"',
                            (HERE / 'carme.rules.test.yml').read_text()))
    groups = yaml.safe_load((FILES / 'carme.rules.yml').read_text())['groups']
    for rule in (rule for group in groups for rule in group['rules']):
        name = rule['alert']
        if name not in tested:
            findings.append(f'{name}: not in carme.rules.test.yml')
        if rule['labels']['severity'] not in ('critical', 'warning'):
            findings.append(f'{name}: unknown severity')
        if not rule.get('for') or set(rule['annotations']) != {'summary',
                                                               'remedy'}:
            findings.append(f'{name}: expected for, summary and remedy')


def check_dashboard(folder):
    """Its queries, as recording rules, because promtool checks those."""
    dashboard = json.loads((FILES / 'grafana-dashboard.json').read_text())
    ids = [panel['id'] for panel in dashboard['panels']]
    if len(ids) != len(set(ids)):
        findings.append('dashboard: two panels have the same id')
    queries = [target['expr'] for panel in dashboard['panels']
               for target in panel.get('targets', [])]
    rules = [{'record': f'dashboard:query{i}', 'expr': query}
             for i, query in enumerate(queries)]
    if not rules:
        findings.append('dashboard: no query')
    path = f'{folder}/dashboard.yml'
    with open(path, 'w', encoding='utf-8') as file:
        json.dump({'groups': [{'name': 'dashboard', 'rules': rules}]}, file)
    promtool('check', 'rules', path)


def check_zabbix():
    text = (FILES / 'zabbix-template.yaml').read_text()
    uuids = re.findall(r'uuid: (\w+)', text)
    if len(uuids) != len(set(uuids)):
        findings.append('zabbix: a uuid is used twice')
    for uuid in uuids:
        if not re.fullmatch(r'[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}', uuid):
            findings.append(f'zabbix: {uuid} is not a UUID of version 4')
    for template in yaml.safe_load(text)['zabbix_export']['templates']:
        items = template['items'] + [
            item for rule in template['discovery_rules']
            for item in [rule] + rule['item_prototypes']]
        keys = {item['key'] for item in items}
        for item in items:
            master = item.get('master_item', {}).get('key')
            if (item['type'] == 'DEPENDENT') != (master is not None):
                findings.append(f'zabbix: {item["key"]}: wrong master item')
            if master is not None and master not in keys:
                findings.append(f'zabbix: {item["key"]}: no item {master}')
            for trigger in (item.get('triggers', []) +
                            item.get('trigger_prototypes', [])):
                if f'/{template["template"]}/{item["key"]}' not in trigger[
                        'expression']:
                    findings.append(f'zabbix: trigger "{trigger["name"]}" is '
                                    'about another item')


def main():
    if shutil.which('promtool') is None:
        print('skipped: promtool is not installed (package prometheus)')
        return 77
    with tempfile.TemporaryDirectory() as folder:
        check_rules(folder)
        check_dashboard(folder)
    check_zabbix()
    print('\n'.join(findings) or 'monitoring: ok')
    return 1 if findings else 0


sys.exit(main())
