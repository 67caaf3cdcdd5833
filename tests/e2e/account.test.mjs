// How a person's account is kept, in the browser: second factors, sessions,
// access tokens, and the help of an administrator.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {after, before, test} from 'node:test';

import {at, call, enrolApp, enterPassword, keepCodes, launch, logIn, logOut,
        newPerson, open, virtualPasskeys} from './browser.mjs';
import {addPerson, demo} from '../support/demo.mjs';

const name = 'erin';
const uid = 20012;
let browser, password, page, other, codes, token;
before(async () => {
  browser = await launch();
  password = addPerson(name, uid);
  page = await newPerson(browser);
  await virtualPasskeys(page);
  other = await newPerson(browser);
});
after(() => browser.close());

const me = (who) => call(who, 'AuthService/GetSession', {});

// Waits for the message about the completed action.
const messageAppears = (who, text) =>
    who.locator(at('success-toast')).filter({hasText: text}).waitFor();

test('first log-in: a passkey is enrolled and ten codes are shown',
     async () => {
       await enterPassword(page, name, password);
       await page.click(at('choose-passkey'));
       await page.fill(at('passkey-name'), 'the key of erin');
       await page.click(at('passkey-create'));
       codes = await keepCodes(page);
       assert.equal(new Set(codes).size, 10);
     });

test('log-in: works with a passkey', async () => {
  await logOut(page);
  await enterPassword(page, name, password);
  await page.click(at('passkey-use'));
  await page.waitForSelector(at('start-form'));
});

test('log-in: works once with a recovery code', async () => {
  const enterCode = async () => {
    await enterPassword(other, name, password);
    const way = other.locator(at('way-recovery'));
    await way.or(other.locator(at('recovery-input'))).first().waitFor();
    if (await way.isVisible()) await way.click();
    await other.fill(at('recovery-input'), codes[0]);
    await other.click(at('recovery-submit'));
  };
  await enterCode();
  await other.waitForSelector(at('start-form'));
  await open(page, '/account/security');
  await page.locator(at('codes-left')).filter({hasText: '9 codes'}).waitFor();
  await logOut(other);
  await enterCode();
  await other.waitForSelector(at('factor-failure'));
});

test('security: a stale session needs a confirmation, then continues',
     async () => {
       const refusal = {code: 'failed_precondition',
                        message: 'confirm your second factor',
                        details: [{type: 'google.rpc.ErrorInfo', value: '',
                                   debug: {reason: 'REAUTHENTICATION_REQUIRED'}}]};
       await page.route('**/carme.v1.*/RenewRecoveryCodes', (route) =>
           route.fulfill({status: 400, json: refusal}), {times: 1});
       await page.click(at('renew-codes'));
       await page.click(at('confirm'));
       await page.click(at('passkey-use'));
       const list = page.locator(`${at('recovery-codes')} li`);
       await list.first().waitFor();
       const renewed = await list.allInnerTexts();
       assert.equal(renewed.length, 10);
       assert.ok(!renewed.includes(codes[1]));
       codes = renewed;
       await page.check(at('codes-kept'));
       await page.click(at('codes-continue'));
     });

test('security: the last factor has no button to remove it', async () => {
  await page.waitForSelector(at('factor-last'));
  assert.equal(await page.locator(at('factor-remove')).count(), 0);
  const {body} = await call(page, 'FactorService/ListFactors', {});
  const {status} = await call(page, 'FactorService/RemoveFactor',
                              {id: body.factors[0].id});
  assert.equal(status, 400);
});

test('sessions: ending another one logs it out', async () => {
  await enterPassword(other, name, password);
  await other.click(at('way-recovery'));
  await other.fill(at('recovery-input'), codes[0]);
  await other.click(at('recovery-submit'));
  await other.waitForSelector(at('start-form'));
  assert.equal((await me(other)).status, 200);
  await open(page, '/account/sessions');
  await page.locator(at('session-end')).first().click();
  await messageAppears(page, 'ended');
  assert.equal((await me(other)).status, 401);
  assert.equal((await me(page)).status, 200);
  // Its page gets it from its stream, without any input.
  await other.waitForSelector(at('login-username'), {timeout: 60_000});
});

