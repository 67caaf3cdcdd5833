// The truth before submission, on the real cluster: whether a job would start
// now, when else, and what would start at once; then why it waits.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {at, call, launch, newPerson, resumeSession} from './browser.mjs';
import {onHost, waitFor} from '../support/demo.mjs';

let browser, page, blocker, jobId;
const estimate = () => page.locator(at('start-estimate'));
// The page asks again at most once in a minute while the cluster changes.
const says = (text) =>
    estimate().filter({hasText: text}).waitFor({timeout: 90_000});

before(async () => {
  browser = await launch();
  page = await newPerson(browser);
  await resumeSession(page, 'ada');
  await waitFor('an empty queue', () => onHost('head', 'squeue', '-h') === '');
});
after(async () => {
  if (blocker) onHost('head', 'scancel', blocker);
  if (jobId) await call(page, 'JobService/StopJob', {jobId});
  await waitFor('an empty queue', () => onHost('head', 'squeue', '-h') === '');
  await browser.close();
});

test('start estimate: none for a refused job', async () => {
  await page.selectOption(at('field-gpuType'), 'h200');
  await page.fill(at('field-gpusPerNode'), '999');
  await estimate().waitFor({state: 'detached'});
});

test('start estimate: on a free cluster it starts now, and where', async () => {
  await page.fill(at('field-gpusPerNode'), '2');
  await says('Starts now on n1.');
});

test('start estimate: behind another job: time and alternatives',
     async () => {
       blocker = onHost('head', 'runuser', '-u', 'bob', '--', 'sbatch',
                        '--parsable', '--gres=gpu:h200:1', '--time=120',
                        '-n1', '-c1', '--mem=100', '--chdir=/tmp',
                        '--output=/dev/null', '--wrap=sleep 7000').trim();
       await says(/Starts in about \d+ h.* on n1: 1 of 2 h200 GPUs is free/);
       assert.match(await estimate().innerText(),
                    /Expected at about .*\d\d:\d\d/);
       await says('With 1 GPU instead of 2 it starts now.');
     });

test('start estimate: one click selects what starts immediately', async () => {
  await page.click(at('start-estimate-take'));
  await says('Starts now on n1.');
  assert.equal(await page.inputValue(at('field-gpusPerNode')), '1');
  assert.equal(await page.locator(at('start-estimate-take')).count(), 0);
});

test('job: shows why it waits with numbers, and its start',
     async () => {
       const spec = {gpusPerNode: 2, gpuType: 'h200', walltime: '600s'};
       const {status, body} = await call(page, 'JobService/SubmitJob', {spec});
       assert.equal(status, 200, JSON.stringify(body));
       jobId = body.job.id;
       const card = page.locator(at(`job-${jobId}`));
       await card.filter({hasText: '1 of 2 h200 GPUs is free'}).waitFor();
       onHost('head', 'scontrol', 'update', `jobid=${body.job.slurmJobId}`,
              'starttime=now+3hours');
       await card.filter({hasText: 'waiting for its start time'}).waitFor();
       await card.locator(at('job-expected')).waitFor();
       assert.match(await card.locator(at('job-expected')).innerText(),
                    /expected to start at about .*\d\d:\d\d/);
     });
