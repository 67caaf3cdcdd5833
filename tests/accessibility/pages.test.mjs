// Every page and dialog of the application, with axe in light, dark and high
// contrast. The list is that of the screenshots, so a new route needs a state.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {fillDemo} from '../../docs/screenshots/demo_data.mjs';
import {statesOf} from '../../docs/screenshots/states.mjs';
import {axeSource} from '../e2e/axe.mjs';
import {at, launch, logIn, newPerson} from '../e2e/browser.mjs';
import {demo} from '../support/demo.mjs';

// Of Web Vitals a shift of more than 0.1 is poor.
const kMaxLayoutShift = 0.05;
const kTags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa',
               'best-practice'];
const kModes = [
  {name: 'light', media: {colorScheme: 'light', forcedColors: 'none'},
   options: {runOnly: kTags}},
  // What differs from light is colours.
  {name: 'dark', media: {colorScheme: 'dark', forcedColors: 'none'},
   options: {runOnly: {type: 'rule', values: ['color-contrast']}}},
  {name: 'high contrast', media: {colorScheme: 'dark', forcedColors: 'active'},
   options: {runOnly: {type: 'rule', values: ['color-contrast']}}},
];

let browser, data;
const pages = {};  // by who looks at them

before(async () => {
  browser = await launch();
  pages.user = await newPerson(browser);
  await logIn(pages.user, 'ada');
  pages.admin = await newPerson(browser);
  await logIn(pages.admin, 'carol');
  pages.nobody = await newPerson(browser);
  data = await fillDemo(pages.user, pages.admin);
  for (const page of Object.values(pages)) {
    await page.setViewportSize({width: 1366, height: 768});
    await page.addInitScript(noteLayoutShifts);
  }
});
after(async () => {
  await data?.remove();
  await browser.close();
});

function noteLayoutShifts() {
  globalThis.carmeShifts = [];
  new PerformanceObserver((list) => {
    for (const {hadRecentInput, sources, value} of list.getEntries()) {
      if (hadRecentInput) continue;
      const what = sources.map(({node}) => node?.className ?? '').join(', ');
      globalThis.carmeShifts.push({value, what});
    }
  }).observe({type: 'layout-shift', buffered: true});
}

async function show({who, path, act}) {
  const page = pages[who];
  await page.emulateMedia(kModes[0].media);
  await page.goto('about:blank');
  await page.goto(`${new URL(demo().portal).origin}/#${path}`);
  await page.waitForSelector(
      who === 'nobody' ? at('login-username') : at('user-menu'));
  await settle(page);
  const shifts = await page.evaluate(() => globalThis.carmeShifts);
  await act?.(page);
  await settle(page);
  return {page, shifts};
}

async function settle(page) {
  await page.waitForFunction(() => !document.querySelector(
      '.boot, .loading-shape, .skeleton'));
  await page.evaluate(() => Promise.all(document.getAnimations()
      .filter(({effect}) => effect?.getComputedTiming().iterations !== Infinity)
      .map(({finished}) => finished.catch(() => {}))));
}

async function violationsOf(page, {media, options}) {
  await page.emulateMedia(media);
  await settle(page);
  if (!await page.evaluate(() => 'axe' in globalThis)) {
    await page.evaluate(axeSource);
  }
  return page.evaluate(async (how) => {
    const {violations} = await globalThis.axe.run(document, how);
    // axe reads the colour of the fill, which stays the author's where the
    // browser forces the colour of the text.
    const isStale = ({target, any}) => {
      const {fgColor} = any[0]?.data ?? {};
      const [r, g, b] = getComputedStyle(document.querySelector(target[0]))
          .color.match(/\d+/g).map(Number);
      const hex = `#${(r << 16 | g << 8 | b).toString(16).padStart(6, '0')}`;
      return fgColor !== undefined && fgColor !== hex;
    };
    const isForced = matchMedia('(forced-colors: active)').matches;
    return violations.flatMap(({id, nodes}) => nodes
        .filter((node) => !isForced || !isStale(node))
        .map(({target, failureSummary}) => `${id}: ${target.join(' ')}: ${
            failureSummary.split('\n').at(-1)}`));
  }, {...options, resultTypes: ['violations'], preload: false});
}

test('pages: none violates a rule of axe, in any contrast, or moves by itself',
     async (t) => {
       for (const state of statesOf(data)) {
         await t.test(`pages: ${state.name}`, async () => {
           const {page, shifts} = await show(state);
           const found = [];
           for (const mode of kModes) {
             for (const violation of await violationsOf(page, mode)) {
               found.push(`${mode.name}: ${violation}`);
             }
           }
           assert.deepEqual(found, []);
           const shift = shifts.reduce((sum, {value}) => sum + value, 0);
           assert.ok(shift <= kMaxLayoutShift, JSON.stringify(shifts));
         });
       }
     });
