// Takes screenshots of every page and state of a running demo, in light and
// dark, on a laptop and a phone, in English and German, into build/screens with
// an index.html:
//   CARME_DEMO_JSON=build/demo/demo.json node docs/screenshots/take_all.mjs
// With words, only states whose name contains one of them. CARME_SCREENS_DIR is
// another folder. Needs `npm ci` in tests/e2e. Exits with 1 if a state could not
// be reached, or if a page has a console error or is wider than its window.
import {mkdirSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

import {at, launch, logIn, newPerson} from '../../tests/e2e/browser.mjs';
import {demo} from '../../tests/support/demo.mjs';
import {fillDemo} from './demo_data.mjs';
import {indexPage} from './index_page.mjs';
import {statesOf} from './states.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = process.env.CARME_SCREENS_DIR ?? join(root, 'build/screens');
const words = process.argv.slice(2);

const kWidths = [
  {name: 'laptop', viewport: {width: 1366, height: 768}},
  {name: 'phone', viewport: {width: 360, height: 740}},
];
const kLanguages = ['en', 'de'];
const kSchemes = ['light', 'dark'];
// Of a state's preparation; a state that needs longer is broken.
const kActMs = 20_000;
const kMaxHeight = 5000;

const browser = await launch();
const problems = [];
const taken = [];

// A page with the session of `from`, if any.
async function pageIn(language, viewport, from) {
  const page = await newPerson(browser);
  await page.setViewportSize(viewport);
  await page.addInitScript((code) => {
    if (location.protocol !== 'https:') return;  // about:blank
    localStorage.setItem('carme-language', code);
  }, language);
  if (from) await page.context().addCookies(await from.context().cookies());
  page.setDefaultTimeout(kActMs);
  return page;
}

// Until nothing loads or moves any more.
async function settle(page) {
  await page.waitForFunction(() => !document.querySelector(
      '.boot, .loading-shape, .skeleton')).catch(() => {});
  await page.evaluate(async () => {
    await document.fonts.ready;
    const finite = document.getAnimations().filter(
        ({effect}) => effect?.getComputedTiming().iterations !== Infinity);
    await Promise.all(finite.map(({finished}) => finished.catch(() => {})));
  });
  await page.waitForTimeout(250);
}

// A window as high as the page, so that a bar at its lower edge is there.
async function grow(page) {
  const {width, height} = page.viewportSize();
  const wanted =
      await page.evaluate(() => document.documentElement.scrollHeight);
  if (wanted > height) {
    await page.setViewportSize({width, height: Math.min(wanted, kMaxHeight)});
  }
}

async function take(page, state, viewport, label) {
  const files = {};
  await page.setViewportSize(viewport);
  // Another address first: the page starts anew even if only its query differs.
  await page.goto('about:blank');
  await page.goto(`${new URL(demo().portal).origin}/#${state.path}`);
  await page.waitForSelector(
      state.who === 'nobody' ? at('login-username') : at('user-menu'));
  await settle(page);
  try {
    await state.act?.(page);
  } catch (error) {
    problems.push(`${state.name} (${label}): ${error.message.split('\n')[0]}`);
  }
  await settle(page);
  for (const colorScheme of kSchemes) {
    await page.emulateMedia({colorScheme});
    if (state.isTall) await grow(page);
    await settle(page);
    const file = `${state.name.replaceAll(' ', '-')}-${label}-${colorScheme}.png`;
    await page.screenshot({path: join(folder, file)});
    files[colorScheme] = file;
  }
  const wider = await page.evaluate(
      () => document.documentElement.scrollWidth - innerWidth);
  if (wider > 0) problems.push(`${state.name} (${label}): ${wider} px too wide`);
  for (const problem of page.problems.splice(0)) {
    if (state.isMissing && / 404 /.test(problem)) continue;
    problems.push(`${state.name} (${label}): ${problem}`);
  }
  return files;
}

rmSync(folder, {recursive: true, force: true});
mkdirSync(folder, {recursive: true});
const user = await newPerson(browser);
await logIn(user, 'ada');
const admin = await newPerson(browser);
await logIn(admin, 'carol');
const data = await fillDemo(user, admin);
try {
  const states = statesOf(data).filter(({name}) =>
    words.length === 0 || words.some((word) => name.includes(word)));
  const sessions = {user, admin, nobody: undefined};
  // Two pages beside each other: the proxy bounds the requests of a session.
  for (const {name: width, viewport} of kWidths) {
    await Promise.all(kLanguages.map(async (language) => {
      const label = `${width}-${language}`;
      for (const [who, from] of Object.entries(sessions)) {
        const page = await pageIn(language, viewport, from);
        for (const state of states.filter((each) => each.who === who)) {
          const files = await take(page, state, viewport, label);
          taken.push({name: state.name, label, files});
        }
        await page.context().close();
      }
    }));
  }
  const labels = kWidths.flatMap(({name}) =>
    kLanguages.map((language) => `${name}-${language}`));
  const names = states.map(({name}) => name);
  writeFileSync(join(folder, 'index.html'), indexPage(names, labels, taken));
} finally {
  await data.remove();
  await browser.close();
}
for (const problem of problems) console.error(problem);
console.log(`${taken.length * kSchemes.length} screenshots in ${folder}`);
process.exitCode = problems.length > 0 ? 1 : 0;
