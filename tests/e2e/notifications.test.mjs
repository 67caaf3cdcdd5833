// Notifications: in the page with what was read, by e-mail through a real
// mail server, by a webhook with its signature.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {createHmac} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, test} from 'node:test';

import {at, call, launch, logIn, newPerson, open} from './browser.mjs';
import {hostCommand, onHost, waitFor} from '../support/demo.mjs';
import {Client} from '../support/portal.mjs';

const kReceiver = new URL('../backend/notifications/hook_receiver',
                          import.meta.url);
const kHooks = '/tmp/carme-hooks';
const kMail = 1;
const kWebhook = 2;
const kJobStarted = 1;
const kAccount = 23;
const name = `Größe ${Date.now()}`;
let browser, page, jobId, receiver;

before(async () => {
  browser = await launch();
  page = await newPerson(browser);
  await logIn(page, 'dave');
});
after(async () => {
  if (jobId) await call(page, 'JobService/StopJob', {jobId});
  await call(page, 'NotificationService/RemoveWebhook', {});
  if (receiver) {
    onHost('head', 'sh', '-c', `kill "$(cat ${kHooks}.pid)"; rm -r ${kHooks}*`);
  }
  await browser.close();
});

const list = async () =>
    (await call(page, 'NotificationService/ListNotifications', {})).body;
const newest = async (text) => (await list()).notifications
    ?.find((one) => one.text.includes(text));
// As the site's mail server prints them.
const mails = () =>
    readFileSync(join(process.env.CARME_DEMO_DIR, 'log/mail.log'), 'utf8')
        .split('--- mail ');
const row = (text) =>
    page.locator('[data-testid^="notification-"]', {hasText: text}).first();

test('unauthenticated clients and other users see none of them', async () => {
  const visitor = new Client();
  const {status} =
      await visitor.call('NotificationService/ListNotifications', {});
  assert.equal(status, 401);
  const bob = new Client();
  await bob.resume('bob');
  const own = await bob.call('NotificationService/ListNotifications', {});
  assert.equal(own.status, 200);
  const health =
      await bob.call('NotificationService/GetDeliveryHealth', {});
  assert.equal(health.status, 403);
});

test('a webhook into the site is refused with a reason', async () => {
  await page.click(at('bell'));
  await page.click(at('bell-all'));
  await page.waitForSelector(at('webhook-form'));
  for (const [url, words] of [
    ['https://169.254.169.254/latest', 'expected a public address'],
    ['http://example.org/', 'expected https'],
    ['https://10.77.0.1:9443/', 'has port 9443'],
  ]) {
    await page.fill(at('webhook-url'), url);
    await page.click(at('webhook-save'));
    await page.locator(at('webhook-failure'), {hasText: words}).waitFor();
  }
});

test('one of the site\'s own is called, signed with the secret shown once',
     async () => {
       receiver = spawn(...hostCommand(
           'head', 'sh', '-c', `mkdir -p ${kHooks}; echo $$ > ${kHooks}.pid; ` +
           `exec timeout 900 python3 - --listen 0.0.0.0:8088 ` +
           `--folder ${kHooks}`), {stdio: ['pipe', 'pipe', 'inherit']});
       receiver.stdin.end(readFileSync(kReceiver));
       await new Promise((done, fail) => {
         receiver.stdout.once('data', done);
         receiver.once('exit', (code) =>
             fail(new Error(`the receiver of calls ended: ${code}`)));
       });
       await page.fill(at('webhook-url'), 'http://head:8088/hook');
       await page.click(at('webhook-save'));
       const secret = await page.locator(at('webhook-secret')).innerText();
       await page.click(at('webhook-done'));
       await page.click(at(`channel-test-${kWebhook}`));
       // In files beside it: that there is a webhook now.
       const got = await waitFor('it was called', () => onHost(
           'head', 'sh', '-c',
           `cat "$(grep -l '"kind":"test"' ${kHooks}/* | head -n 1)"`));
       // First "is being sent"; the page asks again after some seconds.
       await row('a test of your notifications by webhook')
           .locator(at(`delivery-${kWebhook}`), {hasText: 'Webhook: sent'})
           .waitFor();
       const header = (title) =>
           new RegExp(`^Carme-${title}: (.*)$`, 'm').exec(got)[1].trim();
       const body = got.slice(got.indexOf('{'));
       const expected = createHmac('sha256', secret)
           .update(`${header('Time')}.${header('Delivery')}.${body}`)
           .digest('hex');
       assert.equal(header('Signature'), `v1=${expected}`);
       // What else waited for dave may be in the same call.
       assert.ok(JSON.parse(body).notifications
           .some(({kind}) => kind === 'test'));
       await page.click(at('webhook-remove'));
       await page.locator(at('success-toast'), {hasText: 'removed'}).waitFor();
     });

