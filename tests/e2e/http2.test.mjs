// JupyterLab, VS Code and a terminal over HTTP/2, as Chromium meets them, at a
// site of hosts and at one of paths: they work, and complain about nothing about
// which they would not complain without a proxy. Nothing is forgiven but what
// the same app prints when the browser is connected to its socket.
import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {after, before, describe, test} from 'node:test';

import {newPerson, pageOf} from './browser.mjs';
import {apps, asBob, bridgeTo, launchKnowing, proxied, visit}
    from './visits.mjs';
import {demo, waitFor} from '../support/demo.mjs';
import {Client, origin as portal, request} from '../support/portal.mjs';
import {siteOfHosts, siteOfPaths} from '../support/site.mjs';

const client = new Client();
// What an app prints without a proxy, which is the same at both sites.
const straight = Object.fromEntries(apps.map((app) => [app, new Set()]));
let browser, job;

const jobNow = async () =>
    (await client.call('JobService/GetJob', {jobId: job.id})).body.job;

async function startJob() {
  const idempotencyKey = randomUUID();
  const {status, body} = await waitFor('the site answers', async () => {
    const answer = await client.call('JobService/SubmitJob', {
      idempotencyKey,
      spec: {walltime: '900s', app: 'jupyter', gpusPerNode: 0, cpusPerNode: 1},
    });
    // A backend that has just been started again may answer "try again".
    return answer.status === 503 ? undefined : answer;
  });
  assert.equal(status, 200, JSON.stringify(body));
  ({job} = body);
  await waitFor('the job is ready', async () =>
      (await jobNow()).state === 'JOB_STATE_READY');
  job = await jobNow();
}

async function endJob() {
  if (!job) return;
  await client.call('JobService/StopJob', {jobId: job.id});
  await waitFor('the job has ended', async () =>
      (await jobNow()).state === 'JOB_STATE_ENDED');
}

before(async () => {
  asBob('rm -rf ~/http2; mkdir ~/http2; echo before > ~/http2/opened.txt');
  browser = await launchKnowing();
  await client.resume('bob');
});
after(async () => {
  await endJob();
  asBob('rm -rf ~/http2');
  await browser.close();
});

// Beside each other, because most of it is waiting.
const beside = {concurrency: apps.length + 1};

// `first`: its output without a proxy is not known yet.
function behaves(app, first) {
  return async () => {
    const {origin, cookie} = await proxied(client, job.id, app);
    // Of these only JupyterLab gets its base path at a site of paths.
    const prefix = new URL(origin).pathname.replace(/\/$/, '');
    const bare =
        await bridgeTo(job, app) + (app === 'jupyter' ? prefix : '');
    const without = async () => {
      const {protocols, complaints} = await visit(browser, app, bare);
      // The bridge speaks another HTTP.
      assert.deepEqual([...protocols], ['http/1.1']);
      for (const text of complaints) straight[app].add(text);
    };
    if (first) await without();
    const through = await visit(browser, app, origin, cookie);
    assert.deepEqual([...through.protocols], ['h2']);
    // That is how a websocket's answer looks in HTTP/2 (RFC 8441).
    assert.ok(through.websockets.length > 0);
    assert.deepEqual([...new Set(through.websockets)], [200]);
    // Some complaints come and go, either way: what counts is said each time
    // through the proxy, and never without it.
    const isNew = (text) => !straight[app].has(text);
    let counts = [...through.complaints].filter(isNew);
    for (let again = 0; again < 2 && counts.length > 0; again++) {
      await without();
      const {complaints} = await visit(browser, app, origin, cookie);
      counts = counts.filter((text) => complaints.has(text) && isNew(text));
    }
    assert.deepEqual(counts, []);
  };
}

describe('HTTP/2, a site of hosts', beside, () => {
  before(async () => {
    if (demo().jobs_host) await siteOfHosts(client);
    await startJob();
  });
  for (const app of apps) {
    test(`${app}: it works and complains as without a proxy`,
         behaves(app, true));
  }
});

describe('HTTP/2, a site of paths', beside, () => {
  before(async () => {
    await endJob();
    await siteOfPaths(client);
    await startJob();
  });
  after(async () => {
    await endJob();
    job = undefined;
    if (!demo().jobs_host) await siteOfHosts(client);
  });
  for (const app of apps) {
    test(`${app}: it works and complains as without a proxy`,
         behaves(app, false));
  }

  test('a job is open to its session, below its own path', async () => {
    const {body} =
        await client.call('JobService/OpenApp', {jobId: job.id, app: 'shell'});
    const label = `${job.id}-shell`;
    const jobs = `https://carme-jobs.localhost:${new URL(portal()).port}`;
    assert.ok(body.url.startsWith(`${jobs}/${label}/.carme/open?`), body.url);

    const page = await pageOf(browser, client);
    await page.goto(body.url);
    await page.waitForURL(`${jobs}/${label}/`);
    await page.waitForSelector('.xterm-rows');
    const [cookie] = await page.context().cookies(page.url());
    assert.equal(cookie.name, '__Secure-carme-job');
    assert.equal(cookie.path, `/${label}/`);
    const sent = {headers: {Cookie: `${cookie.name}=${cookie.value}`}};
    assert.equal((await request(`${jobs}/${label}/`, sent)).status, 200);
    assert.equal((await request(`${jobs}/${job.id}-code/`, sent)).status, 401);

    // By no other name, with all that this browser has.
    assert.equal((await page.goto(`${jobs}/`)).status(), 404);
    assert.equal((await page.goto(`${portal()}/${label}/`)).status(), 404);
    assert.equal((await page.goto(
        `https://${label}.jobs.carme.localhost:${new URL(jobs).port}/`))
        .status(), 421);

    // Not to others: a user with a session, and one without.
    const ada = new Client();
    await ada.resume('ada');
    for (const other of [await pageOf(browser, ada), await newPerson(browser)]) {
      assert.equal((await other.goto(`${jobs}/${label}/`)).status(), 401);
      assert.equal((await other.goto(body.url)).status(), 403);
      await other.context().close();
    }
    await page.context().close();
  });
});
