// `carmectl doctor` in the demo: each breakage of a part gives its finding,
// which says what is wrong, why it matters and what to do; when that is done,
// doctor finds nothing.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {change, doctor, sh} from '../support/doctor.mjs';
import {CLUSTER_BREAKAGES, replaceImage} from './cluster_breakages.mjs';
import {
  HOST_BREAKAGES, copyState, lowerMaxConnections,
} from './host_breakages.mjs';
import {NETWORK_BREAKAGES, connectSite} from './network_breakages.mjs';

const BREAKAGES =
    [...HOST_BREAKAGES, ...NETWORK_BREAKAGES, ...CLUSTER_BREAKAGES];

// Findings without a breakage here, and why. doctor_test has one of each.
const NOT_BROKEN = {
  'backend-is-standby': 'the demo has one backend',
  'cgroup-devices-unconstrained': 'in the row of job-opens-foreign-gpu',
  'clock-unsynchronized': "the kernel's clock is the machine's",
  'confinement-job-not-run': 'in the row of slurm-feature-missing',
  'configuration-warning': "the demo's domains always give it",
  'munge-decode-failed': 'munged decodes what it has encoded',
  'node-munge-refused': 'in the row of node-clock-wrong',
  'slurm-cluster-name-missing': 'slurmctld does not start without a name',
  'slurm-release-differs': 'the demo has one release of Slurm',
  'unit-disabled': 'no systemd in the demo; as unit-not-active, units_test',
  'unit-not-active': 'no systemd in the demo',
  'units-not-checked': 'no systemd in the demo: always there',
  'version-differs': "the demo has one release; tests/upgrade has two",
};

const EXIT_CODES = {note: 0, warning: 5, error: 1};

let undoSite = [];
before(async () => {
  undoSite = await connectSite();
  undoSite.unshift(replaceImage());
  copyState();
  lowerMaxConnections();
  sh('n1', 'mkdir -p /run/disk/scratch');
});

after(async () => {
  for (const undo of undoSite.reverse()) await undo();
});

// Whether the kernel's clock is synchronized is the machine's matter.
const run = (row, options) => {
  const result = doctor(row.host, row.check, {...row, ...options});
  const {findings} = result;
  result.findings = findings.filter(({id}) => id !== 'clock-unsynchronized');
  result.worst = ['error', 'warning', 'note'].find(
      (severity) => findings.some((each) => each.severity === severity));
  return result;
};

function assertHealthy(row) {
  const result = run(row);
  assert.deepEqual(result.findings, []);
}

function assertReported(row, {code, findings, worst}) {
  const expected = Array(row.occurs ?? 1).fill(row.finding);
  assert.deepEqual(findings.map(({id}) => id).sort(),
                   [...expected, ...(row.also ?? [])].sort(),
                   JSON.stringify(findings, null, 1));
  const finding = findings.find(({id}) => id === row.finding);
  assert.equal(finding.severity, row.severity);
  assert.match(finding.problem, row.says);
  assert.match(finding.why, /^\w.{20,}\.$/s);
  assert.match(finding.remedy, row.remedy);
  assert.equal(code, EXIT_CODES[worst]);
  return finding;
}

for (const row of BREAKAGES) {
  test(`${row.finding}: ${row.what}`, {timeout: 120_000}, async () => {
    assertHealthy(row);
    const undo = await row.break?.() ?? (() => {});
    try {
      const finding = assertReported(row, run(row, row.how));
      if (typeof row.mend === 'function') await row.mend(finding, row);
      else await undo();
      assertHealthy(row);
    } finally {
      await undo();
    }
  });
}

test('each finding has a breakage, or a reason for having none', () => {
  const {output} = doctor('head', [], {json: false, options: ['--list']});
  const all = [...output.matchAll(/^  (note|warning|error) (\S+)$/gm)];
  assert.ok(all.length > 80);
  const broken = new Set(BREAKAGES.map(({finding}) => finding));
  for (const [, , id] of all) {
    assert.ok(broken.has(id) !== id in NOT_BROKEN, id);
  }
});

test('doctor finds in the demo what its one machine cannot have', () => {
  const findings = ['head', 'dmz', 'n1'].flatMap((host) => doctor(
      host, [], {options: ['--skip', 'descriptors', '--skip', 'firewall']})
      .findings.map(({id}) => id));
  assert.deepEqual(
      [...new Set(findings)].filter((id) => id !== 'clock-unsynchronized'),
      ['units-not-checked', 'configuration-warning']);
});

test('the text report has the finding, its reason and the remedy', () => {
  const undo = change('head', '/etc/carme/backend.key',
                      'chmod 444 /etc/carme/backend.key');
  try {
    const {code, output} = doctor('head', 'secrets', {json: false});
    assert.equal(code, 1);
    assert.match(output, new RegExp(
        'error \\[secrets\\] secret-exposed\n  "/etc/carme/backend.key" has ' +
        'mode 444.*\\.\n  Users of this host .*\\.\n  Remedy: chown 64101 '));
    assert.match(output, /^1 errors, 0 warnings, 0 notes$/m);
  } finally {
    undo();
  }
  const {code, output} = doctor('head', 'secrets', {json: false});
  assert.equal(code, 0);
  assert.match(output, /^0 errors, 0 warnings, 0 notes$/m);
});
