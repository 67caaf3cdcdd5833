// An image that a program of the site builds: the portal shows its progress,
// jobs cannot start in it before it is complete, and can afterwards without a
// restart. CARME_DEMO_PENDING_IMAGE=1 adds it to the demo.
import assert from 'node:assert/strict';
import {before, test} from 'node:test';

import {at, launch, newPerson, open, resumeSession} from './browser.mjs';
import {onHost, waitFor} from '../support/demo.mjs';
import {Client} from '../support/portal.mjs';

const id = 'pending:1';
const ada = new Client();

// Replaces the status file, as a building program does.
function report(...lines) {
  const file = '/run/carme-site/pending.status';
  onHost('head', 'sh', '-c',
         `umask 022 && printf '%s\\n' "$@" > ${file}.new &&
          mv ${file}.new ${file}`, 'sh', ...lines);
}
const now = () => Math.floor(Date.now() / 1000);

async function image(name = id) {
  const {body} = await ada.call('ImageService/ListImages', {});
  return body.images.find((one) => one.id === name);
}
const reaches = (state) => waitFor(
    `the image is ${state}`,
    async () => (await image())?.state === `IMAGE_STATE_${state}`);

const submit = () => ada.call(
    'JobService/SubmitJob',
    {spec: {app: 'shell', image: id, walltime: '600s'}});

let offered;
before(async () => {
  await ada.resume('ada');
  offered = await image();
});

test('an image that is being built starts no job', async (t) => {
  if (!offered) return t.skip('the demo has no pending image');
  report('state=building', 'step=2', 'steps=3', 'percent=40',
         'message=building code-server', `started_at=${now()}`,
         `updated_at=${now()}`);
  await reaches('BUILDING');
  const {status, body} = await submit();
  assert.equal(status, 400);
  assert.match(JSON.stringify(body), /is being built/);
  const cluster = await ada.call('ClusterService/GetCluster', {});
  assert.deepEqual(
      cluster.body.pendingImages.map((one) => [one.id, one.build.percent]),
      [[id, 40]]);
});

test('the page shows its progress, and why it failed', async (t) => {
  if (!offered) return t.skip('the demo has no pending image');
  const browser = await launch();
  try {
    const page = await newPerson(browser);
    await resumeSession(page, 'ada');
    await open(page, '/account/images');
    const row = page.locator(at(`image-${id}`));
    await row.locator(at('image-build'), {
      hasText: 'step 2 of 3: building code-server, 40 %',
    }).waitFor();
    report('state=failed', 'message=no space left on device');
    await row.filter({hasText: 'no space left on device'}).waitFor();
    assert.equal(await row.getAttribute('data-state'), 'failed');
    assert.deepEqual(page.problems, []);
  } finally {
    await browser.close();
  }
});

test('a job starts in it when it is complete', async (t) => {
  if (!offered) return t.skip('the demo has no pending image');
  const {sha256} = await image('base:1');
  report('state=ready', `sha256=${sha256}`);
  await reaches('ACTIVE');
  const {status, body} = await submit();
  assert.equal(status, 200, JSON.stringify(body));
  const jobId = body.job.id;
  const job = await waitFor('the job runs or ended', async () => {
    const {body: answer} = await ada.call('JobService/GetJob', {jobId});
    return ['JOB_STATE_READY', 'JOB_STATE_ENDED'].includes(answer.job.state) &&
        answer.job;
  }, 240_000);
  assert.equal(job.state, 'JOB_STATE_READY', job.reason);
  await ada.call('JobService/StopJob', {jobId});
});
