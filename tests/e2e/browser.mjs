// Debian's Chromium and Firefox, and the steps of a person on Carme's page.
import {chromium, firefox} from 'playwright-core';

import {demo, nextCode, userNamed} from '../support/demo.mjs';
import {Client} from '../support/portal.mjs';

const flags = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update',
  '--disable-sync',
];

export function launch(...more) {
  return chromium.launch(
      {executablePath: '/usr/bin/chromium', args: [...flags, ...more]});
}

// By WebDriver BiDi, which Debian's Firefox speaks.
export function launchFirefox() {
  return firefox.launch(
      {channel: 'moz-firefox', executablePath: '/usr/bin/firefox-esr'});
}

// A fresh person at a fresh browser. Its certificate store does not know the
// demo's authority; tests/attack checks the certificate with curl instead.
// `options`: further ones of the context.
export async function newPerson(browser, options = {}) {
  const context = await browser.newContext({
    ignoreHTTPSErrors: true, viewport: {width: 1280, height: 900}, ...options,
  });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  page.problems = [];
  // Asking for the session gets 401 without one, and Chromium
  // itself logs that.
  page.on('console', (message) => {
    if (message.type() !== 'error' || / 401 /.test(message.text())) return;
    page.problems.push(`${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => page.problems.push(String(error)));
  return page;
}

async function useSessionOf(page, client) {
  const [key, ...value] = client.cookie.split('=');
  await page.context().addCookies([{
    name: key, value: value.join('='), url: new URL(demo().portal).origin,
    secure: true, httpOnly: true, sameSite: 'Strict',
  }]);
}

// A page with the session of a Client of support/portal.mjs, without waiting
// for the next code. Operations that require a fresh second factor need
// logIn().
export async function pageOf(browser, client) {
  const page = await newPerson(browser);
  await useSessionOf(page, client);
  return page;
}

export const at = (name) => `[data-testid="${name}"]`;

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

export async function logOut(page) {
  await page.click(at('user-menu'));
  await page.click(at('logout'));
}

// The portal with the user's session of an earlier test file, or a new one.
// Operations that require a fresh second factor need logIn().
export async function resumeSession(page, name) {
  const client = new Client();
  await client.resume(name);
  await useSessionOf(page, client);
  await page.goto(demo().portal);
  await page.waitForSelector(at('start-form'));
}

// Goes to a page of the application by its address.
export async function open(page, path) {
  await page.goto(`${new URL(demo().portal).origin}/#${path}`);
}

// From now on the page has an authenticator that confirms everything.
export async function virtualPasskeys(page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {options: {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
  }});
}

// The first log-in of `name`, with an authenticator app as the second factor.
// Returns its secret.
export async function enrolApp(page, name, password) {
  await enterPassword(page, name, password);
  const choice = page.locator(at('choose-totp'));
  const secret = page.locator(at('enrol-secret'));
  await choice.or(secret).first().waitFor();
  if (await choice.isVisible()) await choice.click();
  const text = (await secret.innerText()).replace(/\s/g, '');
  await page.fill(at('totp-input'), await nextCode(name, text));
  await keepCodes(page);
  return text;
}

// Reads the recovery codes that a first log-in shows, and continues to the page.
export async function keepCodes(page) {
  const codes = page.locator(`${at('recovery-codes')} li`);
  await codes.first().or(page.locator(at('start-form'))).first().waitFor();
  const texts = await codes.allInnerTexts();
  if (texts.length > 0) {
    await page.check(at('codes-kept'));
    await page.click(at('codes-continue'));
  }
  await page.waitForSelector(at('start-form'));
  return texts;
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
