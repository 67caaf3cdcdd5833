// The main path in Firefox: log in, start a job, work in it, stop it.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {at, enterPassword, launchFirefox, logIn, logOut,
        newPerson} from './browser.mjs';
import {appAddress, waitFor} from '../support/demo.mjs';
import {newNotebook, runCell} from './notebook.mjs';

let browser, page, jobId, notebook;
const card = () => page.locator(at(`job-${jobId}`));
const overlay = (part) => notebook.locator(`carme-overlay #overlay-${part}`);

before(async () => {
  browser = await launchFirefox();
  page = await newPerson(browser);
});
after(() => browser.close());

async function open(button, address) {
  const [opened] = await Promise.all([
    page.context().waitForEvent('page'),
    card().locator(at(button)).click(),
  ]);
  await opened.waitForURL(`${appAddress(address)}**`, {timeout: 60_000});
  return opened;
}

test('firefox: a wrong password is refused', async () => {
  await enterPassword(page, 'bob', 'wrong');
  await page.waitForSelector(at('login-failure'));
  assert.equal(await page.locator(at('totp-input')).count(), 0);
});

test('firefox: a job is started, and its card follows it', async () => {
  await logIn(page, 'bob');
  const cards = () => page.locator('[data-testid^="job-"][data-state]')
      .evaluateAll((list) => list.map(({dataset}) => dataset.testid));
  const known = await cards();
  await page.click(at('start-submit'));
  const added = await waitFor('the job has a card', async () =>
      (await cards()).find((id) => !known.includes(id)));
  jobId = added.slice('job-'.length);
  await page.waitForSelector(`${at(added)}[data-state="ready"]`,
                             {timeout: 60_000});
});

test('firefox: a cell runs in JupyterLab as the user', async () => {
  notebook = await newNotebook(await open('job-open', jobId));
  assert.equal(await runCell(notebook, '!id -un'), 'bob');
});

test('firefox: the overlay shows the time left', async () => {
  await overlay('handle').click();
  await overlay('panel').filter({hasText: /left/}).waitFor();
  await notebook.keyboard.press('Escape');
});

test('firefox: a shell runs a command as the user', async () => {
  const shell = await open('open-shell', `${jobId}-shell`);
  const rows = shell.locator('.xterm-rows').first();
  await rows.filter({hasText: /\$/}).waitFor({timeout: 60_000});
  await shell.locator('.xterm').first().click();
  await shell.keyboard.type('echo I am $(id -un)\n');
  await rows.filter({hasText: /I.am.bob/}).waitFor();
  await shell.close();
});

test('firefox: the job stops, and the overlay says so', async () => {
  await card().locator(at('job-stop')).click();
  await page.click(at('confirm-stop'));
  await page.waitForSelector(`${at(`job-${jobId}`)}[data-state="ended"]`);
  await notebook.bringToFront();
  await overlay('end').filter({hasText: /has ended/}).waitFor();
  assert.deepEqual(page.problems, []);
});

test('firefox: log-out leads to the log-in page', async () => {
  await logOut(page);
  await page.waitForSelector(at('login-username'));
});