test('tokens: a new one is shown once, and its line for a shell works',
     async () => {
       await open(page, '/account/tokens');
       await page.click(at('token-new'));
       await page.fill(at('token-name'), 'e2e');
       await page.check(at('scope-jobs:read'));
       await page.click(at('token-create'));
       token = await page.locator(at('token-secret')).innerText();
       assert.match(token, /^carme_/);
       const line = await page.locator(at('token-curl')).innerText();
       const answer = execFileSync('bash', ['-c', line.replace(
           /^curl/, `curl -sS --cacert ${demo().ca_file}`)],
                                   {encoding: 'utf8'});
       assert.deepEqual(JSON.parse(answer).jobs ?? [], []);
       await page.click(at('token-done'));
       assert.equal(await page.getByText(token).count(), 0);
     });

test('tokens: allow their scopes until they are revoked', async () => {
  assert.equal(await bearer('JobService/ListJobs'), 200);
  assert.equal(await bearer('FactorService/ListFactors'), 403);
  await page.click(at('token-revoke'));
  await page.click(at('confirm'));
  await messageAppears(page, 'revoked');
  assert.equal(await bearer('JobService/ListJobs'), 401);
});

test('administration: a reset is notified and audited',
     async () => {
       const carol = await newPerson(browser);
       await logIn(carol, 'carol');
       await open(carol, `/admin/users/${name}`);
       await carol.click(at('reset-factors'));
       await carol.fill(at('reason'), 'lost <b>phone</b>');
       await carol.click(at('confirm'));
       await messageAppears(carol, 'reset');
       assert.equal((await me(page)).status, 401);

       await enrolApp(other, name, password);
       const notice = other.locator('[data-testid^="notice-"]')
           .filter({hasText: 'lost <b>phone</b>'});
       await notice.locator(at('notice-dismiss')).click();
       await notice.waitFor({state: 'detached'});
       await other.reload();
       await other.waitForSelector(at('start-form'));
       assert.equal(await notice.count(), 0);
       await auditTells(carol);
       assert.deepEqual(carol.problems, []);
     });

test('administration: support sees it and has no button that changes',
     async () => {
       const dave = await newPerson(browser);
       await logIn(dave, 'dave');
       await open(dave, `/admin/users/${name}`);
       await dave.waitForSelector(at('user-factors'));
       for (const button of ['reset-factors', 'end-user-sessions']) {
         assert.equal(await dave.locator(at(button)).count(), 0);
       }
       const {status} = await call(dave, 'AdminService/ResetFactors',
                                   {username: name, reason: 'because'});
       assert.equal(status, 403);
     });

test('administration: is not there for a user', async () => {
  assert.equal(await other.locator(at('to-admin')).count(), 0);
  await open(other, '/admin/users');
  await other.waitForSelector(at('unknown-page'));
  const {status} = await call(other, 'AdminService/ListUsers', {});
  assert.equal(status, 403);
});

// The status of a call with the token alone, as a script would make it.
async function bearer(method) {
  return await page.evaluate(async ([path, secret]) => {
    const answer = await fetch(path, {
      method: 'POST',
      credentials: 'omit',
      headers: {'Content-Type': 'application/json',
                'Authorization': `Bearer ${secret}`},
      body: '{}',
    });
    return answer.status;
  }, [`/carme.v1.${method}`, token]);
}

async function auditTells(admin) {
  await open(admin, `/admin/audit?text=${name}`);
  await admin.locator(at('audit-entry')).filter({hasText: 'carol'}).first()
      .waitFor();
  await admin.click(at('audit-verify'));
  await admin.locator(at('audit-verified')).filter({hasText: 'no tampering'})
      .waitFor();
  const [file] = await Promise.all([
    admin.waitForEvent('download'),
    admin.click(at('audit-export')),
  ]);
  const lines = readFileSync(await file.path(), 'utf8').trim().split('\n');
  const entries = lines.map((line) => JSON.parse(line));
  assert.ok(entries.some(({actor, subject}) =>
      actor === 'carol' && subject === name));
}
