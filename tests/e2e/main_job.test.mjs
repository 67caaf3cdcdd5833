// The purpose of Carme: log in, start a job on a GPU as yourself, open Jupyter
// in it, run a cell, stop the job.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {at, call, enterPassword, launch, logIn, logOut,
        newPerson} from './browser.mjs';
import {demo, kill9, onHost, sleep, userNamed, waitFor} from '../support/demo.mjs';
import {kernelIdle, newNotebook, runCell} from './notebook.mjs';

let browser, page, tree, notebook, jobId;
const sockets = new Set();  // of the notebook, those that are open
before(async () => {
  browser = await launch();
  page = await newPerson(browser);
});
after(() => browser.close());

const jobCard = () => page.locator(at(`job-${jobId}`));
const stateIs = (state, timeout = 60_000) => page.waitForSelector(
    `${at(`job-${jobId}`)}[data-state="${state}"]`, {timeout});

test('log-in: a wrong password and an unknown user get one sentence',
     async () => {
       const sentences = [];
       for (const [name, password] of [['ada', 'wrong'], ['nobody9', 'x']]) {
         await enterPassword(page, name, password);
         sentences.push(await page.locator(at('login-failure')).innerText());
       }
       assert.equal(sentences[0], sentences[1]);
       assert.equal(await page.locator(at('totp-input')).count(), 0);
     });

test('log-in: password and code open the page', async () => {
  await logIn(page, 'ada');
  for (const type of ['h200', 'a100']) {
    assert.equal(await page.locator(at(`gpu-card-${type}`)).count(), 1);
  }
});

test('form: more GPUs than the limit is refused with its name', async () => {
  const {body} = await call(page, 'ClusterService/GetCluster', {});
  const most = body.limits.maxGpusPerJob;
  const spec = {gpusPerNode: most + 1, walltime: '600s', app: 'jupyter'};
  const preview = await call(page, 'JobService/PreviewJob', {spec});
  const violation =
      preview.body.violations.find((v) => v.limit === 'max_gpus_per_job');
  assert.equal(violation.value, String(most));
  const submitted = await call(page, 'JobService/SubmitJob', {spec});
  assert.equal(submitted.status, 403);
  assert.match(submitted.body.message, /max_gpus_per_job/);
  assert.ok(submitted.body.requestId);
});

test('job: starts on a GPU and becomes ready', async () => {
  await page.selectOption(at('field-gpuType'), 'h200');
  await page.click(at('more-options'));
  await page.fill(at('field-name'), 'main job');
  await page.click(at('start-submit'));
  const card = page.locator(
      '[data-testid^="job-"][data-state]:not([data-state="ended"])' +
      ':not([data-state="stopping"])').first();
  await card.waitFor();
  jobId = (await card.getAttribute('data-testid')).slice('job-'.length);
  await stateIs('ready');
});

test('job: runs in Slurm as the user, with the Carme id', async () => {
  const {body} = await call(page, 'JobService/GetJob', {jobId});
  const line = onHost('head', 'squeue', '-h', '-j', String(body.job.slurmJobId),
                      '-o', '%u %k %b');
  assert.match(line, new RegExp(`^ada carme:${jobId} .*gpu:h200:1`));
});

