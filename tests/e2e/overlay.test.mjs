// The overlay that the proxy adds to the pages of apps: time left, a warning,
// the end of the job.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {at, call, launch, newPerson, resumeSession} from './browser.mjs';
import {appAddress, waitFor} from '../support/demo.mjs';

let browser, page, jobId, tab;
const overlay = (part) => tab.locator(`carme-overlay #overlay-${part}`);

before(async () => {
  browser = await launch();
  page = await newPerson(browser);
  await resumeSession(page, 'bob');
  const {status, body} = await call(page, 'JobService/SubmitJob', {spec: {
    walltime: '240s', app: 'jupyter', gpusPerNode: 0,
  }});
  assert.equal(status, 200, JSON.stringify(body));
  jobId = body.job.id;
  await page.waitForSelector(`${at(`job-${jobId}`)}[data-state="ready"]`,
                             {timeout: 60_000});
});
after(async () => {
  await call(page, 'JobService/StopJob', {jobId});
  await browser.close();
});

async function open(button, address) {
  const [opened] = await Promise.all([
    page.context().waitForEvent('page'),
    page.locator(at(`job-${jobId}`)).locator(at(button)).click(),
  ]);
  await opened.waitForURL(`${appAddress(address)}**`, {timeout: 60_000});
  return opened;
}

for (const app of ['code', 'shell']) {
  test(`overlay: the page of ${app} has it`, async () => {
    tab = await open(`open-${app}`, `${jobId}-${app}`);
    await overlay('handle').waitFor({timeout: 60_000});
    await tab.close();
  });
}

test('overlay: warns five minutes before the end', async () => {
  tab = await open('job-open', jobId);
  await overlay('notice').filter({hasText: /ends in \d min/})
      .waitFor({timeout: 60_000});
  await overlay('notice').getByRole('button', {name: 'Close'}).click();
  assert.equal(await overlay('notice').isVisible(), false);
});

test('overlay: shows the time left and leads to the job', async () => {
  await overlay('handle').click();
  await overlay('panel').filter({hasText: /\d min left/}).waitFor();
  const href = await overlay('panel')
      .getByRole('link', {name: 'Show the job'}).getAttribute('href');
  assert.equal(href, `${new URL(page.url()).origin}/#/jobs/${jobId}`);
  await tab.keyboard.press('Escape');
  assert.equal(await overlay('panel').isVisible(), false);
});

test('overlay: says that the job has ended, and can be closed', async () => {
  await call(page, 'JobService/StopJob', {jobId});
  await waitFor('the overlay says so', async () =>
      /has ended/.test(await overlay('end').innerText()), 60_000);
  await overlay('end').getByRole('link', {name: 'Start again'}).waitFor();
  await overlay('end').getByRole('button', {name: 'Close'}).click();
  assert.equal(await overlay('end').isVisible(), false);
});
