// What a person sees when a part of the site is away, and on a first day.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {
  at, call, enrolApp, enterPassword, launch, logIn, newPerson, open,
  resumeSession,
} from './browser.mjs';
import {addPerson, service, userNamed, waitFor} from '../support/demo.mjs';

let browser, page;
before(async () => {
  browser = await launch();
  page = await newPerson(browser);
  await resumeSession(page, 'bob');
});
after(() => browser.close());

test('slurmctld down: page and submission report it',
     async () => {
       service('slurmctld', 'stop');
       try {
         await page.waitForSelector(at('slurm-banner'), {timeout: 60_000});
         const {status, body} = await call(page, 'JobService/SubmitJob', {
           spec: {walltime: '600s', app: 'notebook'},
         });
         assert.equal(status, 503);
         assert.match(body.message, /try again/);
       } finally {
         service('slurmctld', 'start');
       }
       await page.waitForSelector(at('slurm-banner'),
                                  {state: 'detached', timeout: 60_000});
       const {body} = await call(page, 'JobService/ListJobs', {});
       const alive = (body.jobs ?? []).filter(
           (job) => job.state !== 'JOB_STATE_ENDED');
       assert.deepEqual(alive, []);
     });

test('LDAP down: log-in reports it, sessions continue', async () => {
  const visitor = await newPerson(browser);
  service('slapd', 'stop');
  try {
    await enterPassword(visitor, 'carol', userNamed('carol').password);
    const sentence = await visitor.locator(at('login-failure')).innerText();
    assert.match(sentence, /directory/i);
    const {status} = await call(page, 'JobService/ListJobs', {});
    assert.equal(status, 200);
  } finally {
    service('slapd', 'start');
  }
  await waitFor('log-in works again', async () => {
    await enterPassword(visitor, 'carol', userNamed('carol').password);
    return visitor.waitForSelector(at('totp-input'), {timeout: 20_000});
  });
  await visitor.context().close();
});

test('the health page names unavailable components', {timeout: 240_000}, async () => {
  const admin = await newPerson(browser);
  const visitor = await newPerson(browser);
  await logIn(admin, 'carol');
  await open(admin, '/admin/health');
  const shows = (part, tone) => admin.waitForSelector(
      `${at(`health-${part}`)}[data-tone="${tone}"]`, {timeout: 60_000});
  const parts = ['slurmctld', 'nodes', 'directory', 'database', 'audit_log',
                 'impersonator', 'storage_reader', 'proxy', 'certificates'];
  for (const part of parts) await shows(part, 'good');
  service('slurmctld', 'stop');
  service('slapd', 'stop');
  try {
    // The directory's state is that of its last use.
    await enterPassword(visitor, 'dave', userNamed('dave').password);
    await shows('directory', 'bad');
    await shows('slurmctld', 'bad');
    await shows('database', 'good');
    const summary = await admin.locator(at('health-summary')).innerText();
    assert.match(summary, /^Down: Slurm controller, Directory/);
    const row = await admin.locator(at('health-slurmctld')).innerText();
    assert.match(row, /for (less than a minute|\d+ min)/);
  } finally {
    service('slapd', 'start');
    service('slurmctld', 'start');
  }
  await enterPassword(visitor, 'dave', userNamed('dave').password);
  for (const part of ['slurmctld', 'directory']) await shows(part, 'good');
  await visitor.context().close();
  await admin.context().close();
});

test('a person new to the directory enrols at the first log-in', async () => {
  const password = addPerson('dora', 20010);
  const dora = await newPerson(browser);
  assert.match(await enrolApp(dora, 'dora', password), /^[A-Z2-7]{32}$/);
  assert.deepEqual(dora.problems, []);
});

test('a user outside of the allowed group is unknown', async () => {
  const password = addPerson('mallory', 20011, {allowed: false});
  const mallory = await newPerson(browser);
  await enterPassword(mallory, 'mallory', password);
  const sentence = await mallory.locator(at('login-failure')).innerText();
  await enterPassword(mallory, 'nobody9', 'x');
  assert.equal(await mallory.locator(at('login-failure')).innerText(), sentence);
});
