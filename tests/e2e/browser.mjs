// Debian's Chromium, and the steps of a person on Carme's page.
import {chromium} from 'playwright-core';

import {demo, nextCode, userNamed} from '../support/demo.mjs';

const flags = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update',
  '--disable-sync',
];

export function launch() {
  return chromium.launch({executablePath: '/usr/bin/chromium', args: flags});
}

// A fresh person at a fresh browser. Its certificate store does not know the
// demo's authority; tests/attack checks the certificate with curl instead.
export async function newPerson(browser) {
  const context = await browser.newContext(
      {ignoreHTTPSErrors: true, viewport: {width: 1280, height: 900}});
  const page = await context.newPage();
  page.problems = [];
  // Asking who is logged in is answered 401 when nobody is, and Chromium
  // itself logs that.
  page.on('console', (message) => {
    if (message.type() !== 'error' || / 401 /.test(message.text())) return;
    page.problems.push(message.text());
  });
  page.on('pageerror', (error) => page.problems.push(String(error)));
  return page;
}

export const at = (name) => `[data-test="${name}"]`;

export async function enterPassword(page, name, password) {
  await page.goto(demo().portal);
  await page.fill(at('login-username'), name);
  await page.fill(at('login-password'), password);
  await page.click(at('login-submit'));
}

export async function logIn(page, name) {
  const user = userNamed(name);
  await enterPassword(page, name, user.password);
  await page.waitForSelector(at('totp-input'));
  await page.fill(at('totp-input'), await nextCode(name, user.totp_secret));
  await page.waitForSelector(at('start-form'));
}

// Calls an rpc as the page itself would, form bypassed.
export function call(page, method, body) {
  return page.evaluate(async ([path, text]) => {
    const answer = await fetch(path, {
      method: 'POST',
      headers: {'Content-Type': 'application/json'},
      body: text,
    });
    return {status: answer.status, body: await answer.json()};
  }, [`/carme.v1.${method}`, JSON.stringify(body)]);
}
