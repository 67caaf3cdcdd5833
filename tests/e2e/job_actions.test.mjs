// What a job's user does with it while it lives: more time, a hold, a later
// start; and the notification when it fails.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {at, call, launch, newPerson, resumeSession} from './browser.mjs';
import {onHost, waitFor} from '../support/demo.mjs';
import {Client} from '../support/portal.mjs';

const kWebApp = `#!/bin/sh
echo 'reading data'
echo "ModuleNotFoundError: No module named 'torch_geometric'"
exit 1
`;

let browser, page;
const jobs = [];
const card = (id) => page.locator(at(`job-${id}`));
const submit = async (spec) => {
  const answer = await call(page, 'JobService/SubmitJob', {spec: {
    walltime: '600s', app: 'shell', gpusPerNode: 0, cpusPerNode: 1, ...spec,
  }});
  if (answer.status === 200) jobs.push(answer.body.job.id);
  return answer;
};
const submitted = async (spec) => {
  const {status, body} = await submit(spec);
  assert.equal(status, 200, JSON.stringify(body));
  return body.job;
};
const jobNow = async (jobId) =>
    (await call(page, 'JobService/GetJob', {jobId})).body.job;
const squeue = ({slurmJobId}, format) =>
    onHost('head', 'squeue', '-h', '-t', 'all', '-j', `${slurmJobId}`, '-o',
           format).trim();
const scontrol = ({slurmJobId}, ...change) =>
    onHost('head', 'scontrol', 'update', `jobid=${slurmJobId}`, ...change);
const secondsOf = ({startedAt, endsAt}) =>
    (Date.parse(endsAt) - Date.parse(startedAt)) / 1000;
const asBob = (script) =>
    onHost('n1', 'runuser', '-u', 'bob', '--', 'sh', '-c', script);

before(async () => {
  asBob('mkdir -p ~/.carme');
  browser = await launch();
  page = await newPerson(browser);
  await resumeSession(page, 'bob');
});
after(async () => {
  for (const jobId of jobs) await call(page, 'JobService/StopJob', {jobId});
  asBob('rm -f ~/.carme/web-app');
  await browser.close();
});

test('start time: a time in the past is refused, beside its field',
     async () => {
       const past = new Date(Date.now() - 3600_000).toISOString();
       const {body} = await submit({startAt: past});
       assert.equal(body.code, 'invalid_argument', JSON.stringify(body));
       assert.match(body.message, /startAt must be in the future/);
       await page.click(at('more-options'));
       await page.fill(at('field-startAt'), '2020-01-01T10:00');
       const complaint = page.locator(at('violation-startAt')).first();
       await complaint.waitFor();
       assert.match(await complaint.innerText(), /must be in the future/i);
       await page.fill(at('field-startAt'), '');
     });

test('hold: only its owner holds and releases a delayed job', async () => {
  const later = new Date(Date.now() + 3600_000).toISOString();
  const job = await submitted({startAt: later, name: 'later'});
  await waitFor('Slurm waits for its time', async () =>
      (await jobNow(job.id)).reason === 'waiting for its start time');

  const ada = new Client();
  await ada.resume('ada');
  for (const act of ['HoldJob', 'ReleaseJob', 'KeepAliveJob', 'ExtendJob']) {
    const {body} = await ada.call(`JobService/${act}`, {jobId: job.id});
    assert.equal(body.code, 'not_found', `${act}: ${JSON.stringify(body)}`);
  }

  await card(job.id).locator(at('job-hold')).click();
  await card(job.id).locator(at('job-unhold')).waitFor();
  await waitFor('Slurm holds it', () => squeue(job, '%r') === 'JobHeldUser');
  await card(job.id).locator(at('job-unhold')).click();
  await card(job.id).locator(at('job-hold')).waitFor();
  await waitFor('it waits for its time again',
                () => squeue(job, '%r') === 'BeginTime');

  // Behind our back, by root: its user cannot end that.
  scontrol(job, 'priority=0');
  await waitFor('the page says who holds it', async () =>
      (await card(job.id).innerText()).match(/held by an administrator/i));
  const {body} = await call(page, 'JobService/ReleaseJob', {jobId: job.id});
  assert.equal(body.code, 'failed_precondition', JSON.stringify(body));
  await call(page, 'JobService/StopJob', {jobId: job.id});
});

