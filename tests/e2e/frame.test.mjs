// What is around each page: navigation, menus, notifications, commands and
// shortcuts, on a laptop and on a phone.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {at, call, launch, open, pageOf} from './browser.mjs';
import {demo, waitFor} from '../support/demo.mjs';
import {Client} from '../support/portal.mjs';

let browser, page, jobId;
const focused = () =>
    page.evaluate(() => document.activeElement.dataset.testid ?? '');
const address = (hash) =>
    page.waitForURL((url) => url.hash === hash, {timeout: 10_000});

before(async () => {
  browser = await launch();
  const bob = new Client();
  await bob.resume('bob');
  page = await pageOf(browser, bob);
  await page.setViewportSize({width: 1366, height: 768});
  await page.emulateMedia({reducedMotion: 'reduce'});
  await page.goto(demo().portal);
  await page.waitForSelector(at('start-form'));
});
after(async () => {
  if (jobId) await call(page, 'JobService/StopJob', {jobId});
  await browser.close();
});

test('home: opens with at most 8 requests, one of them for its data',
     async () => {
       const requests = [];
       const note = (request) =>
           requests.push(new URL(request.url()).pathname);
       page.on('request', note);
       const previewed = page.waitForResponse(/JobService\/PreviewJob/);
       await page.reload();
       await page.waitForSelector(at('start-form'));
       await previewed;
       page.off('request', note);
       assert.ok(requests.length <= 8, requests.join('\n'));
       const calls = requests.filter((path) => path.startsWith('/carme.v1.'));
       assert.deepEqual(calls.toSorted(), [
         '/carme.v1.Batch', '/carme.v1.JobService/PreviewJob',
         '/carme.v1.JobService/WatchJobs',
       ]);
     });

test('shortcuts: a single key does nothing in a text field', async () => {
  await page.click(at('more-options'));
  await page.focus(at('field-name'));
  await page.keyboard.type('g?n');
  assert.equal(await page.inputValue(at('field-name')), 'g?n');
  assert.equal(await page.locator(at('shortcut-list')).count(), 0);
  await page.fill(at('field-name'), '');
  await page.click(at('more-options'));
});

test('shortcuts: can be disabled, and are listed by ?', async () => {
  await page.focus('.brand');
  await page.keyboard.press('?');
  await page.locator(at('shortcut-list')).waitFor();
  await page.uncheck(at('single-keys'));
  await page.keyboard.press('Escape');
  await page.focus('.brand');
  await page.keyboard.press('?');
  assert.equal(await page.locator(at('shortcut-list')).count(), 0);
  await page.click(at('help-menu'));
  await page.click(at('shortcuts'));
  await page.check(at('single-keys'));
  await page.keyboard.press('Escape');
  await page.focus('.brand');
  await page.keyboard.press('g');
  await page.keyboard.press('c');
  await address('#/cluster');
});

test('help: links to the documentation and to the support of the site',
     async () => {
       // A menu closes when the page changes.
       await open(page, '/');
       await page.waitForSelector(at('start-form'));
       await page.click(at('help-menu'));
       const panel = page.locator(at('help-menu-panel'));
       await panel.waitFor();
       const links = await panel.locator('a')
           .evaluateAll((all) => all.map(({href, rel}) => [href, rel]));
       assert.deepEqual(links, [
         ['https://docs.example.org/carme', 'noopener noreferrer'],
         ['mailto:support@example.org', ''],
       ]);
       await page.keyboard.press('Escape');
     });

test('navigation: every page has the same edges and marks its area',
     async () => {
       const edges = new Set();
       for (const [path, link] of [
         ['/', 'to-jobs'], ['/files', 'to-files'], ['/cluster', 'to-cluster'],
         ['/usage', 'to-usage'],
         ['/history', 'to-usage'], ['/projects', 'to-projects'],
         ['/reservations', undefined],
         ['/environments', 'to-environments'],
         ['/account/security', ''],
       ]) {
         await open(page, path);
         await page.locator('main h1').waitFor({state: 'attached'});
         const marked = page.locator('.topbar [aria-current]');
         if (link !== undefined) {
           assert.deepEqual(
               await marked.evaluateAll(
                   (all) => all.map(({dataset}) => dataset.testid)),
               link ? [link] : [], path);
         }
         // The heading, or what stands left of it.
         const first = 'main :is(.page-title, .section-nav, .quick)';
         await page.locator(first).first().waitFor();
         edges.add(JSON.stringify(await page.evaluate((content) => {
           const left = (selector) =>
               Math.min(...[...document.querySelectorAll(selector)].map(
                   (one) => one.getBoundingClientRect().left));
           return [left(content), left('.brand')];
         }, first)));
       }
       assert.equal(edges.size, 1, [...edges].join(' '));
       const [content, brand] = JSON.parse([...edges][0]);
       assert.equal(content, brand);
     });

