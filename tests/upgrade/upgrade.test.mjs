// Programs of the last release beside those of this tree, in each mixture of
// frontend, proxy and agents: first with the old backend, then with the new one.
// Neighbours differ by one program, so that each step is one upgrade or one
// return to the old program. CARME_UPGRADE_OLD and CARME_UPGRADE_NEW are the
// installed releases; the demo begins with the old one (tests/upgrade/run).
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {
  install, log, portalServes, restart, restartProxy, runsInstalled,
} from './releases.mjs';
import {launch, newPerson, pageOf} from '../e2e/browser.mjs';
import {newNotebook, runCell} from '../e2e/notebook.mjs';
import {demo, onHost, waitFor} from '../support/demo.mjs';
import {Client, streamOf} from '../support/portal.mjs';

const order = ['frontend', 'proxy', 'agent'];
const visitors = ['carol', 'bob', 'ada'];  // a code works once in 30 s
const database = '/run/disk/carme/carme.db';
const running = {frontend: 'old', proxy: 'old', agent: 'old', backend: 'old'};
const ada = new Client();
let browser, notebook, jobId, kernel, steps = 0;

const hpc = ['carme-impersonator', 'carme-storage-reader', 'carme-backend'];

async function replace(part, release) {
  install(part, release);
  if (part === 'proxy') await restartProxy();
  if (part === 'frontend') await restart('carme-frontend');
  if (part === 'metrics') await restart('carme-metrics');
  if (part === 'backend') for (const program of hpc) await restart(program);
  running[part] = release;
  await portalServes();
}

async function submit(client, app, walltime) {
  const {status, body} = await client.call('JobService/SubmitJob', {
    spec: {name: 'upgrade', walltime, app, gpusPerNode: 0, cpusPerNode: 1},
  });
  assert.equal(status, 200, JSON.stringify(body));
  return body.job;
}

async function addressOf(client, jobId) {
  const {status, body} = await client.call('JobService/OpenApp', {jobId});
  assert.equal(status, 200, JSON.stringify(body));
  return body.url;
}

async function notebookAnswers() {
  assert.equal(
      await runCell(notebook, 'print(started == os.getpid(), started)'),
      `True ${kernel}`);
}

async function sessionLives() {
  const {status, body} = await ada.call('AuthService/GetSession', {});
  assert.equal(status, 200, JSON.stringify(body));
}

// Samples of the notebook from 15 s on, longer than a value is shown after it.
async function samplesContinue() {
  const from = Date.now() + 15_000;
  await waitFor('samples of the notebook', async () => {
    const {status, body} = await ada.call('MetricsService/GetJobMetrics', {
      jobId, names: ['carme_job_cpu_seconds_total'], stepS: 5,
    });
    if (status !== 200) return false;  // carme-metrics starts
    const values = body.series?.[0]?.values ?? [];
    const last = values.findLastIndex((value) => value !== 'NaN');
    return Number(body.fromMs) + last * body.stepS * 1000 > from;
  });
}

// A log-in, a job with the installed agent, and its terminal in a browser.
async function newJobWorks() {
  const client = new Client();
  await client.logIn(visitors[steps++ % visitors.length]);
  const watch = streamOf(client);
  let id;
  try {
    ({id} = await submit(client, 'shell', '600s'));
    await watch.until(id, 'JOB_STATE_READY');
    const {body} = await client.call('JobService/GetJob', {jobId: id});
    agentIsInstalled(body.job);
    const page = await pageOf(browser, client);
    const drawn = page.waitForEvent('websocket')
        .then((socket) => socket.waitForEvent('framereceived'));
    await Promise.all([drawn, page.goto(await addressOf(client, id))]);
    await page.context().close();
  } finally {
    // also after a failure: the next step needs its processors
    if (id) {
      await client.call('JobService/StopJob', {jobId: id});
      await watch.until(id, 'JOB_STATE_ENDED');
    }
    watch.close();
  }
  await client.call('AuthService/Logout', {});
}

