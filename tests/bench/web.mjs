// What a person with a slow computer waits for: the pages of Carme in Chromium
// with the processor slowed four times and an empty cache, beside JupyterLab of
// the same job through the same proxy. ROUNDS (5), medians.
//
// A page is usable when what a person came for is shown and can be clicked.
import {at, launch, newPerson, open, pageOf} from '../e2e/browser.mjs';
import {figuresOf, median} from '../support/click.mjs';
import {demo, waitFor} from '../support/demo.mjs';
import {Client} from '../support/portal.mjs';

const kSlowdown = 4;
const rounds = Number(process.env.ROUNDS ?? 5);
const figure = figuresOf('web');

// Runs in the page before its own scripts: notes when `selector` can be used,
// and what the browser measures itself.
function observe(selector) {
  const seen = {usable_ms: 0, layout_shift: 0, interaction_ms: 0};
  globalThis.carmeBench = seen;
  const look = () => {
    const element = document.querySelector(selector);
    if (element && !element.disabled && element.getClientRects().length > 0) {
      seen.usable_ms = performance.now();
    } else {
      requestAnimationFrame(look);
    }
  };
  requestAnimationFrame(look);
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (!entry.hadRecentInput) seen.layout_shift += entry.value;
    }
  }).observe({type: 'layout-shift', buffered: true});
  new PerformanceObserver((list) => {
    for (const {interactionId, duration} of list.getEntries()) {
      if (interactionId > 0) {
        seen.interaction_ms = Math.max(seen.interaction_ms, duration);
      }
    }
  }).observe({type: 'event', buffered: true, durationThreshold: 16});
}

// Slows the page and counts what it loads.
async function measured(page, selector) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', {rate: kSlowdown});
  await devtools.send('Network.enable');
  const loaded = {requests: 0, kb: 0};
  devtools.on('Network.requestWillBeSent', ({request}) => {
    if (/^https/.test(request.url)) ++loaded.requests;
  });
  devtools.on('Network.dataReceived', ({encodedDataLength}) => {
    loaded.kb += encodedDataLength / 1000;
  });
  await page.addInitScript(observe, selector);
  return loaded;
}

const kSettled_ms = 2000;  // for late shifts and requests

// Opens a page in a fresh browser context, and what it took.
async function visit(page, selector, go) {
  const loaded = await measured(page, selector);
  await go(page);
  await waitFor(`${selector} is usable`, async () => await page.evaluate(
      () => globalThis.carmeBench?.usable_ms > 0).catch(() => false));
  const atUse = {...loaded};
  await page.waitForTimeout(kSettled_ms);
  const {usable_ms, layout_shift} =
      await page.evaluate(() => globalThis.carmeBench);
  const paint_ms = await page.evaluate(() => performance.getEntriesByName(
      'first-contentful-paint')[0]?.startTime ?? 0);
  return {
    first_paint_ms: paint_ms, usable_ms, layout_shift,
    requests: atUse.requests, kb: atUse.kb,
  };
}

// From the click on "Start" to the next picture, and to the card of the job.
async function start(page) {
  const cards = new Set(await page.locator('[data-testid^="job-"][data-state]')
      .evaluateAll((list) => list.map(({dataset}) => dataset.testid)));
  const begun = performance.now();
  const answered = page.waitForResponse(/JobService\/SubmitJob/);
  await page.click(at('start-submit'));
  const {job} = await (await answered).json();
  if (cards.has(`job-${job.id}`)) throw new Error('the job is not new');
  await page.waitForSelector(at(`job-${job.id}`));
  const card_ms = performance.now() - begun;
  await page.waitForTimeout(200);  // the browser reports interactions late
  const {interaction_ms} = await page.evaluate(() => globalThis.carmeBench);
  return {id: job.id, interaction_ms, card_ms};
}

const client = new Client();
await client.logIn('ada');
const stop = (jobId) => client.call('JobService/StopJob', {jobId});
const {body} = await client.call('JobService/SubmitJob', {spec: {
  name: 'web', walltime: '1800s', app: 'jupyter', gpusPerNode: 0,
}});
const jobId = body.job.id;
await waitFor('the job is ready', async () => (await client.call(
    'JobService/GetJob', {jobId})).body.job.state === 'JOB_STATE_READY');

const kPages = {
  'log-in': {
    selector: at('login-submit'),
    go: (page) => page.goto(demo().portal),
  },
  'home': {
    selector: at('start-submit'),
    go: (page) => page.goto(demo().portal),
    withSession: true,
  },
  'job': {
    selector: at('job-open'),
    go: (page) => open(page, `/jobs/${jobId}`),
    withSession: true,
  },
  'jupyterlab': {
    selector: '.jp-LauncherCard',
    go: async (page) => {
      const opened = await client.call('JobService/OpenApp', {jobId});
      await page.goto(opened.body.url);
    },
  },
};

const results = Object.fromEntries(Object.keys(kPages).map((n) => [n, []]));
const clicks = [];
const browser = await launch();
for (let round = 0; round <= rounds; ++round) {
  for (const [name, {selector, go, withSession}] of Object.entries(kPages)) {
    const page = await (withSession ? pageOf(browser, client) :
                                      newPerson(browser));
    await page.setViewportSize({width: 1366, height: 768});
    // A session comes from a log-in in the same browser, which leaves this.
    if (withSession) {
      await page.addInitScript(
          () => localStorage.setItem('carme-session', '1'));
    }
    const result = await visit(page, selector, go);
    // The first round warms the servers.
    if (round > 0) results[name].push(result);
    if (name === 'home') {
      const {id, ...click} = await start(page);
      if (round > 0) clicks.push(click);
      await stop(id);
    }
    await page.context().close();
  }
}
await stop(jobId);
await browser.close();

const kUnits = {requests: '', layout_shift: '', kb: 'kB'};
const print = (subject, rows) => {
  for (const metric of Object.keys(rows[0])) {
    figure(subject, metric, median(rows.map((row) => row[metric])),
           kUnits[metric] ?? 'ms');
  }
};
for (const [name, rows] of Object.entries(results)) print(name, rows);
print('start', clicks);
const usable = (name) => median(results[name].map((row) => row.usable_ms));
figure('home', 'ratio:home/jupyterlab', usable('home') / usable('jupyterlab'),
       '');
process.exit(0);