test('commands: Ctrl-K goes to a page and returns the focus', async () => {
  await open(page, '/');
  await page.waitForSelector(at('start-form'));
  await page.focus(at('field-walltime'));
  await page.keyboard.press('Control+k');
  await page.locator(at('palette-input')).waitFor();
  await page.fill(at('palette-input'), 'no such command');
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('[data-testid^="command-"]').count(), 0);
  await page.keyboard.press('Escape');
  assert.equal(await focused(), 'field-walltime');
  await page.keyboard.press('Control+k');
  await page.fill(at('palette-input'), 'project');
  await page.keyboard.press('Enter');
  await address('#/projects');
});

test('commands: fill in the form for an app', async () => {
  await page.keyboard.press('Control+k');
  await page.fill(at('palette-input'), 'start terminal');
  await page.locator(at('command-start-shell')).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForSelector(at('link-note'));
  assert.ok(await page.isChecked(at('app-shell')));
});

test('tab: its title counts jobs that are ready', async () => {
  assert.doesNotMatch(await page.title(), /ready/);
  const spec = {app: 'shell', gpusPerNode: 0, walltime: '600s'};
  const {status, body} = await call(page, 'JobService/SubmitJob', {spec});
  assert.equal(status, 200, JSON.stringify(body));
  jobId = body.job.id;
  await open(page, '/usage');
  await waitFor('the title has the job', async () =>
      /^\(1 ready\) Usage/.test(await page.title()));
});

test('notifications: each leads to its job', async () => {
  const {body} = await call(page, 'NotificationService/ListNotifications', {});
  const newest = (body.notifications ?? []).slice(0, 10);
  await page.reload();
  await page.click(at('bell'));
  const entries = page.locator('[data-testid^="bell-entry-"]');
  await waitFor('the entries', async () =>
      await entries.count() === newest.length);
  for (const {id, kind, subject} of newest) {
    if (!kind.startsWith('NOTIFICATION_KIND_JOB')) continue;
    const link = page.locator(at(`bell-entry-${id}`));
    assert.equal(await link.getAttribute('href'), `#/jobs/${subject}`);
  }
  await page.keyboard.press('Escape');
  assert.equal(await page.locator(at('bell-panel')).count(), 0);
  assert.equal(await focused(), 'bell');
});

test('user menu: closes when the focus leaves it', async () => {
  await page.click(at('user-menu'));
  await page.locator(at('logout')).focus();
  await page.keyboard.press('Tab');
  assert.equal(await page.locator(at('user-menu-panel')).count(), 0);
});

test('phone: nothing is wider than the screen or too small to hit',
     async () => {
       await page.setViewportSize({width: 360, height: 740});
       for (const path of ['/', '/cluster', '/usage', '/projects']) {
         await open(page, path);
         await page.locator('main h1').waitFor({state: 'attached'});
         assert.equal(await page.evaluate(
             () => document.documentElement.scrollWidth), 360, path);
         const small = await page.locator('.topbar').locator('a, button')
             .evaluateAll((all) => all
                 .filter((one) => !one.matches('.skip-link') &&
                         one.getClientRects().length > 0)
                 .map((one) => [one.textContent, one.getBoundingClientRect()])
                 .filter(([, {width, height}]) => width < 24 || height < 24)
                 .map(([text]) => text));
         assert.deepEqual(small, [], path);
       }
     });

test('phone: the menu has the other areas', async () => {
  await page.click(at('nav-more'));
  await page.click(at('more-to-projects'));
  await address('#/projects');
  assert.deepEqual(page.problems, []);
});
