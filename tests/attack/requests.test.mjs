// Requests that no page of ours would send, at the public door.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {before, test} from 'node:test';
import tls from 'node:tls';

import {demo, onHost} from '../support/demo.mjs';
import {Client, origin, request, unknownAddress} from '../support/portal.mjs';

const ada = new Client();
before(() => ada.resume('ada'));

const portal = () => new URL(origin());
const stillIn = async () =>
    assert.equal((await ada.call('AuthService/GetSession', {})).status, 200);

for (const type of ['text/plain', 'application/x-www-form-urlencoded',
                    'multipart/form-data; boundary=x', 'application/json',
                    'application/connect+json', 'application/proto', '']) {
  test(`forged from elsewhere, "${type}": nothing happens`, async () => {
    for (const from of ['https://evil.example', 'null',
                        `https://x.${demo().jobs_domain}`]) {
      const {status} = await request(`${origin()}/carme.v1.AuthService/Logout`, {
        method: 'POST', body: '{}',
        headers: {'Cookie': ada.cookie, 'Origin': from,
                  ...(type && {'Content-Type': type})},
      });
      assert.ok(status === 403 || status === 415, `${from}: HTTP ${status}`);
    }
    await stillIn();
  });
}

test('forged requests without an origin: refused', async () => {
  for (const headers of [{}, {'Sec-Fetch-Site': 'cross-site'},
                         {'Sec-Fetch-Site': 'same-site'}]) {
    const {status} = await request(`${origin()}/carme.v1.AuthService/Logout`, {
      method: 'POST', body: '{}',
      headers: {'Cookie': ada.cookie, 'Content-Type': 'application/json',
                ...headers},
    });
    assert.equal(status, 403);
  }
  await stillIn();
});

test('GET requests change no state', async () => {
  const {status} = await request(`${origin()}/carme.v1.AuthService/Logout`,
                                 {headers: {Cookie: ada.cookie}});
  assert.ok(status >= 400);
  await stillIn();
});

// Bytes as they are, to the public port; the answer's first line.
const raw = (bytes, servername = portal().hostname) =>
    new Promise((done) => {
      let text = '';
      const socket = tls.connect({
        host: '127.0.0.1', port: portal().port, servername,
        ca: readFileSync(demo().ca_file),
      });
      const finish = () => {
        socket.destroy();
        done(text);
      };
      // An open connection counts as ended some time after its response.
      socket.setTimeout(60_000, finish);
      socket.on('data', (part) => {
        text += part;
        socket.setTimeout(5000);
      });
      socket.on('end', finish).on('error', finish).on('close', finish);
      socket.on('secureConnect', () => socket.write(bytes));
    });
const codeOf = (text) => Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0);
const get = (host, more = '') =>
    `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${more}\r\n`;

for (const host of ['evil.example', '127.0.0.1', 'localhost', 'x.localhost',
                    'carme.localhost.evil.example', 'carme.localhost:1', '',
                    'carme.localhost@evil.example', 'carme.localhost/..',
                    'CARME.LOCALHOST\t.evil.example']) {
  test(`rebinding: the host "${host}" is refused`, async () => {
    const text = await raw(get(host));
    assert.ok([400, 404, 421].includes(codeOf(text)), text.slice(0, 100));
    assert.doesNotMatch(text, /<script|set-cookie/i);
  });
}

test('two hosts, or one in the line and another below: refused', async () => {
  const own = portal().host;
  assert.equal(codeOf(await raw(get(own, 'Host: evil.example\r\n'))), 400);
  const text = await raw(
      `GET https://evil.example/ HTTP/1.1\r\nHost: ${own}\r\n\r\n`);
  assert.ok([400, 404, 421].includes(codeOf(text)), text.slice(0, 100));
});

