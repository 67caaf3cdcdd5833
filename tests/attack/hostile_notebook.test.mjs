// Script in a job's origin, as a notebook that ada opened without knowing what
// is in it: what it can do in her browser, to the portal and to her other job.
// Each attempt runs in the page of the first job, in Chromium.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {launch, newPerson} from '../e2e/browser.mjs';
import {demo, waitFor} from '../support/demo.mjs';
import {Client, origin, request, streamOf} from '../support/portal.mjs';

const ada = new Client();
let browser, context, page, stream, mine, other;

async function begin() {
  const {body} = await ada.call('JobService/SubmitJob',
                                {spec: {walltime: '600s', app: 'notebook'}});
  await stream.until(body.job.id, 'JOB_STATE_READY');
  const opened = await ada.call('JobService/OpenApp', {jobId: body.job.id});
  return {id: body.job.id, url: opened.body.url,
          host: `${body.job.id}.${demo().jobs_domain}`};
}

before(async () => {
  await ada.resume('ada');
  stream = streamOf(ada);
  [mine, other] = [await begin(), await begin()];
  browser = await launch();
  page = await newPerson(browser);
  context = page.context();
  const [name, value] = ada.cookie.split('=');
  await context.addCookies([{
    name, value, domain: new URL(origin()).hostname, path: '/', secure: true,
    httpOnly: true, sameSite: 'Strict',
  }]);
  await page.goto(other.url);
  await page.goto(mine.url);
  assert.equal(new URL(page.url()).host, mine.host);
});
after(async () => {
  await browser.close();
  for (const {id} of [mine, other]) {
    await ada.call('JobService/StopJob', {jobId: id});
    await stream.until(id, 'JOB_STATE_ENDED');
  }
  stream.close();
});

const stillIn = async () =>
    assert.equal((await ada.call('AuthService/GetSession', {})).status, 200);

// "read" when a script got an answer it may look at.
const fetched = (url, options) => page.evaluate(
    ([to, how]) => fetch(to, {credentials: 'include', ...how})
        .then((answer) => answer.type === 'opaque' ? 'opaque' : 'read')
        .catch(() => 'refused'), [url, options]);
const post = (type, mode) => ({
  method: 'POST', mode, body: '{}', headers: {'Content-Type': type},
});

test('its cookies: no script sees one', async () => {
  assert.doesNotMatch(await page.evaluate(() => document.cookie), /__Host/);
  const names = (await context.cookies()).map(({name}) => name);
  assert.ok(names.includes('__Host-carme') && names.includes('__Host-carme-job'));
});

for (const method of ['AuthService/GetSession', 'JobService/ListJobs']) {
  test(`the portal: ${method} cannot be read`, async () => {
    const url = `${origin()}/carme.v1.${method}`;
    assert.equal(await fetched(url, post('application/json', 'cors')),
                 'refused');
  });
}

test('the portal: forged posts are refused', async () => {
  const url = `${origin()}/carme.v1.AuthService/Logout`;
  await fetched(url, post('text/plain', 'no-cors'));
  await fetched(url, {method: 'POST', mode: 'no-cors'});
  await page.evaluate((to) => navigator.sendBeacon(to, '{}'), url);
  await stillIn();
});

test('the portal: a form sent from a new tab is refused', async () => {
  const [tab] = await Promise.all([
    context.waitForEvent('page'),
    page.evaluate((to) => {
      const form = document.createElement('form');
      Object.assign(form, {method: 'post', action: to, target: '_blank',
                           enctype: 'text/plain'});
      document.body.append(form);
      form.submit();
    }, `${origin()}/carme.v1.AuthService/Logout`),
  ]);
  await tab.waitForLoadState();
  await tab.close();
  await stillIn();
});

test('the portal: cannot be framed', async () => {
  await page.evaluate((to) => new Promise((done) => {
    const frame = document.createElement('iframe');
    frame.onload = done;
    frame.src = to;
    document.body.append(frame);
  }), `${origin()}/`);
  const frame = page.frames().at(-1);
  assert.doesNotMatch(await frame.content(), /login|carme-app|id="app"/i);
});