function agentIsInstalled({slurmJobId, nodes: [node]}) {
  const host = demo().hosts[node].pid;
  const pids = onHost(node, 'sh', '-c',
      'grep -lz "^SLURM_JOB_ID=$0\\$" $(grep -l "^carme-agent" ' +
      '/proc/[0-9]*/comm | sed s/comm/environ/) || true', String(slurmJobId));
  assert.match(pids, /\/proc\/\d+\//, `no agent of job ${slurmJobId}`);
  for (const [, pid] of pids.matchAll(/\/proc\/(\d+)\//g)) {
    assert.ok(runsInstalled(`${host}/root/proc/${pid}`,
                            'libexec/carme/carme-agent'));
  }
}

function walk(backend, mixtures) {
  for (const mixture of mixtures) {
    const names = order.map((part, i) => `${mixture[i]} ${part}`).join(', ');
    test(`${backend} backend with ${names}`, async (t) => {
      for (const [i, part] of order.entries()) {
        if (running[part] !== mixture[i]) await replace(part, mixture[i]);
      }
      assert.equal(running.backend, backend);
      await t.test('the session before the first step lives', sessionLives);
      await t.test('the notebook before the first step answers', notebookAnswers);
      await t.test('a new job works', newJobWorks);
    });
  }
}

// All eight, from `first` on by one program a step.
const gray = ['000', '001', '011', '010', '110', '111', '101', '100'];
function mixturesFrom(first) {
  const start = gray.indexOf(first);
  return gray.map((_, i) => [...gray[(start + i) % gray.length]]
      .map((bit) => (bit === '1' ? 'new' : 'old')));
}

before(async () => {
  browser = await launch();
  await ada.logIn('ada');
  const watch = streamOf(ada);
  const {id} = await submit(ada, 'jupyter', '7200s');
  jobId = id;
  await watch.until(id, 'JOB_STATE_READY');
  watch.close();
  notebook = await newPerson(browser);
  await notebook.goto(await addressOf(ada, id));
  await newNotebook(notebook);
  kernel = await runCell(
      notebook, 'import os; started = os.getpid(); print(started)');
  assert.match(kernel, /^\d+$/);
});
after(() => browser?.close());

walk('old', mixturesFrom('000'));

test('the new carme-metrics with the old backend: samples continue', async () => {
  await replace('metrics', 'new');
  await samplesContinue();
});

const schema = () => Number(onHost('head', 'runuser', '-u', 'carme', '--',
    'python3', '-c', 'import sqlite3; print(sqlite3.connect(' +
    `"file:${database}?mode=ro", uri=True).execute(` +
    '"PRAGMA user_version").fetchone()[0])'));
let oldSchema;
test('upgrade of the backend: copies the database, then migrates it', async (t) => {
  oldSchema = schema();
  await replace('backend', 'new');
  const copies = onHost('head', 'ls', '/run/disk/carme')
      .match(/carme\.db\.schema-\d+\.\S+\.backup/g) ?? [];
  if (schema() === oldSchema) {
    t.skip(`both releases have schema ${oldSchema}`);
    return;
  }
  assert.equal(copies.length, 1);
  assert.ok(copies[0].startsWith(`carme.db.schema-${oldSchema}.`), copies[0]);
});

walk('new', mixturesFrom('100'));

test('the old carme-metrics with the new backend: samples continue', async () => {
  await replace('metrics', 'old');
  await samplesContinue();
  await replace('metrics', 'new');
  await samplesContinue();
});

test('the old backend refuses the migrated database', async (t) => {
  const migrated = schema();
  if (migrated === oldSchema) {
    t.skip(`both releases have schema ${migrated}`);
    return;
  }
  const from = log('carme-backend').length;
  install('backend', 'old');
  process.kill(demo().pids['carme-backend'], 'SIGTERM');
  try {
    await waitFor('the refusal', () => new RegExp(
        `has schema version ${migrated} of \\S.*; this is Carme \\d.*, which ` +
        `supports at most ${oldSchema}: .*carme\\.db\\.schema-${oldSchema}\\.`)
        .test(log('carme-backend').slice(from)));
    assert.equal(schema(), migrated);
    await notebookAnswers();  // meanwhile
  } finally {
    install('backend', 'new');
  }
  await portalServes();
  await sessionLives();
  await newJobWorks();
});