for (const [what, head] of [
  ['two lengths', 'Content-Length: 1\r\nContent-Length: 2\r\n'],
  ['length and chunks', 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n'],
  ['chunks by another name', 'Transfer-Encoding: xchunked\r\n'],
  ['a blank before the colon', 'Transfer-Encoding : chunked\r\n'],
  ['a line that goes on', 'X-A: 1\r\n Transfer-Encoding: chunked\r\n'],
  ['a bare line feed', 'X-A: 1\nTransfer-Encoding: chunked\r\n'],
  ['a zero byte', 'X-A: 1\0\r\n'],
]) {
  test(`smuggling, ${what}: refused`, async () => {
    const text = await raw(`POST / HTTP/1.1\r\nHost: ${portal().host}\r\n` +
                           `${head}\r\nGET /x HTTP/1.1\r\n\r\n`);
    assert.ok([400, 411, 501].includes(codeOf(text)), text.slice(0, 100));
    assert.equal(text.split('HTTP/1.1 ').length, 2, 'one answer');
  });
}

for (const path of ['//evil.example/', '/\\evil.example', '/%2f%2fevil.example',
                    '/?next=https://evil.example', '/.carme/open?ticket=' +
                    'https://evil.example', '/%0d%0aSet-Cookie:%20a=b',
                    '/..%2f..%2f..%2fetc/passwd', '/../../etc/passwd']) {
  test(`redirects and paths: ${path} leads nowhere`, async () => {
    const text = await raw(`GET ${path} HTTP/1.1\r\nHost: ${portal().host}\r\n` +
                           'Connection: close\r\n\r\n');
    assert.doesNotMatch(text, /^location:.*evil/im);
    assert.doesNotMatch(text, /^set-cookie: a=b/im);
    assert.doesNotMatch(text, /root:x:0/);
  });
}

test('a head without an end: refused at its bound', async () => {
  const text = await raw(get(portal().host, `X-A: ${'a'.repeat(200_000)}\r\n`));
  assert.ok([400, 413, 431, 0].includes(codeOf(text)), text.slice(0, 100));
});

test('a body above all limits: refused, the session continues', async () => {
  const answer = await ada.call('AuthService/GetSession',
                                {x: 'a'.repeat(3_000_000)}).catch(() => null);
  assert.ok(answer === null || answer.status >= 400);
  await stillIn();
});

test('JSON of a thousand nested lists: refused, the session continues',
     async () => {
       const {status} = await request(
           `${origin()}/carme.v1.JobService/SubmitJob`, {
             method: 'POST', body: '{"spec":'.repeat(5_000),
             headers: {'Cookie': ada.cookie, 'Origin': origin(),
                       'Content-Type': 'application/json'},
           });
       assert.ok(status === 400 || status === 413, `HTTP ${status}`);
       await stillIn();
     });

test('headers that only the proxy may write: ignored', async () => {
  const answer = await request(`${origin()}/`, {headers: {
    'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Prefix': '/evil',
    'X-Forwarded-For': '10.0.0.1', 'Forwarded': 'for=10.0.0.1',
    'X-Original-URL': '/admin', 'X-Request-Id': 'a\tb',
  }});
  assert.ok([200, 400].includes(answer.status));
  assert.doesNotMatch(answer.text + JSON.stringify(answer.headers), /evil/);
});

test('line breaks in a name: one line in the log, and no other field', async () => {
  const mark = `mark${Date.now()}`;
  const visitor = new Client({from: unknownAddress()});
  await visitor.call('AuthService/Login', {
    username: `ada\n${mark} decision="allow"\r\n\x1b[2J`, password: 'x',
  });
  await visitor.call('AuthService/Login', {
    username: 'ada', password: 'x',
  }, {'User-Agent': `${mark} user="carol" result="ok"`});
  const log = readFileSync(
      `${process.env.CARME_DEMO_DIR}/log/carme-backend.log`, 'utf8');
  assert.doesNotMatch(log, new RegExp(`^${mark}`, 'm'));
  assert.doesNotMatch(log, /\x1b/);
});

for (const name of ['<img src=x onerror=alert(1)>', '"><script>1</script>',
                    '{{7*7}}', '$(reboot)', '`id`', '\';touch /tmp/x;\'']) {
  test(`the job name ${name}: shown as text or refused`, async () => {
    const {status, body} = await ada.call('JobService/PreviewJob',
                                          {spec: {name, app: 'notebook'}});
    assert.equal(status, 200);
    assert.ok(body.spec.name === name || body.violations?.length > 0);
  });
}

test('responses are JSON that no browser renders as a page', async () => {
  const answer = await request(`${origin()}/carme.v1.AuthService/Login`, {
    method: 'POST', body: '{"username":"<script>"}',
    headers: {'Origin': origin(), 'Content-Type': 'application/json'},
  });
  assert.match(answer.headers['content-type'], /^application\/json/);
  assert.equal(answer.headers['x-content-type-options'], 'nosniff');
  assert.doesNotMatch(answer.text, /<script/);
});

test('no file below /tmp/x was changed', () => {
  assert.equal(onHost('head', 'sh', '-c', 'ls /tmp/x 2> /dev/null || true'), '');
});