test('the portal: a window that was opened on it cannot be reached', async () => {
  const [tab] = await Promise.all([
    context.waitForEvent('page'),
    page.evaluate((to) => {
      window.stolen = window.open(to);
    }, `${origin()}/`),
  ]);
  await tab.waitForLoadState();
  assert.equal(await tab.evaluate(() => window.opener), null);
  assert.equal(await page.evaluate(() => {
    try {
      return window.stolen.document?.title ?? 'gone';
    } catch {
      return 'refused';
    }
  }) === 'Carme', false);
  await tab.close();
});

const socketOpens = (url) => page.evaluate((to) => new Promise((done) => {
  const socket = new WebSocket(to);
  socket.onopen = () => done(true);
  socket.onerror = () => done(false);
}), url);

test('a websocket to the portal: refused', async () => {
  const url = `${origin().replace('https', 'wss')}/carme.v1.JobService/WatchJobs`;
  assert.equal(await socketOpens(url), false);
});

// The other job's kernels, asked with the cookie that the browser holds for it.
async function otherKernels() {
  const cookies = await context.cookies(`https://${other.host}/`);
  const cookie = cookies.map(({name, value}) => `${name}=${value}`).join('; ');
  const answer = await request(`https://${other.host}/api/kernels`,
                               {headers: {Cookie: cookie}});
  assert.equal(answer.status, 200);
  return JSON.parse(answer.text);
}

test('another job: cannot be read', async () => {
  const url = `https://${other.host}/api/contents`;
  assert.equal(await fetched(url, {mode: 'cors'}), 'refused');
});

test('another job: cannot be made to start a kernel', async () => {
  const url = `https://${other.host}/api/kernels`;
  await fetched(url, post('text/plain', 'no-cors'));
  await fetched(url, post('application/json', 'cors'));
  assert.deepEqual(await otherKernels(), []);
});

test('another job: no websocket opens', async () => {
  const url = `wss://${other.host}/api/kernels/x/channels`;
  assert.equal(await socketOpens(url), false);
  assert.equal(await socketOpens(`wss://${other.host}/terminals/websocket/1`),
               false);
});

test('cookies of an app: neither portal nor other jobs receive them', async () => {
  const before = await context.cookies();
  await page.evaluate((domain) => {
    for (const name of ['__Host-carme', '__Host-carme-job']) {
      for (const where of ['', `; Domain=${domain}`,
                           `; Domain=.jobs.${domain}`]) {
        document.cookie = `${name}=stolen; Secure; Path=/${where}`;
      }
    }
  }, new URL(origin()).hostname);
  const of = (cookies, host) => cookies.filter(
      ({name, domain}) => name.startsWith('__Host') && domain === host);
  const afterwards = await context.cookies();
  for (const host of [new URL(origin()).hostname,
                      new URL(`https://${other.host}`).hostname]) {
    assert.deepEqual(of(afterwards, host), of(before, host));
  }
  await stillIn();
});

// The last one: the browser's cookies of the whole site are deleted.
test('cookies without number: their user is not locked out', async () => {
  const domain = new URL(origin()).hostname;
  await page.evaluate((to) => {
    for (let i = 0; i < 40; ++i) {
      document.cookie = `c${i}=${'x'.repeat(4000)}; Domain=${to}; Secure; ` +
          'Max-Age=31536000';
    }
  }, domain);
  // Chromium stores what scripts set after they have gone on.
  await waitFor('the cookies are stored', async () =>
      (await context.cookies(origin()))
          .filter(({name}) => /^c\d/.test(name)).length > 20);
  // The portal does not notice, the job's host has them deleted.
  assert.equal((await page.goto(origin())).status(), 200);
  const refused = await page.goto(`https://${mine.host}/`);
  assert.equal(refused.status(), 431);
  const again = await page.goto(`https://${mine.host}/`);
  assert.equal(again.status(), 401);
  assert.deepEqual(await context.cookies(origin()), []);
});
