// The start of jobs on a small laptop: what starts a job is in sight, nothing
// covers what has the focus, and nothing is red that the user has not caused.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {at, call, launch, pageOf} from './browser.mjs';
import {demo} from '../support/demo.mjs';
import {Client} from '../support/portal.mjs';

let browser, page;
const started = [];
const complaints = () => page.locator('.start .field-error');
const previewed = () => page.waitForResponse(/JobService\/PreviewJob/);

before(async () => {
  browser = await launch();
  const bob = new Client();
  await bob.resume('bob');
  page = await pageOf(browser, bob);
  await page.setViewportSize({width: 1366, height: 768});
  // Without it the page still scrolls to the focus when it is looked at.
  await page.emulateMedia({reducedMotion: 'reduce'});
});
after(async () => {
  for (const jobId of started) await call(page, 'JobService/StopJob', {jobId});
  await browser.close();
});

test('start form: Start and the tiles are in the window without scrolling',
     async () => {
       const answer = previewed();
       await page.goto(demo().portal);
       await answer;
       await page.locator(at('start-estimate')).locator('p').first().waitFor();
       for (const name of ['start-submit', 'quick-starts']) {
         const box = await page.locator(at(name)).boundingBox();
         assert.ok(box.y > 0 && box.y + box.height <= 768,
                   `${name}: ${JSON.stringify(box)}`);
       }
       assert.equal(await page.evaluate(() => window.scrollY), 0);
     });

// The elements that the Tab key reaches from the start of the page, and those
// of them that something covers.
async function tabThrough(most) {
  await page.focus('.skip-link');
  const reached = [], covered = [];
  for (let step = 0; step < most; ++step) {
    await page.keyboard.press('Tab');
    const look = await page.evaluate(() => {
      const focused = document.activeElement;
      if (!focused || focused === document.body) return null;
      const box = focused.getBoundingClientRect();
      const seen = document.elementFromPoint(
          box.x + box.width / 2, box.y + Math.min(box.height, 40) / 2);
      return {
        name: focused.dataset.testid || focused.textContent,
        inSight: focused.contains(seen) || !!seen?.contains(focused) ||
            seen?.closest('label')?.contains(focused) === true,
      };
    });
    if (!look) break;
    reached.push(look.name);
    if (!look.inSight) covered.push(look.name);
  }
  return {reached, covered};
}

test('start form: nothing that gets the focus is covered', async () => {
  await page.click(at('more-options'));
  for (const [width, height] of [[360, 740], [1366, 768]]) {
    await page.setViewportSize({width, height});
    const {reached, covered} = await tabThrough(120);
    for (const name of ['bell', 'start-submit']) {
      assert.ok(reached.includes(name), reached.join());
    }
    assert.deepEqual(covered, [], `at ${width} pixels`);
  }
  await page.click(at('more-options'));
});

test('start form: a link skips to it from the start of the page', async () => {
  await page.focus('.skip-link');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'start');
});

test('start form: a new batch job is not at fault before its first key',
     async () => {
       await page.check(at('kind-batch'));
       await page.locator(at('start-problem'), {hasText: 'Command: '})
           .waitFor();
       assert.equal(await complaints().count(), 0);
       assert.equal(await page.locator('.start-summary-bad').count(), 0);
     });

test('start form: the message beside Start names the field and leads to it',
     async () => {
       await page.press(at('start-submit'), 'Enter');
       await page.locator(at('violation-command')).first().waitFor();
       await page.locator('.start-summary-bad', {hasText: 'Command: '})
           .waitFor();
       await page.fill(at('field-command'), 'sleep 60');
       await page.fill(at('field-gpusPerNode'), '99');
       const problem = page.locator(at('start-problem'));
       await problem.filter({hasText: 'GPUs per node: '}).waitFor();
       await page.locator(at('violation-gpusPerNode')).first().waitFor();
       await page.click(at('start-problem-show'));
       assert.equal(await page.evaluate(() => document.activeElement.id),
                    'field-gpusPerNode');
     });

test('start form: is not red because the job that it started counts',
     async () => {
       const {body} = await call(page, 'ClusterService/GetCluster', {});
       const most = body.limits.maxRunningJobs;
       await page.fill(at('field-gpusPerNode'), '0');
       await page.fill(at('field-array'), `0-${most}%${most}`);
       await page.waitForSelector(`${at('start-estimate')}[data-stale="false"]`);
       const [answer] = await Promise.all([
         page.waitForResponse(/JobService\/SubmitJob/),
         page.press(at('start-submit'), 'Enter'),
       ]);
       assert.equal(answer.status(), 200, await answer.text());
       started.push((await answer.json()).job.id);
       // The form is empty again; its preview shows that no more fits.
       await page.locator(at('success-toast')).first().waitFor();
       await page.locator(at('start-problem')).waitFor();
       assert.ok(await page.isChecked(at('kind-interactive')));
       assert.equal(await complaints().count(), 0);
       assert.equal(await page.locator('.start-summary-bad').count(), 0);
       for (const jobId of started.splice(0)) {
         await call(page, 'JobService/StopJob', {jobId});
       }
     });

test('quick start: one click starts the last job again', async () => {
  const last = page.locator(at('quick-last')).first();
  await last.waitFor();
  await page.locator(at('start-estimate')).locator('p').first().waitFor();
  const [answer] = await Promise.all([
    page.waitForResponse(/JobService\/SubmitJob/),
    last.click(),
  ]);
  assert.equal(answer.status(), 200, await answer.text());
  const {job} = await answer.json();
  started.push(job.id);
  assert.match(job.spec.batch.array, /^0-\d/);
  await page.locator(at(`job-${job.id}`)).waitFor();
});

test('quick start: a refused job is shown in the form with the reason',
     async () => {
       // The array counts with as many jobs as the user may run.
       const last = page.locator(at('quick-last')).first();
       const [answer] = await Promise.all([
         page.waitForResponse(/JobService\/SubmitJob/),
         last.click(),
       ]);
       assert.ok(answer.status() >= 400, `${answer.status()}`);
       await complaints().first().waitFor();
       assert.ok(await page.isChecked(at('kind-batch')));
     });

test('start form: an app that needs a file of the user\'s is not offered',
     async () => {
       await page.check(at('kind-interactive'));
       await page.locator(at('app-shell')).waitFor();
       assert.equal(await page.locator(at('app-web')).count(), 0);
     });
