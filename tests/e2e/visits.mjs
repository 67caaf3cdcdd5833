// Apps of a job as Chromium meets them: each is used as a person would, at an
// address that leads through the proxy or straight to its socket, and what it
// complained about is kept.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {X509Certificate, createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import net from 'node:net';
import tls from 'node:tls';

import {launch, newPerson} from './browser.mjs';
import {kernelIdle, runCell} from './notebook.mjs';
import {demo, onHost, waitFor} from '../support/demo.mjs';
import {request} from '../support/portal.mjs';

// For the bridges: pages that came over TLS may do more.
const pem = execFileSync('openssl', [
  'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256',
  '-nodes', '-subj', '/CN=bridge', '-addext', 'subjectAltName=IP:127.0.0.1',
  '-days', '2', '-keyout', '-',
], {encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore']});
const [key, cert] = pem.split(/(?=-----BEGIN CERT)/);

// The proxy's certificate, which the demo's authority has signed.
function proxyCertificate() {
  const [host, port] = demo().sockets.public.split(':');
  return new Promise((done, fail) => {
    const socket = tls.connect({
      host, port, servername: new URL(demo().portal).hostname,
      ca: readFileSync(demo().ca_file),
    }, () => {
      done(socket.getPeerX509Certificate());
      socket.destroy();
    });
    socket.on('error', fail);
  });
}

// A browser that knows the proxy and the bridges: a certificate that is only
// overlooked is none for a service worker.
export async function launchKnowing() {
  const known = [new X509Certificate(cert), await proxyCertificate()].map(
      ({publicKey}) => createHash('sha256')
          .update(publicKey.export({type: 'spki', format: 'der'}))
          .digest('base64'));
  return launch(`--ignore-certificate-errors-spki-list=${known}`);
}

// An origin on this machine that leads to an app's socket and to nothing else.
export async function bridgeTo({slurmJobId, nodes: [node]}, app) {
  const root = `/proc/${demo().hosts[node].pid}/root`;
  const path = `${root}/run/carme/jobs/${slurmJobId}/${app}.sock`;
  const bridge = tls.createServer({key, cert}, (page) => {
    const socket = net.connect({path});
    for (const [from, to] of [[page, socket], [socket, page]]) {
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
    }
  });
  await new Promise((done) => bridge.listen(0, '127.0.0.1', done));
  // It may be all that is left.
  bridge.unref();
  return `https://127.0.0.1:${bridge.address().port}`;
}

// An origin of the job's through the proxy, with its prefix at a site of paths,
// and the cookie that opens it. The app answers.
export async function proxied(client, jobId, app) {
  const {body} = await client.call('JobService/OpenApp', {jobId, app});
  const opened = await request(body.url);
  const [cookie] = opened.headers['set-cookie'][0].split(';');
  const [origin] = body.url.split('/.carme/');
  // The first request starts the app.
  await waitFor(`${app} answers`, async () =>
      (await request(`${origin}/`, {headers: {Cookie: cookie}})).status < 400);
  return {origin, cookie};
}

// Uses an app in a fresh browser: what it complained about, less what differs
// from one visit to the next, and how it was spoken to.
export async function visit(browser, app, origin, cookie) {
  const page = await newPerson(browser);
  const {host} = new URL(origin);
  const seen = {complaints: new Set(), protocols: new Set(), websockets: []};
  let leaving = false;
  const say = (text) => {
    // An app that is torn down complains of what it could not finish.
    if (leaving) return;
    seen.complaints.add(
        [origin, host, encodeURIComponent(host)]
            .reduce((rest, part) => rest.replaceAll(part, ''), text)
            .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID')
            .replaceAll(/\d{4,}/g, 'N'));
  };
  page.on('console', (message) => {
    if (message.type() !== 'error') return;
    // HTTP/2 has no word for a status.
    say(message.text().replace(/(with a status of \d+) \(.*\)$/, '$1'));
  });
  page.on('pageerror', (error) => say(String(error)));
  page.on('response', (answer) => {
    if (answer.status() >= 400) say(`${answer.status()} ${answer.url()}`);
  });
  page.on('requestfailed', (failed) => {
    const {errorText} = failed.failure();
    // The others are what the page itself calls off.
    if (errorText !== 'net::ERR_ABORTED') say(`${errorText} ${failed.url()}`);
  });
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  devtools.on('Network.responseReceived', ({response}) => {
    if (new URL(response.url).host === host) {
      seen.protocols.add(response.protocol);
    }
  });
  devtools.on('Network.webSocketHandshakeResponseReceived', ({response}) =>
      seen.websockets.push(response.status));
  if (cookie) {
    const [name, value] = cookie.split(/=(.*)/s);
    await page.context().addCookies(
        [{name, value, url: `${origin}/`, secure: true, httpOnly: true}]);
  }
  await use[app](page, origin);
  leaving = true;
  await page.context().close();
  return seen;
}

export const asBob = (script) =>
    onHost('n1', 'runuser', '-u', 'bob', '--', 'sh', '-c', script);

// Types a line at a terminal whose screen is a picture: it leaves a mark of its
// own.
async function typeAt(page, terminal, mark) {
  asBob(`rm -f ${mark}`);
  await page.locator(terminal).first().waitFor();
  await waitFor('the line has run', async () => {
    await page.locator(terminal).first().click();
    await page.keyboard.type(`echo $((6 * 7)) > ${mark}\n`);
    return waitFor('a mark', () =>
        asBob(`cat ${mark} 2> /dev/null || true`).trim() === '42', 10_000);
  });
}

// bob's ~/http2/opened.txt contains "before".
const use = {
  async jupyter(page, origin) {
    await page.goto(`${origin}/lab?reset`);
    await page.click('.jp-LauncherCard[data-category="Notebook"]');
    await kernelIdle(page);
    assert.equal(await runCell(page, 'print(6 * 7)'), '42');
    await page.keyboard.press('Control+Shift+KeyL');
    await page.locator('.jp-LauncherCard', {hasText: 'Terminal'})
        .first().click();
    await typeAt(page, '.jp-Terminal .xterm-screen', '~/http2/jupyter');
  },
  async code(page, origin) {
    await page.goto(`${origin}/?folder=/home/bob/http2`);
    // It asks once a folder, a while after the page is there.
    await page.locator('.monaco-dialog-box .monaco-button', {hasText: 'Yes'})
        .first().click();
    await page.locator('.explorer-viewlet .monaco-list-row',
                       {hasText: 'opened.txt'}).first().dblclick();
    await page.locator('.monaco-editor .view-line', {hasText: 'before'})
        .first().waitFor({state: 'attached'});
    await page.keyboard.press('Control+Backquote');
    await typeAt(page, '.terminal .xterm-screen', '~/http2/code');
  },
  async shell(page, origin) {
    await page.goto(`${origin}/`);
    await typeAt(page, '.xterm', '~/http2/shell');
  },
};
export const apps = Object.keys(use);
