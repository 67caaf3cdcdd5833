// Announcements: an administrator writes one with a preview, its readers see it
// and dismiss it, and the log-in page has those for everyone.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {at, call, launch, logIn, newPerson, open, resumeSession} from './browser.mjs';
import {demo} from '../support/demo.mjs';
import {Client} from '../support/portal.mjs';

const title = `New storage ${Date.now()}`;
const hostile = [
  'Files **move** on *Friday*, see [news](https://www.example.org/news).',
  '',
  '- first `home`',
  '- <img src=x onerror="document.title=\'owned\'">',
  '- [x](javascript:alert(1)) and [y](http://example.org)',
].join('\n');
let browser, ada, carol, visitor;
const banner = (page) => page.locator(at('announcement'), {hasText: title});
const row = (page) =>
    page.locator(`${at('announcement-row')}[data-title="${title}"]`);

before(async () => {
  browser = await launch();
  ada = await newPerson(browser);
  await resumeSession(ada, 'ada');
  visitor = await newPerson(browser);
  carol = await newPerson(browser);
  await logIn(carol, 'carol');
});
after(async () => {
  const {body} = await call(
      carol, 'AnnouncementService/ListAnnouncementDetails', {});
  for (const {announcement} of body.announcements ?? []) {
    if (announcement.title !== title) continue;
    await call(carol, 'AnnouncementService/DeleteAnnouncement',
               {id: announcement.id});
  }
  await browser.close();
});

async function reload(page) {
  await page.reload();
  await page.waitForSelector(at('start-form'));
}

test('announcements: only administrators see the page and write them',
     async () => {
       await open(ada, '/admin/announcements');
       await ada.waitForSelector(at('unknown-page'));
       const {status} = await call(
           ada, 'AnnouncementService/CreateAnnouncement', {details: {}});
       assert.equal(status, 403);
       ada.problems.length = 0;  // Chromium logs the refusal
       const visited = await new Client().call(
           'AnnouncementService/ListAnnouncements', {});
       assert.equal(visited.status, 401);
     });

test('announcements: nothing is saved without a title', async () => {
  await open(carol, '/admin/announcements');
  await carol.click(at('announcement-new'));
  await carol.click(at('announcement-save'));
  await carol.waitForSelector(at('announcement-error'));
});

test('announcements: the preview shows Markdown, and anything else as text',
     async () => {
       await carol.fill(at('announcement-title'), title);
       await carol.fill(at('announcement-text'), hostile);
       const preview = carol.locator(at('announcement-preview'));
       await preview.locator('strong', {hasText: 'move'}).waitFor();
       assert.equal(await preview.locator('img, script').count(), 0);
       assert.deepEqual(
           await preview.locator('a').evaluateAll(
               (links) => links.map(({href}) => href)),
           ['https://www.example.org/news']);
       assert.match(await preview.innerText(), /<img src=x onerror/);
       assert.match(await preview.innerText(), /\[x\]\(javascript:alert\(1\)\)/);
     });

test('announcements: one for users is on their pages, not at the log-in',
     async () => {
       await carol.click(at('announcement-save'));
       await row(carol).waitFor();
       await banner(carol).waitFor();
       await open(ada, '/');
       await reload(ada);
       // The text is long.
       await banner(ada).locator('summary').click();
       await banner(ada).locator('li', {hasText: 'first home'}).waitFor();
       await visitor.goto(demo().portal);
       await visitor.waitForSelector(at('login-username'));
       assert.equal(await banner(visitor).count(), 0);
     });

test('announcements: a dismissed one stays away, until it is changed',
     async () => {
       await banner(ada).locator(at('announcement-dismiss')).click();
       await banner(ada).waitFor({state: 'detached'});
       await reload(ada);
       await open(ada, '/usage');
       await ada.locator('main h1').waitFor({state: 'attached'});
       assert.equal(await banner(ada).count(), 0);
       await row(carol).locator(at('announcement-edit')).click();
       await carol.selectOption(at('announcement-audience'), '1');
       await carol.selectOption(at('announcement-level'), '2');
       await carol.click(at('announcement-save'));
       await carol.waitForSelector(
           at('announcement-form'), {state: 'detached'});
       await open(ada, '/');
       await reload(ada);
       await banner(ada).waitFor();
       assert.equal(
           await banner(ada).locator(at('announcement-dismiss')).count(), 0);
     });

test('announcements: one for everyone is on the log-in page', async () => {
  await visitor.reload();
  await banner(visitor).waitFor();
  await banner(visitor).locator('summary').click();
  await banner(visitor).locator('a').waitFor();
});

test('announcements: a deleted one is gone', async () => {
  await row(carol).locator(at('announcement-delete')).click();
  await carol.click(at('confirm'));
  await row(carol).waitFor({state: 'detached'});
  await reload(ada);
  assert.equal(await banner(ada).count(), 0);
  for (const page of [ada, carol, visitor]) {
    assert.deepEqual(page.problems, []);
    assert.doesNotMatch(await page.title(), /owned/);
  }
});
