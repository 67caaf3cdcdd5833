// Two clusters behind one portal, each with its own Slurm, directory, network,
// backend and proxy: one person uses both in one browser, and what the failure
// of a backend does.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {at, launch, newPerson, open, pageOf} from '../e2e/browser.mjs';
import {demo, onHost, waitFor} from '../support/demo.mjs';
import {grpcCalls} from '../support/intruder.mjs';
import {Client, request} from '../support/portal.mjs';
import {beta, connects, onBeta, reaches, withoutBackend} from './beta.mjs';

const kAlphaLink = '10.78.0.1';
const kBetaLink = '10.78.0.2';

const bob = new Client();
const jobs = {};
const terminals = {};
let browser, page;

const inCluster = (method, body, cluster) =>
    bob.call(method, body, {'Carme-Cluster': cluster});
// Slurm's comment of a job has its Carme id.
const runs = (on, id) => on('head', 'squeue', '-h', '-o', '%k').includes(id);
const away = () => page.locator(at('clusters-away'));

async function start(cluster) {
  await page.selectOption(at('start-cluster'), cluster);
  await page.click(at('app-shell'));
  await page.waitForSelector(`${at('start-estimate')}[data-stale="false"]`);
  const [answer] = await Promise.all([
    page.waitForResponse(/JobService\/SubmitJob/),
    page.press(at('start-submit'), 'Enter'),
  ]);
  const {job, ...rest} = await answer.json();
  assert.equal(answer.status(), 200, JSON.stringify(rest));
  assert.equal(job.cluster, cluster);
  jobs[cluster] = job.id;
}

async function openTerminal(cluster) {
  const card = page.locator(at(`job-${jobs[cluster]}`));
  await card.locator('.facts', {hasText: cluster}).waitFor();
  const [tab] = await Promise.all([
    page.context().waitForEvent('page'),
    card.locator(at('job-open')).click(),
  ]);
  await tab.waitForSelector('.xterm-rows');
  return tab;
}

// `line` is typed and the terminal shows what it printed.
async function types(terminal, line, shows) {
  await waitFor(`the terminal shows ${shows}`, async () => {
    await terminal.locator('.xterm').first().click();
    await terminal.keyboard.type(`${line}\n`);
    return waitFor('output', async () => shows.test(
        await terminal.locator('.xterm-rows').first().innerText()), 10_000);
  });
}

async function appsContinue() {
  const mark = Date.now();
  for (const [cluster, terminal] of Object.entries(terminals)) {
    await types(terminal, `echo ${cluster}-$((${mark} + 1))`,
                new RegExp(`${cluster}-${mark + 1}`));
  }
}

// Of this user, at both clusters.
async function stopJobs() {
  const {body} = await bob.call('JobService/ListJobs', {});
  for (const {id, cluster, state} of body.jobs ?? []) {
    if (state === 'JOB_STATE_ENDED') continue;
    await inCluster('JobService/StopJob', {jobId: id}, cluster);
    await reaches(bob, id, 'ENDED');
  }
}

before(async () => {
  await bob.resume('bob');
  await stopJobs();
  browser = await launch();
  page = await pageOf(browser, bob);
});
after(() => browser.close());

test('a cluster that the portal does not have is refused', async () => {
  const {status, body} = await inCluster('JobService/ListJobs', {}, 'gamma');
  assert.equal(status, 400);
  assert.match(body.message, /expected one of: alpha, beta/);
});

test('only frontend and backend connect to the other cluster', () => {
  assert.ok(connects(onHost, 'dmz', kBetaLink, 9443));
  assert.ok(connects(onBeta, 'head', kAlphaLink, 9443));
  for (const [on, host, address, port] of [
    [onHost, 'dmz', kBetaLink, 9444],
    [onHost, 'head', kBetaLink, 9443],
    [onHost, 'n1', kBetaLink, 9443],
    [onBeta, 'head', kAlphaLink, 9444],
    [onBeta, 'dmz', kAlphaLink, 9443],
    [onBeta, 'n1', kAlphaLink, 9443],
  ]) {
    assert.ok(!connects(on, host, address, port), `${host} to ${address}:${port}`);
  }
});

test('the backend of a further cluster accepts no session', async () => {
  // The portal's frontend, with the certificate that beta's authority issued.
  const [, session] = bob.cookie.split('=');
  const [answer] = grpcCalls(
      [{method: 'JobService/ListJobs', metadata: {'carme-session': session}}],
      {pem: '/etc/carme/beta-frontend', ca: '/etc/carme/beta-ca.pem',
       address: `${kBetaLink}:9443`});
  assert.equal(answer.code, 9, JSON.stringify(answer)); // FAILED_PRECONDITION
});

