// Data that goes to the node with a job, and results that come back.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {at, call, launch, newPerson, resumeSession} from './browser.mjs';
import {onHost, waitFor} from '../support/demo.mjs';

let browser, page, job;
const asBob = (host, script) =>
    onHost(host, 'runuser', '-u', 'bob', '--', 'sh', '-c', script).trim();
const card = (id) => page.locator(at(`job-${id}`));
const stateIs = (id, state) => page.waitForSelector(
    `${at(`job-${id}`)}[data-state="${state}"]`, {timeout: 60_000});
const submit = async (spec) => {
  const {status, body} = await call(page, 'JobService/SubmitJob', {spec: {
    walltime: '600s', app: 'shell', ...spec,
  }});
  assert.equal(status, 200, JSON.stringify(body));
  return body.job.id;
};
const jobNow = async (jobId) =>
    (await call(page, 'JobService/GetJob', {jobId})).body.job;

before(async () => {
  asBob('head', 'rm -rf ~/set ~/results; mkdir ~/set; echo words > ~/set/file');
  browser = await launch();
  page = await newPerson(browser);
  await resumeSession(page, 'bob');
});
after(async () => {
  if (job) await call(page, 'JobService/StopJob', {jobId: job.id});
  await browser.close();
});

test('form: paths outside of the scratch are refused beside their field',
     async () => {
       await page.click(at('more-options'));
       await page.fill(at('field-stageIn'), '~/set -> ../elsewhere');
       const complaint = page.locator(at('violation-stageIn')).first();
       await complaint.waitFor({timeout: 60_000});
       assert.match(await complaint.innerText(), /not in the job's scratch/i);
       await page.fill(at('field-stageIn'), '');
     });

test('job: data that is not there makes it fail, with the path', async () => {
  const id = await submit({stageIn: [{from: '~/none', to: 'none'}]});
  await stateIs(id, 'ended');
  const ended = await jobNow(id);
  assert.equal(ended.end, 'JOB_END_FAILED');
  assert.match(ended.reason, /not copied to the node: .*\/home\/bob\/none/);
});

test('job: its data is on the node when it is ready; shown on its card',
     async () => {
       const id = await submit({
         stageIn: [{from: '~/set', to: 'set'}],
         stageOut: [{from: 'results', to: '~/results'}],
       });
       job = await jobNow(id);
       await stateIs(id, 'ready');
       job = await jobNow(id);
       assert.equal(asBob(job.nodes[0],
           `cat /run/disk/scratch/${job.slurmJobId}/set/file`), 'words');
       await waitFor('the card says what was copied', async () =>
           /1 file, 6 bytes/.test(
               await card(id).locator(at('job-copied')).innerText()));
     });

test('job: its results are back when it was stopped', async () => {
  const scratch = `/run/disk/scratch/${job.slurmJobId}`;
  asBob(job.nodes[0],
        `mkdir ${scratch}/results && echo 42 > ${scratch}/results/answer`);
  await call(page, 'JobService/StopJob', {jobId: job.id});
  await stateIs(job.id, 'ended');
  assert.equal(asBob('head', 'cat ~/results/answer'), '42');
  await waitFor('the list says what was copied', async () =>
      /Results: 1 file, 3 bytes/.test(
          await card(job.id).locator(at('job-copied')).innerText()));
});
