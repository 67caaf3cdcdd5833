// How full a user's storage is: read as that user, shown below the jobs.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {kill9, waitFor} from '../support/demo.mjs';
import {at, call, launch, newPerson, resumeSession} from './browser.mjs';

let browser, page;
before(async () => {
  browser = await launch();
  page = await newPerson(browser);
  await resumeSession(page, 'bob');
});
after(() => browser.close());

test('storage: refused without a session', async () => {
  const visitor = await newPerson(browser);
  await visitor.goto(page.url());
  await visitor.waitForSelector(at('login-username'));
  const {status} = await call(visitor, 'StorageService/GetStorage', {});
  assert.equal(status, 401);
  assert.equal(await visitor.locator(at('storage')).count(), 0);
  await visitor.context().close();
});

test('storage: one\'s own areas with their figures', async () => {
  const {body} = await call(page, 'StorageService/GetStorage', {});
  assert.deepEqual(body.areas.map(({name, path}) => [name, path]),
                   [['Home', '/home/bob'], ['Scratch', '/beegfs/bob']]);
  const [home, scratch] = body.areas;
  assert.equal(home.problem, undefined);
  assert.equal(home.shared, true);
  assert.ok(BigInt(home.bytes.limit) > 0n);
  // Of the program that stands in for BeeGFS's, run as bob.
  assert.equal(scratch.problem, undefined);
  assert.equal(scratch.bytes.limit, String(10 * 1024 ** 3));
  assert.ok(BigInt(scratch.files.used) > 0n);
  assert.ok(Date.parse(body.readAt) > 0);
});

test('storage: the page shows each as a bar', async () => {
  for (const name of ['Home', 'Scratch']) {
    await page.waitForSelector(at(`storage-${name}`));
  }
  const scratch = page.locator(at('storage-Scratch'));
  assert.equal(await scratch.getAttribute('data-level'), 'fine');
  assert.match(await scratch.innerText(), /of 10 GiB/);
  assert.deepEqual(page.problems, []);
});

test('storage: a second reading within a minute is cached', async () => {
  const first = await call(page, 'StorageService/GetStorage', {});
  const second = await call(page, 'StorageService/GetStorage', {});
  // Unless the minute ended between the two.
  assert.ok(
      second.body.readAt === first.body.readAt ||
      Date.parse(second.body.readAt) - Date.parse(first.body.readAt) >= 59_000);
});

test('storage: kill -9 of the storage reader: it is read again', async () => {
  kill9('carme-storage-reader');
  const ada = await newPerson(browser);
  await resumeSession(ada, 'ada');
  await waitFor('the storage is read', async () => {
    const {status, body} = await call(ada, 'StorageService/GetStorage', {});
    return status === 200 && body.areas.length === 2;
  });
  await ada.context().close();
});
