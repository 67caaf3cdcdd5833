// A few pages that look the same each time, beside stored pictures. After a
// wanted change, or with another browser, write them anew and look at them:
//   CARME_DEMO_JSON=build/demo/demo.json CARME_RENEW_PICTURES=1 \
//     node --test tests/accessibility/pictures.test.mjs
// Another major version of the browser, or other fonts, draw the same page
// otherwise: then nothing is compared, which the test says.
import assert from 'node:assert/strict';
import {mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, test} from 'node:test';
import {fileURLToPath} from 'node:url';

import {
  at, call, launch, newPerson, open, resumeSession,
} from '../e2e/browser.mjs';
import {rendererOf, takePicture} from '../e2e/pictures.mjs';
import {waitFor} from '../support/demo.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'tests/accessibility/pictures');
const differences = join(root, 'build/pictures');
const renew = process.env.CARME_RENEW_PICTURES === '1';

// Of a picture's pixels; a changed word is more.
const kMaxShare = 0.001;
const kSizes = [
  {name: 'laptop', viewport: {width: 1366, height: 768}},
  {name: 'phone', viewport: {width: 360, height: 740}},
];
const kSchemes = ['light', 'dark'];
// Times, also such in words, and the bell with a number of notifications. A closed
// element has boxes for what it hides.
const kHidden = [
  'time >> visible=true', at('bell'), at('log-startup'), at('log-state'),
];

// bob has no tokens and environments, and one job, which has ended. `language`:
// German pictures are of light pages only.
const click = (name) => (page) => page.locator(at(name)).first().click();
// A page of the job, without what differs each time: ids, and lines of the agent.
const jobPage = (tab, more) => ({
  path: () => `/jobs/${jobId}?tab=${tab}`,
  act: (page) => page.evaluate(() => {
    const ids = document.querySelectorAll('.job-ids .button-small span');
    [...ids].forEach((id, index) => id.textContent = `Id ${index}`);
    for (const line of document.querySelectorAll('.log-text span')) {
      if (line.textContent.includes('[carme-agent]')) line.remove();
    }
  }),
  ...more,
});
const kPages = [
  {name: 'login', who: 'nobody', path: '/', ready: at('login-username')},
  {name: 'page-not-found', path: '/nowhere', ready: 'main h1'},
  {name: 'job-not-found', path: '/jobs/a23456789abcdefg', ready: 'main h1'},
  {name: 'tokens', path: '/account/tokens', ready: at('token-new')},
  {name: 'new-environment', path: '/environments?new=1',
   ready: at('environment-form')},
  {name: 'shortcuts', path: '/nowhere', ready: 'main h1',
   async act(page) {
     await click('help-menu')(page);
     await click('shortcuts')(page);
     await page.getByRole('dialog').waitFor();
   }},
  jobPage('log', {name: 'job-log',
                  ready: `${at('log-state')}[data-done="true"]`}),
  jobPage('configuration',
          {name: 'job-configuration', ready: at('job-configuration')}),
  jobPage('configuration', {name: 'job-configuration-de', who: 'german',
                            ready: at('job-configuration')}),
  {name: 'new-environment-de', path: '/environments?new=1', who: 'german',
   ready: at('environment-form')},
  {name: 'tokens-de', path: '/account/tokens', who: 'german',
   ready: at('token-new')},
];

let browser, renderer, jobId;
const people = {};

before(async () => {
  browser = await launch('--font-render-hinting=none',
                         '--force-color-profile=srgb', '--disable-lcd-text');
  renderer = rendererOf(browser);
  const options = {timezoneId: 'UTC', locale: 'en-GB', reducedMotion: 'reduce',
                   deviceScaleFactor: 1};
  people.nobody = await newPerson(browser, options);
  people.bob = await newPerson(browser, options);
  people.german = await newPerson(browser, {...options, locale: 'de-DE'});
  for (const person of ['bob', 'german']) {
    await resumeSession(people[person], 'bob');
  }
  jobId = await runJob(people.bob);
  rmSync(differences, {recursive: true, force: true});
});
after(() => browser.close());

async function runJob(page) {
  const {status, body} = await call(page, 'JobService/SubmitJob', {spec: {
    name: 'count steps', walltime: '600s', gpusPerNode: 0, cpusPerNode: 1,
    batch: {command: 'for i in 1 2 3; do echo step $i of 3; done'},
  }});
  assert.equal(status, 200, JSON.stringify(body));
  const {id} = body.job;
  await waitFor('the job to end', async () => {
    const {body: {job}} = await call(page, 'JobService/GetJob', {jobId: id});
    return job.state === 'JOB_STATE_ENDED';
  });
  return id;
}

async function settle(page) {
  await page.waitForFunction(() => !document.querySelector(
      '.boot, .loading-shape, .skeleton'));
}

async function show({who = 'bob', path, ready, act}, viewport, scheme) {
  const page = people[who];
  await page.setViewportSize(viewport);
  await page.emulateMedia({colorScheme: scheme});
  await page.goto('about:blank');
  await open(page, typeof path === 'function' ? path() : path);
  await page.waitForSelector(ready, {state: 'attached'});
  await settle(page);
  await act?.(page);
  await page.mouse.move(0, 0);
  await page.evaluate(() => {
    document.activeElement?.blur();
    // It reaches out of the bell, and is as wide as the number.
    const count = document.querySelector('.bell-count');
    if (count) count.style.visibility = 'hidden';
  });
  return page;
}

function storedRenderer() {
  return JSON.parse(readFileSync(join(folder, 'renderer.json'), 'utf8'));
}

test('pictures: pages look as they are stored', async (t) => {
  if (renew) {
    rmSync(folder, {recursive: true, force: true});
    mkdirSync(folder, {recursive: true});
    writeFileSync(join(folder, 'renderer.json'),
                  `${JSON.stringify(renderer, null, 2)}\n`);
  } else {
    const stored = storedRenderer();
    if (JSON.stringify(stored) !== JSON.stringify(renderer)) {
      console.log('pictures: not compared: they were drawn by ' +
                  `${JSON.stringify(stored)}, this is ` +
                  `${JSON.stringify(renderer)}; write them anew`);
      return;
    }
  }
  for (const {name: size, viewport} of kSizes) {
    for (const scheme of kSchemes) {
      for (const page of kPages) {
        if (page.who === 'german' && scheme !== 'light') continue;
        const name = `${page.name}-${size}-${scheme}.png`;
        await t.test(`pictures: ${name}`, async () => {
          const shown = await show(page, viewport, scheme);
          const stored = renew ? undefined : readFileSync(join(folder, name));
          const {picture, share, difference} = await takePicture(
              shown, {hidden: kHidden, stored, maxShare: kMaxShare});
          if (renew) writeFileSync(join(folder, name), picture);
          if (share > kMaxShare) {
            mkdirSync(differences, {recursive: true});
            writeFileSync(join(differences, name), picture);
            writeFileSync(join(differences, `difference-${name}`), difference);
          }
          assert.ok(share <= kMaxShare,
                    `${(share * 100).toFixed(2)} % of the pixels differ; ` +
                    `see ${differences}`);
        });
      }
    }
  }
});