test('account events are always mailed', async () => {
  const fixed = page.locator(at(`choice-${kMail}-${kAccount}`));
  assert.ok(await fixed.isChecked());
  assert.ok(await fixed.isDisabled());
  assert.ok(!await page.isChecked(at(`choice-${kMail}-${kJobStarted}`)));
});

test('a job announces its start by e-mail, with its name, if requested',
     async () => {
       await open(page, '/');
       await page.click(at('more-options'));
       await page.check(at('notify-1'));
       await page.fill(at('field-name'), name);
       await page.fill(at('field-gpusPerNode'), '0');
       await page.check(at('app-shell'));
       const [answer] = await Promise.all([
         page.waitForResponse(/JobService\/SubmitJob/),
         page.click(at('start-submit')),
       ]);
       assert.equal(answer.status(), 200, await answer.text());
       const {job} = await answer.json();
       jobId = job.id;
       assert.deepEqual(job.spec.notify, ['JOB_EVENT_STARTED']);
       const notices = await waitFor('dave is notified', () => newest(name));
       assert.equal(notices.kind, 'NOTIFICATION_KIND_JOB_STARTED');
       assert.equal(notices.subject, jobId);
       await waitFor('the mail is sent', async () =>
           (await newest(name)).deliveries?.[0].state === 'DELIVERY_STATE_SENT');
       const mail = mails().find((one) => one.includes(name));
       assert.match(mail, /^\d+ from carme@carme.test to dave@carme.test\n/);
       assert.match(mail, /^To: Dave <dave@carme.test>$/m);
       assert.ok(mail.includes(`Your job "${name}" has started.`));
     });

test('stopping an own job: not notified', async () => {
  await call(page, 'JobService/StopJob', {jobId});
  await waitFor('the job has ended', async () =>
      (await call(page, 'JobService/GetJob', {jobId})).body.job.state ===
      'JOB_STATE_ENDED');
  const {notifications} = await list();
  assert.equal(notifications.filter((one) => one.subject === jobId).length, 1);
  jobId = undefined;
});

test('the bell counts unread events',
     async () => {
       await page.reload();
       const bell = page.locator(at('bell'));
       await page.locator(`${at('bell')}:not([data-unread="0"])`).waitFor();
       await bell.click();
       const entry = page.locator(at('bell-panel')).locator('a')
           .filter({hasText: name}).first();
       assert.match(await entry.getAttribute('href'), /^#\/jobs\/\w{16}$/);
       await page.click(at('bell-all'));
       await row(name).locator(at('mark-read')).click();
       await row(name).locator(at('mark-read')).waitFor({state: 'detached'});
       assert.equal(await row(name).getAttribute('data-read'), 'true');
       if (await page.locator(at('mark-all-read')).count() > 0) {
         await page.click(at('mark-all-read'));
       }
       await page.locator(`${at('bell')}[data-unread="0"]`).waitFor();
       await page.reload();
       await row(name).waitFor();
       assert.equal(await row(name).getAttribute('data-read'), 'true');
       assert.equal((await list()).unread ?? 0, 0);
     });

test('a choice is kept', async () => {
  const started = page.locator(at(`choice-${kMail}-${kJobStarted}`));
  const was = await started.isChecked();
  const [answer] = await Promise.all([
    page.waitForResponse(/NotificationService\/SetNotificationPreferences/),
    started.click(),
  ]);
  assert.equal(answer.status(), 200);
  await page.reload();
  await started.waitFor();
  assert.equal(await started.isChecked(), !was);
  await Promise.all([
    page.waitForResponse(/NotificationService\/SetNotificationPreferences/),
    started.click(),
  ]);
});

test('support sees how mails go out', async () => {
  await open(page, '/admin/health');
  const line = page.locator(at(`delivery-health-${kMail}`));
  await line.locator('time').first().waitFor();
  assert.match(await line.innerText(), /\d+ given up/);
  assert.deepEqual(page.problems.filter((one) => !/ 400 /.test(one)), []);
});
