// The application in German: from the choice on the log-in page to the form.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {at, launch, logIn, newPerson} from './browser.mjs';
import {demo} from '../support/demo.mjs';

let browser, page;
const previewed = (check) => page.waitForRequest(
    (request) => request.url().includes('JobService/PreviewJob') &&
        check(request.postDataJSON().spec));

before(async () => {
  browser = await launch();
  page = await newPerson(browser);
  await page.setViewportSize({width: 1366, height: 768});
});
after(() => browser.close());

test('language: a choice on the log-in page changes its texts', async () => {
  await page.goto(demo().portal);
  await page.getByRole('heading', {name: 'Log in'}).waitFor();
  await page.selectOption(at('language'), {label: 'Deutsch'});
  await page.getByRole('heading', {name: 'Anmelden'}).waitFor();
  assert.equal(await page.getAttribute('html', 'lang'), 'de');
});

test('language: refused credentials are explained in German', async () => {
  await page.fill(at('login-username'), 'bob');
  await page.fill(at('login-password'), 'wrong');
  await page.click(at('login-submit'));
  await page.getByText(/^Benutzername, Passwort oder Code ist falsch/)
      .waitFor();
});

test('language: it is kept, and each part of the page has it', async () => {
  await logIn(page, 'bob');
  await page.getByRole('link', {name: 'Reservierungen'}).waitFor();
  await page.getByRole('heading', {name: 'Neuer Job'}).waitFor();
  await page.waitForFunction(() => document.title.includes('Jobs'));
  assert.equal(await page.getAttribute('html', 'lang'), 'de');
});

test('language: a number is entered with a decimal comma', async () => {
  await page.click(at('more-options'));
  const sent = previewed((spec) => spec.memoryPerNodeMib === '1536');
  await page.fill(at('field-memoryPerNodeMib'), '1,5 GiB');
  await sent;
});

test('language: an invalid value is explained in German', async () => {
  await page.fill(at('field-walltime'), 'bald');
  await page.press(at('field-walltime'), 'Enter');
  await page.getByText('Ungültiger Wert „bald“. Geben Sie eine Zeit wie ' +
                       '45 min, 2 h oder 1:30 ein.').first().waitFor();
});

test('language: without a choice it is the one of the browser', async () => {
  const context =
      await browser.newContext({ignoreHTTPSErrors: true, locale: 'de-AT'});
  const other = await context.newPage();
  await other.goto(demo().portal);
  await other.getByRole('heading', {name: 'Anmelden'}).waitFor();
  await context.close();
});
