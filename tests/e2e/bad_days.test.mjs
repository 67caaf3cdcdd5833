// What a person sees when a part of the site is away, and on a first day.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {at, call, enrolApp, enterPassword, launch, logIn, newPerson}
    from './browser.mjs';
import {addPerson, service, userNamed, waitFor} from '../support/demo.mjs';

let browser, page;
before(async () => {
  browser = await launch();
  page = await newPerson(browser);
  await logIn(page, 'bob');
});
after(() => browser.close());

test('slurmctld down: the page says so, submission says try again',
     async () => {
       service('slurmctld', 'stop');
       try {
         await page.waitForSelector(at('slurm-banner'), {timeout: 300_000});
         const {status, body} = await call(page, 'JobService/SubmitJob', {
           spec: {walltime: '600s', app: 'notebook'},
         });
         assert.equal(status, 503);
         assert.match(body.message, /try again/);
       } finally {
         service('slurmctld', 'start');
       }
       await page.waitForSelector(at('slurm-banner'),
                                  {state: 'detached', timeout: 300_000});
       const {body} = await call(page, 'JobService/ListJobs', {});
       const alive = (body.jobs ?? []).filter(
           (job) => job.state !== 'JOB_STATE_ENDED');
       assert.deepEqual(alive, []);
     });

test('LDAP down: log-in says so, a session goes on', async () => {
  const stranger = await newPerson(browser);
  service('slapd', 'stop');
  try {
    await enterPassword(stranger, 'carol', userNamed('carol').password);
    const sentence = await stranger.locator(at('login-failure')).innerText();
    assert.match(sentence, /directory/i);
    const {status} = await call(page, 'JobService/ListJobs', {});
    assert.equal(status, 200);
  } finally {
    service('slapd', 'start');
  }
  await waitFor('log-in works again', async () => {
    await enterPassword(stranger, 'carol', userNamed('carol').password);
    return stranger.waitForSelector(at('totp-input'), {timeout: 20_000});
  });
  await stranger.context().close();
});

test('a person new to the directory enrols at the first log-in', async () => {
  const password = addPerson('dora', 20010);
  const dora = await newPerson(browser);
  assert.match(await enrolApp(dora, 'dora', password), /^[A-Z2-7]{32}$/);
  assert.deepEqual(dora.problems, []);
});

test('a person outside of the allowed group is a stranger', async () => {
  const password = addPerson('mallory', 20011, {allowed: false});
  const mallory = await newPerson(browser);
  await enterPassword(mallory, 'mallory', password);
  const sentence = await mallory.locator(at('login-failure')).innerText();
  await enterPassword(mallory, 'nobody9', 'x');
  assert.equal(await mallory.locator(at('login-failure')).innerText(), sentence);
});
