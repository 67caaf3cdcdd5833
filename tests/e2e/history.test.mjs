// What ended and what it used, in the page and as a file; and the cluster's
// page, on real nodes.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {readFileSync} from 'node:fs';

import {at, call, launch, newPerson, open, resumeSession} from './browser.mjs';
import {onHost, waitFor} from '../support/demo.mjs';
import {Client} from '../support/portal.mjs';

const word = `history ${Date.now()}`;
const name = `=1+1, ${word}`;
const bob = new Client();
const carol = new Client();
let browser, page, jobId, drained;

const list = async (client, filter) => {
  const {status, body} =
      await client.call('HistoryService/ListHistory', {filter});
  return {status, jobs: body.jobs ?? [], body};
};
const adas = {call: (method, body) => call(page, method, body)};
// As on the page, which gets changes of nodes after some seconds.
const nodeIs = (pattern) => waitFor(`n2 ${pattern}`, async () => {
  const {body} = await call(page, 'ClusterUtilizationService/GetClusterUtilization', {});
  return body.nodes.find(
      (node) => node.name === 'n2' && pattern.test(node.state));
});
const drain = (state) => onHost('head', 'scontrol', 'update', 'NodeName=n2',
                                `State=${state}`, 'Reason=new fans');

before(async () => {
  await bob.resume('bob');
  await carol.resume('carol');
  browser = await launch();
  page = await newPerson(browser);
  await resumeSession(page, 'ada');
});
after(async () => {
  if (drained) {
    drain('RESUME');
    await nodeIs(/^IDLE$/);  // or the next file finds it gone
  }
  if (jobId) await call(page, 'JobService/StopJob', {jobId});
  await browser.close();
});

test('history: a job that ran is there once it has ended', async () => {
  const spec =
      {name, app: 'shell', gpusPerNode: 1, gpuType: 'h200', walltime: '1800s'};
  const {status, body} = await call(page, 'JobService/SubmitJob', {spec});
  assert.equal(status, 200, JSON.stringify(body));
  jobId = body.job.id;
  await page.locator(`${at(`job-${jobId}`)}[data-state="ready"]`).waitFor();
  assert.deepEqual((await list(adas, {search: word})).jobs, []);

  // Its GPU is given away on the cluster's page, and comes back.
  await page.click(at('to-cluster'));
  // What nodes have and when jobs end comes to the page one after the other.
  await page.locator(`${at('free-h200')}[data-free="1"]`)
      .filter({hasText: '1 of 2 available now'})
      .filter({hasText: /2 free at .*\d\d:\d\d/}).waitFor();

  await call(page, 'JobService/StopJob', {jobId});
  await waitFor('its end', async () =>
      (await list(adas, {search: word})).jobs.length === 1);
  await page.click(at('to-usage'));
  await page.click(at('nav-history'));
  await page.fill(at('history-search'), word.toUpperCase());
  // The list before the search has this job as well.
  await waitFor('the search shows one job', async () =>
      await page.locator('[data-testid^="ended-"]').count() === 1);
  const row = page.locator(at(`ended-${jobId}`));
  await row.waitFor();
  const text = await row.innerText();
  assert.match(text, /Stopped/);
  assert.match(text, /1 × h200/);
  assert.match(text, /n1/);
  assert.match(await page.locator(at('history-figures')).innerText(),
               /estimated by Carme|from Slurm accounting/);
});

test('history: jobs that do not match are not shown', async () => {
  await page.selectOption(at('history-end'), 'node failed');
  await page.locator(at('history-none')).waitFor();
  await page.goBack();
  await page.locator(at(`ended-${jobId}`)).waitFor();
});

test('history: an exported file has no formulas', async () => {
  const [saved] = await Promise.all(
      [page.waitForEvent('download'), page.click(at('history-export'))]);
  assert.match(saved.suggestedFilename(), /^carme-jobs-.*\.csv$/);
  const lines = readFileSync(await saved.path(), 'utf8').split('\r\n');
  assert.match(lines[0], /^job,slurm_job,user,/);
  assert.equal(lines.length, 3);  // and nothing behind the last end of a line
  assert.ok(lines[1].includes(`"'=1+1, ${word}"`), lines[1]);
});

test('history: visible to owner, support and administrators',
     async () => {
       assert.deepEqual((await list(bob, {search: word})).jobs, []);
       const all = {scope: 'HISTORY_SCOPE_EVERYBODY', search: word};
       assert.equal((await list(bob, all)).status, 403);
       assert.equal((await list(bob, {
         scope: 'HISTORY_SCOPE_PROJECT',
         project: 'a23456789abcdefg',
       })).status, 404);
       const {jobs} = await list(carol, all);
       assert.deepEqual(jobs.map(({username}) => username), ['ada']);
       const everybody = `${at('history-owner')} option[value="everybody"]`;
       assert.equal(await page.locator(everybody).count(), 0);
     });

test('usage: is in GPU hours, by type and by day', async () => {
  await page.click(at('nav-usage'));
  const row = page.locator(at('used-h200'));
  await row.waitFor();
  assert.match(await row.locator(at('gpu-hours')).innerText(), /^(<|\d)/);
  assert.match(await page.locator(at('usage-sum')).innerText(), /GPU hours/);
  await page.locator(`${at('usage-chart')} [role="group"]`).focus();
  await page.keyboard.press('ArrowLeft');
  assert.match(await page.locator(at('usage-value')).innerText(), /h200/);
  await page.selectOption(at('usage-by'), 'USER');
  await page.locator(at('used-ada')).waitFor();
  assert.equal(await page.locator(at('used-bob')).count(), 0);
});

test('cluster: the user\'s pending job is in the queue, with its reason', async () => {
  const startAt = new Date(Date.now() + 3600_000).toISOString();
  const {body} = await call(page, 'JobService/SubmitJob', {spec: {
    name: 'in the queue', app: 'shell', gpusPerNode: 0, walltime: '600s', startAt,
  }});
  jobId = body.job.id;
  await open(page, '/cluster');
  await page.locator(at(`place-${jobId}`))
      .filter({hasText: 'waiting for its start time'}).waitFor();
  await call(page, 'JobService/StopJob', {jobId});
});

test('cluster: shows a drained node with the reason, in a table, in a grid ' +
     'and in detail', async () => {
  drained = true;
  drain('DRAIN');
  await nodeIs(/DRAIN/);
  await open(page, '/cluster');
  await page.reload();
  await page.locator(at('node-n2'))
      .filter({hasText: /Out of use|Draining/})
      .filter({hasText: 'new fans'}).waitFor();
  await page.click(at('view-grid'));
  await page.locator(`${at('cell-n2')}[aria-label*="new fans"]`).click();
  await page.locator(at('node-detail')).filter({hasText: 'new fans'}).waitFor();
  assert.equal(await page.locator(at('node-resume')).count(), 0);
  await page.click(at('dialog-close'));
  await page.locator(at('node-detail')).waitFor({state: 'detached'});
  await page.locator(at('queue-main')).waitFor();
  await page.locator(at('tab-month')).click();
  await page.locator(`${at('use-none')}, ${at('use-h200')}`).waitFor();
  assert.deepEqual(page.problems, []);
});