test('extension: as far as the limits, once a key, and on the card', async () => {
  const {id} = await submitted({name: 'longer'});
  await waitFor('it is ready', async () =>
      (await jobNow(id)).state === 'JOB_STATE_READY');
  const job = await jobNow(id);
  assert.equal(job.extendableBy, `${480 * 60 - 600}s`);
  const extend = (by, idempotencyKey = '') => call(
      page, 'JobService/ExtendJob', {jobId: id, by, idempotencyKey});

  const tooFar = await extend(`${480 * 60}s`);
  assert.equal(tooFar.body.code, 'permission_denied');
  assert.match(tooFar.body.message, /walltime would be 490 min: .* allows at/);
  assert.equal((await extend('90s')).body.code, 'invalid_argument');
  assert.equal(squeue(job, '%l'), '10:00');

  await card(id).locator(at('job-extend')).click();
  await page.fill(at('extend-by'), '9 h');
  await page.locator(at('extend-error')).waitFor();
  await page.fill(at('extend-by'), '15 min');
  await page.locator(at('extend-end')).waitFor();
  await page.click(at('extend-submit'));
  await waitFor('it has a quarter of an hour more',
                () => squeue(job, '%l') === '25:00');
  await waitFor('Carme knows it',
                async () => secondsOf(await jobNow(id)) === 25 * 60);

  for (const times of [1, 2]) {
    const {status, body} = await extend('300s', 'one key');
    assert.equal(status, 200, `${times}: ${JSON.stringify(body)}`);
    assert.equal(secondsOf(body.job), 30 * 60);
  }
  assert.equal(squeue(job, '%l'), '30:00');

  // Behind our back.
  scontrol(job, 'timelimit=20');
  await waitFor('the new end is shown',
                async () => secondsOf(await jobNow(id)) === 20 * 60);
  await waitFor('and what may be added', async () =>
      (await jobNow(id)).extendableBy === `${480 * 60 - 20 * 60}s`);
  await call(page, 'JobService/StopJob', {jobId: id});
});

test('failure: a job that is killed after its start is not reported as one ' +
         'that could not start', async () => {
  const {id} = await submitted({name: 'killed'});
  await waitFor('it is ready', async () =>
      (await jobNow(id)).state === 'JOB_STATE_READY');
  const {slurmJobId} = await jobNow(id);
  onHost('head', 'runuser', '-u', 'bob', '--', 'scancel', '-s', 'KILL', '-b',
         `${slurmJobId}`);
  await waitFor('it has ended', async () =>
      (await jobNow(id)).state === 'JOB_STATE_ENDED');
  const {end, reason} = await jobNow(id);
  assert.equal(end, 'JOB_END_FAILED');
  assert.match(reason, /killed/);
  assert.doesNotMatch(reason, /could not start/);
});

test('failure: the last lines and advice are below the job', async () => {
  asBob(`cat > ~/.carme/web-app <<'END'\n${kWebApp}END\n` +
        'chmod 755 ~/.carme/web-app');
  const {id} = await submitted({app: 'web', name: 'breaks'});
  await page.waitForSelector(`${at(`job-${id}`)}[data-state="ended"]`);
  const advice = card(id).locator(at('job-advice'));
  await advice.filter({hasText: 'torch_geometric'}).waitFor();
  assert.match(await advice.innerText(),
               /Python has no module "torch_geometric"/);
  await card(id).locator('summary').click();
  const lines = await card(id).locator(at('job-log-tail')).innerText();
  assert.match(lines, /^reading data\nModuleNotFoundError: /);
  assert.deepEqual(page.problems.filter((text) => !/ 4\d\d /.test(text)), []);
});