test('a cluster accepts no assertion for another one', async () => {
  const [, session] = bob.cookie.split('=');
  const at = {pem: '/etc/carme/frontend', ca: '/etc/carme/ca.pem'};
  const [refused] = grpcCalls([{
    method: 'AuthService/CreateAssertion', message: '\n\x05gamma',
    metadata: {'carme-session': session},
  }], at);
  assert.equal(refused.code, 3, JSON.stringify(refused)); // INVALID_ARGUMENT
  const [made] = grpcCalls([{
    method: 'AuthService/CreateAssertion', message: '\n\x04beta',
    metadata: {'carme-session': session},
  }], at);
  // The first field of the response.
  const data = Buffer.from(made.data, 'base64');
  assert.equal(data[0], 0x0a);
  const long = data[1] & 0x80;
  const length = long ? (data[1] & 0x7f) | (data[2] << 7) : data[1];
  const start = long ? 3 : 2;
  const assertion = data.subarray(start, start + length).toString();
  const call = {method: 'JobService/ListJobs',
                metadata: {'carme-assertion': assertion}};
  assert.notEqual(grpcCalls([call], at)[0].code, 0, 'alpha accepts it');
  const [accepted] = grpcCalls(
      [call], {pem: '/etc/carme/beta-frontend', ca: '/etc/carme/beta-ca.pem',
               address: `${kBetaLink}:9443`});
  assert.equal(accepted.code, 0, JSON.stringify(accepted));
});

test('setup of a further cluster tries the identity backend', () => {
  const script = (port) => `umask 077
cp /run/carme-site/bind-password /run/bind-password
cat > /run/site.toml << END
[portal]
host = "${new URL(demo().portal).host}"
jobs_domain = "${beta().jobs_domain}"
[hosts]
backend = "head"
backend_address = "10.77.0.1"
dmz = ["10.77.0.2"]
nodes = ["10.77.0.11", "10.77.0.12"]
[cluster]
name = "beta"
identity_backend = "${kAlphaLink}:${port}"
identity_ca = "/etc/carme/alpha-ca.pem"
identity_certificate = "/etc/carme/cluster.pem"
identity_key = "/etc/carme/cluster.key"
issuer_key = "${'A'.repeat(43)}"
[directory]
url = "$CARME_LDAP_URL"
ca_file = "$CARME_LDAP_CA"
bind_dn = "$CARME_LDAP_BIND_DN"
bind_password_file = "/run/bind-password"
user_base = "ou=people,$CARME_LDAP_BASE"
group_base = "ou=groups,$CARME_LDAP_BASE"
test_user = "bob"
[slurm]
allowed_addresses = ["10.77.0.1"]
END
carmectl setup --check --answers /run/site.toml 2>&1; echo "exit code $?"`;
  const refused = onBeta('head', 'sh', '-c', script(9444));
  assert.match(refused, new RegExp(`error: ${kAlphaLink}:9444`));
  assert.match(refused, /exit code [1-9]/);
  const good = onBeta('head', 'sh', '-c', script(9443));
  assert.match(good, /connection to the identity backend \.\.\.\n {2}OK/);
  assert.match(good, /All answers work\.\nexit code 0/);
});

test('jobs of both clusters are in one list', async () => {
  await open(page, '/');
  await page.waitForSelector(at('start-form'));
  for (const cluster of ['alpha', 'beta']) await start(cluster);
  for (const id of Object.values(jobs)) {
    await page.waitForSelector(`${at(`job-${id}`)}[data-state="ready"]`,
                               {timeout: 120_000});
  }
  for (const [cluster, on, other] of [['alpha', onHost, onBeta],
                                      ['beta', onBeta, onHost]]) {
    assert.ok(runs(on, jobs[cluster]));
    assert.ok(!runs(other, jobs[cluster]));
  }
  const {body} = await bob.call('JobService/ListJobs', {});
  assert.deepEqual(
      body.jobs.filter(({id}) => Object.values(jobs).includes(id))
          .map(({id, cluster}) => [cluster, id]).sort(),
      Object.entries(jobs).sort());
  for (const [cluster, other] of [['alpha', 'beta'], ['beta', 'alpha']]) {
    const {body: {jobs: own}} =
        await inCluster('JobService/ListJobs', {}, cluster);
    assert.ok(own.some(({id}) => id === jobs[cluster]));
    assert.ok(!own.some(({id}) => id === jobs[other]));
  }
});

