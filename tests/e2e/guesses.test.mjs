// An attacker has guessed at an account, and its owner logs in: with the second
// factor first, in the browser.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {at, enterPassword, keepCodes, launch, logOut, newPerson,
        virtualPasskeys} from './browser.mjs';
import {addPerson, waitFor} from '../support/demo.mjs';
import {Client} from '../support/portal.mjs';

const name = 'ines';
let browser, password, page, codes;
before(async () => {
  browser = await launch();
  password = addPerson(name, 20016);
  page = await newPerson(browser);
  await virtualPasskeys(page);
  await enterPassword(page, name, password);
  await page.click(at('choose-passkey'));
  await page.click(at('passkey-create'));
  codes = await keepCodes(page);
  await logOut(page);
  // Another client at the same address, until its share is used up.
  await waitFor('the question', async () => {
    const {body} = await new Client().call(
        'AuthService/Login', {username: name, password: 'a guess'});
    return body.factorFirst;
  });
});
after(() => browser.close());

test('log-in: explains why the second factor comes first', async () => {
  await enterPassword(page, name, password);
  const words = await page.locator(at('factor-first')).innerText();
  assert.match(words, /too many wrong passwords for this name/);
  assert.match(words, /try again in (\d+) min/);
  // The same for an unknown name: tests/attack.
  await page.waitForSelector(at('totp-input'));
});

test('log-in: a wrong code shows the usual message',
     async () => {
       await page.fill(at('totp-input'), '000000');
       const failure = page.locator(at('factor-failure'));
       await failure.filter({hasText: 'user name, password or code'}).waitFor();
       await page.waitForSelector(at('factor-first'));
     });

test('log-in: the passkey comes first, and the password is not asked again',
     async () => {
       await page.click(at('way-passkey'));
       await page.click(at('passkey-use'));
       await page.waitForSelector(at('start-form'));
       await logOut(page);
     });

test('log-in: a recovery code comes first, and is used up with the right ' +
         'password alone',
     async () => {
       const show = async () => {
         await page.click(at('way-recovery'));
         await page.fill(at('recovery-input'), codes[0]);
         await page.click(at('recovery-submit'));
       };
       await enterPassword(page, name, 'mistyped');
       await show();
       await page.waitForSelector(at('factor-failure'));
       await enterPassword(page, name, password);
       await show();
       await page.waitForSelector(at('start-form'));
       assert.deepEqual(page.problems, []);
     });
