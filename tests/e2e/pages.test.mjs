// An app that is opened before it answers: its tab shows the status, goes
// on by itself, and shows when the job has ended.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {at, call, launch, newPerson, pageOf} from './browser.mjs';
import {demo, onHost, waitFor} from '../support/demo.mjs';
import {Client} from '../support/portal.mjs';

let browser, page, tab, job;
const says = (code) =>
    tab.waitForSelector(`html[data-code="${code}"]`, {timeout: 60_000});
const card = () => page.locator(at(`job-${job.id}`));

before(async () => {
  browser = await launch();
  const bob = new Client();
  await bob.resume('bob');
  page = await pageOf(browser, bob);
  await page.goto(demo().portal);
  await page.waitForSelector(at('start-form'));
});
after(async () => {
  if (job) await call(page, 'JobService/StopJob', {jobId: job.id});
  await browser.close();
});

test('page: an opened pending job shows why it waits', async () => {
  const startAt = new Date(Date.now() + 3600_000).toISOString();
  const {status, body} = await call(page, 'JobService/SubmitJob', {spec: {
    walltime: '600s', app: 'jupyter', gpusPerNode: 0, name: 'early', startAt,
  }});
  assert.equal(status, 200, JSON.stringify(body));
  job = body.job;
  [tab] = await Promise.all([
    page.context().waitForEvent('page'),
    card().locator(at('job-open-early')).click(),
  ]);
  tab.problems = [];
  // A policy that holds something of the page's own back is an error there.
  tab.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) {
      tab.problems.push(message.text());
    }
  });
  await says('job-pending');
  await tab.locator('#reason', {hasText: 'waiting for its start time'})
      .waitFor();
  await tab.locator('#start', {hasText: 'Expected to start at about'})
      .waitFor();
});

test('page: other users do not see that the job exists', async () => {
  const visitor = await newPerson(browser);
  const nowhere = `https://${'b'.repeat(16)}.${demo().jobs_domain}/`;
  const texts = [];
  for (const url of [tab.url(), nowhere]) {
    const answer = await visitor.goto(url);
    assert.equal(answer.status(), 401);
    const text = await visitor.locator('main').innerText();
    texts.push(text.replace(/Request .*/, ''));
  }
  assert.equal(texts[0], texts[1]);
  await visitor.context().close();
});

test('page: becomes JupyterLab by itself when the job has started', async () => {
  onHost('head', 'scontrol', 'update', `jobid=${job.slurmJobId}`,
         'StartTime=now');
  await tab.waitForURL(/\/lab/, {timeout: 60_000});
  await tab.waitForSelector('.jp-LabShell', {timeout: 60_000});
  assert.deepEqual(tab.problems, []);
});

test('page: the job\'s card shows that it is open in a browser', async () => {
  await card().locator(at('job-in-use'), {hasText: /\d open connection/})
      .waitFor();
});

test('page: shows that the job has been stopped', async () => {
  await call(page, 'JobService/StopJob', {jobId: job.id});
  await waitFor('the job has ended', async () => {
    const {body} = await call(page, 'JobService/GetJob', {jobId: job.id});
    return body.job.state === 'JOB_STATE_ENDED';
  });
  // Not by a reload of its own: JupyterLab reports that its server is gone.
  await tab.goto(`https://${job.id}.${demo().jobs_domain}/lab`);
  await says('job-ended');
  await tab.locator('#reason', {hasText: 'it was stopped'}).waitFor();
  assert.equal(await tab.locator('main a').first().getAttribute('href'),
               demo().portal);
});