test('a link to an app of one cluster opens nothing at the other', async () => {
  const opened = {};
  for (const cluster of ['alpha', 'beta']) {
    const {status, body} = await inCluster(
        'JobService/OpenApp', {jobId: jobs[cluster], app: 'shell'}, cluster);
    assert.equal(status, 200, JSON.stringify(body));
    opened[cluster] = body.url;
  }
  const domains = {alpha: demo().jobs_domain, beta: beta().jobs_domain};
  for (const [cluster, other] of [['alpha', 'beta'], ['beta', 'alpha']]) {
    const elsewhere =
        opened[cluster].replace(domains[cluster], domains[other]);
    assert.notEqual(elsewhere, opened[cluster]);
    assert.ok((await request(elsewhere)).status >= 400);
    const entered = await request(opened[cluster]);
    assert.equal(entered.status, 303);
    const [cookie] = entered.headers['set-cookie'][0].split(';');
    const [url] = elsewhere.split('/.carme/');
    const answer = await request(`${url}/`, {headers: {Cookie: cookie}});
    assert.ok(answer.status >= 300, 'the cookie is accepted elsewhere');
  }
});

test('an app of each cluster opens from one page', async () => {
  for (const cluster of ['alpha', 'beta']) {
    terminals[cluster] = await openTerminal(cluster);
  }
  const domains = [demo().jobs_domain, beta().jobs_domain];
  assert.deepEqual(
      Object.values(terminals).map((tab) => new URL(tab.url()).host
          .replace(/^[^.]*\./, '')),
      domains);
  await appsContinue();
});

test('a cluster whose backend ends is named, the other continues', async () => {
  await withoutBackend('beta', async () => {
    await away().waitFor({timeout: 60_000});
    assert.match(await away().innerText(), /^Cluster beta cannot be reached/);
    const {status, body} = await bob.call('JobService/ListJobs', {});
    assert.equal(status, 200);
    assert.deepEqual(body.unreachableClusters, ['beta']);
    assert.ok(body.jobs.some(({id}) => id === jobs.alpha));
    const call = await inCluster('JobService/ListJobs', {}, 'beta');
    assert.equal(call.status, 503);
    assert.match(call.body.message, /beta/);
    await appsContinue();
  });
  await away().waitFor({state: 'detached', timeout: 60_000});
  await reaches(bob, jobs.beta, 'READY');
});

test('without the identity backend no cluster can be used, and apps continue',
     {timeout: 300_000}, async () => {
       await withoutBackend('alpha', async () => {
         await waitFor('the portal reports it', async () =>
             (await bob.call('AuthService/GetSession', {})).status === 503);
         const {status} = await bob.call('JobService/ListJobs', {});
         assert.equal(status, 503);
         // An assertion for beta is valid for a minute.
         await waitFor('beta cannot be used', async () =>
             (await inCluster('JobService/ListJobs', {}, 'beta')).status === 503,
             120_000);
         const visitor = await newPerson(browser);
         await visitor.goto(demo().portal);
         await visitor.locator('.lone-card[role="alert"]').waitFor();
         await visitor.context().close();
         await appsContinue();
       });
       await reaches(bob, jobs.alpha, 'READY');
       await reaches(bob, jobs.beta, 'READY');
     });

test('stopping a job of one cluster leaves the other', async () => {
  const {status} =
      await inCluster('JobService/StopJob', {jobId: jobs.beta}, 'beta');
  assert.equal(status, 200);
  await reaches(bob, jobs.beta, 'ENDED');
  await waitFor('Slurm has ended it', () => !runs(onBeta, jobs.beta));
  assert.ok(runs(onHost, jobs.alpha));
  await page.waitForSelector(`${at(`job-${jobs.alpha}`)}[data-state="ready"]`);
  await stopJobs();
});

test('logging out ends the apps of both clusters', async () => {
  await start('beta');
  await reaches(bob, jobs.beta, 'READY');
  const {body} = await inCluster(
      'JobService/OpenApp', {jobId: jobs.beta, app: 'shell'}, 'beta');
  const entered = await request(body.url);
  const [cookie] = entered.headers['set-cookie'][0].split(';');
  const [url] = body.url.split('/.carme/');
  const status = async () =>
      (await request(`${url}/`, {headers: {Cookie: cookie}})).status;
  await waitFor('the app answers', async () => await status() === 200);
  await bob.call('AuthService/Logout', {});
  await waitFor('the app is closed', async () => await status() !== 200);
});
