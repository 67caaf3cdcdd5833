// Takes the screenshots of the root README from a running demo (take_all.mjs: of
// every page):
//   CARME_DEMO_JSON=build/demo/demo.json node docs/screenshots/take.mjs
// Needs `npm ci` in tests/e2e.
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

import {at, launch, logIn, newPerson} from '../../tests/e2e/browser.mjs';
import {reaches, stopAll, submit} from './demo_data.mjs';

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
  for (const spec of jobs) ids.push(await submit(page, spec));
  for (const jobId of ids) {
    await reaches(page, jobId, 'READY');
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
  await stopAll(page, ids);
  await browser.close();
}
