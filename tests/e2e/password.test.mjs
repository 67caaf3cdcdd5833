// A password in the site's directory, changed in the browser: because it must
// be, at the log-in, and because its owner wants to.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {at, call, enterPassword, keepCodes, launch, logOut,
        newPerson, open} from './browser.mjs';
import {addPerson, nextCode} from '../support/demo.mjs';

const name = 'gwen';
const first = 'Quiet-Harbour-41';
const second = 'Seven-Green-Kettles';
let browser, given, page, secret;
before(async () => {
  browser = await launch();
  given = addPerson(name, 20014, {mustChange: true});
  page = await newPerson(browser);
});
after(() => browser.close());

async function typeNew(password, repeated = password) {
  await page.fill(at('password-new'), password);
  await page.fill(at('password-repeated'), repeated);
  await page.click(at('password-submit'));
}

const says = (where, words) =>
    page.locator(at(where)).filter({hasText: words}).waitFor();

test('log-in: a password that must change is asked for before all else',
     async () => {
       await enterPassword(page, name, given);
       await page.waitForSelector(at('new-password-step'));
       assert.match(await page.locator('#password-rules').innerText(),
                    /at least 12 characters/i);
       await page.goto((await page.url()).replace(/#.*/, '') + '#/jobs');
       assert.equal(await page.locator(at('start-form')).count(), 0);
     });

test('log-in: the page rejects an invalid new password', async () => {
  await enterPassword(page, name, given);
  await typeNew(given);
  await says('login-failure', 'same as the current one');
  await typeNew(first, second);
  await says('login-failure', 'do not match');
});

test('log-in: a new one against the rules is refused with the rule, once the ' +
         'factor was right',
     async () => {
       await typeNew('short');
       const choice = page.locator(at('choose-totp'));
       const shown = page.locator(at('enrol-secret'));
       await choice.or(shown).first().waitFor();
       if (await choice.isVisible()) await choice.click();
       secret = (await shown.innerText()).replace(/\s/g, '');
       await page.fill(at('totp-input'), await nextCode(name, secret));
       await says('login-failure', '12 characters');
       await typeNew(`${name}-and-the-sea`);
       await says('login-failure', 'part of your own name');
     });

test('log-in: a new password that the directory accepts opens the page', async () => {
  await typeNew(first);
  const codes = await keepCodes(page);
  assert.equal(codes.length, 10);
  const {body} = await call(page, 'AuthService/GetSession', {});
  assert.equal(body.session.username, name);
});

test('security: the old password must be right', async () => {
  await open(page, '/account/security');
  await page.click(at('password-change'));
  await page.fill(at('password-old'), 'not this one');
  await typeNew(second);
  await says('password-failure', 'old password is wrong');
});

test('security: a new one against the rules is refused with the rule',
     async () => {
       await page.fill(at('password-old'), first);
       await typeNew('short');
       await says('password-failure', '12 characters');
     });

test('security: a refusal of the directory is shown as text', async () => {
  await page.fill(at('password-old'), first);
  await typeNew(given);
  await says('password-failure', 'used the new password before');
});

test('security: a new password ends the other sessions', async () => {
  const other = await newPerson(browser);
  await enterPassword(other, name, first);
  await other.fill(at('totp-input'), await nextCode(name, secret));
  await other.waitForSelector(at('start-form'));
  await page.fill(at('password-old'), first);
  await typeNew(second);
  await says('success-toast', 'was changed');
  await other.waitForSelector(at('login-username'), {timeout: 60_000});
  const {status} = await call(page, 'AuthService/GetSession', {});
  assert.equal(status, 200);
});

test('log-in: the old password is refused, the new one is not', async () => {
  await logOut(page);
  await enterPassword(page, name, first);
  await page.waitForSelector(at('login-failure'));
  await enterPassword(page, name, second);
  await page.fill(at('totp-input'), await nextCode(name, secret));
  await page.waitForSelector(at('start-form'));
  assert.deepEqual(page.problems.filter((text) => !/ 400 /.test(text)), []);
});