test('notebook: a cell runs as the LDAP user on the GPU', async () => {
  [tree] = await Promise.all([
    page.context().waitForEvent('page'),
    jobCard().locator(at('job-open')).click(),
  ]);
  tree.on('websocket', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  notebook = await newNotebook(tree);
  assert.equal(await runCell(notebook, '!id -un'), 'ada');
  assert.match(await runCell(
      notebook, 'import os; print(os.environ["CUDA_VISIBLE_DEVICES"])'), /^\d$/);
});

// A batch names its calls in its body.
const callsOf = (request) => `${request.url()} ${request.postData() ?? ''}`;

test('log: the page follows what the notebook\'s server writes', async () => {
  const requests = [];
  const note = (request) => requests.push(callsOf(request));
  page.on('request', note);
  const requestsOf = (name) => requests.filter((each) => each.includes(name));
  await jobCard().locator(at('job-log')).click();
  await page.click(at('tab-jupyter'));
  const log = page.locator(at('log-text'));
  await log.filter({hasText: /kernel started/i}).waitFor();
  assert.doesNotMatch(await log.innerText(), /\x1b/);
  const opened = requestsOf('JobLogService/FollowLog').length;
  assert.ok(opened >= 1 && opened <= 2, `${opened} streams of two tabs`);
  for (const mark of [`mark-of-${jobId}`, `again-${jobId}`]) {
    await notebook.evaluate((text) => fetch(`/api/contents/${text}`), mark);
    await log.filter({hasText: mark}).waitFor({timeout: 60_000});
  }
  page.off('request', note);
  // The stream brings it: nothing is asked for.
  assert.deepEqual(requestsOf('GetLog'), []);
  assert.equal(requestsOf('JobLogService/FollowLog').length, opened);
  await page.keyboard.press('Escape');
  await log.waitFor({state: 'detached'});
});

// ipykernel 6 opens one port for its debugger, on loopback, and takes only
// messages with the kernel's random key; it has no option against it.
test('notebook: its kernel opens no port but its debugger\'s on loopback',
     async () => {
       const {body} = await call(page, 'JobService/GetJob', {jobId});
       const listeners = onHost(body.job.nodes[0], 'ss', '-Hltn').trim()
           .split('\n').map((line) => line.split(/\s+/)[3]);
       const port = (listener) => Number(listener.split(':').pop());
       const foreign = listeners.filter((listener) =>
           port(listener) !== 6818 &&
           !(port(listener) >= 34000 && port(listener) <= 34999));
       const open = foreign.filter((listener) =>
           !/^(127\.|\[::1\])/.test(listener));
       assert.deepEqual(open, []);
       assert.ok(foreign.length <= 1, foreign.join(' '));
     });

test('notebook: its origin is the job\'s own and holds no Carme cookie',
     async () => {
       const host = new URL(notebook.url()).host;
       assert.equal(host, `${jobId}.${demo().jobs_domain}`);
       assert.doesNotMatch(await notebook.evaluate('document.cookie'), /carme/);
       assert.doesNotMatch(await page.evaluate('document.cookie'), /carme/);
     });

for (const program of ['backend', 'frontend', 'impersonator']) {
  test(`kill -9 of the ${program}: the notebook does not notice`, async () => {
    kill9(`carme-${program}`);
    assert.equal(await runCell(notebook, 'print(6 * 7)'), '42');
    await waitFor('the page answers', async () => {
      const {status, body} = await call(page, 'JobService/ListJobs', {});
      return status === 200 &&
          body.jobs.filter((job) => job.id === jobId).length === 1;
    });
    await stateIs('ready');
  });
}

test('kill -9 of the proxy: the notebook is back by itself', async () => {
  kill9('carme-proxy');
  await waitFor('the notebook answers again', async () => {
    await kernelIdle(notebook);
    return (await runCell(notebook, 'print(6 * 7)')) === '42';
  });
});

test('job: stops, and the notebook\'s connection closes', async () => {
  assert.ok(sockets.size > 0);
  await jobCard().locator(at('job-stop')).click();
  await page.click(at('confirm-stop'));
  await stateIs('ended');
  await waitFor('the websocket closes', () => sockets.size === 0);
  await waitFor('Slurm has no job', () =>
      onHost('head', 'squeue', '-h', '-u', 'ada').trim() === '');
  const answer = await notebook.reload();
  assert.equal(answer.status(), 404);
});

test('log-out: the session ends for its cookie too', async () => {
  const cookies = await page.context().cookies(demo().portal);
  await logOut(page);
  await page.waitForSelector(at('login-username'));
  await page.context().addCookies(cookies);
  const {status} = await call(page, 'JobService/ListJobs', {});
  assert.equal(status, 401);
});
