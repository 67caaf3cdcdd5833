// The start form on a small laptop: Start is in sight, nothing covers the field
// that has the focus, and nothing is red that the user has not caused.
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
});
after(async () => {
  for (const jobId of started) await call(page, 'JobService/StopJob', {jobId});
  await browser.close();
});

test('start form: Start is in the window without scrolling', async () => {
  const answer = previewed();
  await page.goto(demo().portal);
  await answer;
  const box = await page.locator(at('start-submit')).boundingBox();
  assert.ok(box.y > 0 && box.y + box.height <= 768, JSON.stringify(box));
  assert.equal(await page.evaluate(() => window.scrollY), 0);
});

test('start form: no field that gets the focus is covered', async () => {
  await page.click(at('more-options'));
  await page.focus(at('kind-interactive'));
  const covered = [];
  let fields = 0;
  for (let step = 0; step < 60; ++step) {
    const look = await page.evaluate(() => {
      const focused = document.activeElement;
      if (!focused?.closest('[data-testid="start-form"]')) return null;
      const box = focused.getBoundingClientRect();
      const seen = document.elementFromPoint(
          box.x + box.width / 2, box.y + Math.min(box.height, 40) / 2);
      return {
        name: focused.dataset.test ?? focused.textContent,
        inSight: focused.contains(seen) || !!seen?.contains(focused) &&
            seen.closest('.start-body, .start-foot') !== null,
        foot: !focused.closest('.start-foot') && !!seen?.closest('.start-foot'),
      };
    });
    if (!look) break;
    ++fields;
    if (!look.inSight || look.foot) covered.push(look.name);
    await page.keyboard.press('Tab');
  }
  assert.ok(fields > 12, `${fields} fields had the focus`);
  assert.deepEqual(covered, []);
  await page.click(at('more-options'));
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
       // The preview that follows shows that no more fits.
       await page.locator(at('start-problem')).waitFor();
       assert.equal(await complaints().count(), 0);
       assert.equal(await page.locator('.start-summary-bad').count(), 0);
     });

test('start form: an app that needs a file of the user\'s is not offered',
     async () => {
       await page.check(at('kind-interactive'));
       await page.locator(at('app-shell')).waitFor();
       assert.equal(await page.locator(at('app-web')).count(), 0);
     });
