// Every page and dialog of the application, with axe in light, dark and high
// contrast, and in the width of a phone. The list is that of the screenshots, so
// a new route needs a state.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {fillDemo} from '../../docs/screenshots/demo_data.mjs';
import {statesOf} from '../../docs/screenshots/states.mjs';
import {kAllRules, kColourRules, violationsOf} from '../e2e/axe.mjs';
import {at, launch, logIn, newPerson} from '../e2e/browser.mjs';
import {demo} from '../support/demo.mjs';

// Of Web Vitals a shift of more than 0.1 is poor.
const kMaxLayoutShift = 0.05;
const kLaptop = {width: 1366, height: 768};
const kPhone = {width: 360, height: 740};
const kLight = {colorScheme: 'light', forcedColors: 'none'};
const kModes = [
  {name: 'light', media: kLight, viewport: kLaptop, rules: kAllRules},
  {name: 'dark', media: {colorScheme: 'dark', forcedColors: 'none'},
   viewport: kLaptop, rules: kColourRules},
  {name: 'high contrast', viewport: kLaptop, rules: kColourRules,
   media: {colorScheme: 'dark', forcedColors: 'active'}},
  // The page is not loaded again, only its window becomes narrow.
  {name: 'phone', media: kLight, viewport: kPhone, rules: kAllRules},
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
  await page.emulateMedia(kLight);
  await page.setViewportSize(kLaptop);
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

async function violationsIn(page, {media, viewport, rules}) {
  await page.setViewportSize(viewport);
  await page.emulateMedia(media);
  // The header hides a part of what is scrolled below it, which is no fault.
  await page.evaluate(() => scrollTo(0, 0));
  await settle(page);
  return violationsOf(page, rules);
}

test('pages: none violates a rule of axe, in any contrast or width, or moves ' +
     'by itself',
     async (t) => {
       for (const state of statesOf(data)) {
         await t.test(`pages: ${state.name}`, async () => {
           const {page, shifts} = await show(state);
           const found = [];
           for (const mode of kModes) {
             for (const violation of await violationsIn(page, mode)) {
               found.push(`${mode.name}: ${violation}`);
             }
           }
           assert.deepEqual(found, []);
           const shift = shifts.reduce((sum, {value}) => sum + value, 0);
           assert.ok(shift <= kMaxLayoutShift, JSON.stringify(shifts));
         });
       }
     });
