// Takes the screenshots of the root README from a running demo:
//   CARME_DEMO_JSON=build/demo/demo.json node docs/screenshots/take.mjs
// Needs `npm ci` in tests/e2e.
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

import {at, call, launch, logIn, newPerson} from '../../tests/e2e/browser.mjs';
import {waitFor} from '../../tests/support/demo.mjs';

const folder = dirname(fileURLToPath(import.meta.url));
const jobs = [
  {name: 'notebook', app: 'jupyter', gpusPerNode: 1, cpusPerNode: 1},
  {name: 'train resnet', gpusPerNode: 0, cpusPerNode: 1,
   batch: {command: 'echo epoch 1; sleep 600'}},
];

const browser = await launch();
const page = await newPerson(browser);
await page.setViewportSize({width: 1366, height: 768});
await logIn(page, 'ada');
const ids = [];
try {
  for (const spec of jobs) {
    const {status, body} = await call(page, 'JobService/SubmitJob',
                                      {spec: {walltime: '3600s', ...spec}});
    if (status !== 200) throw new Error(JSON.stringify(body));
    ids.push(body.job.id);
  }
  for (const jobId of ids) {
    await waitFor('the job is ready', async () =>
      (await call(page, 'JobService/GetJob', {jobId})).body.job.state ===
        'JOB_STATE_READY');
    await page.waitForSelector(at(`job-${jobId}`));
  }
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({colorScheme});
    await page.evaluate(() => Promise.all(
        document.getAnimations().map(({finished}) => finished)));
    await page.screenshot(
        {path: join(folder, `dashboard-${colorScheme}.png`)});
  }
} finally {
  for (const jobId of ids) await call(page, 'JobService/StopJob', {jobId});
  await browser.close();
}
