// One client at the public door with requests that do not end, and what a person
// at another address notices of them. The proxy's own test
// (slow_clients_server_test) has 5,000 of them; here they meet the real frontend,
// whose 512 threads they are after.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import http2 from 'node:http2';
import {after, test} from 'node:test';
import tls from 'node:tls';

import {demo} from '../support/demo.mjs';
import {origin, request, unknownAddress} from '../support/portal.mjs';

const portal = () => new URL(origin());
const open = [];
after(() => open.forEach((connection) => connection.destroy()));

const knock = (from, protocols) => tls.connect({
  host: '127.0.0.1', port: portal().port, localAddress: from,
  servername: portal().hostname, ca: readFileSync(demo().ca_file),
  ALPNProtocols: protocols,
});

// `count` requests on HTTP/2 connections with `settings`.
async function flood(count, headers, settings = {}) {
  const from = unknownAddress();
  const begun = [];
  while (begun.length < count) {
    const session = http2.connect(origin(), {
      settings, createConnection: () => knock(from, ['h2']),
    });
    session.on('error', () => {});
    open.push(session);
    for (let i = 0; i < 100 && begun.length < count; ++i) {
      const stream = session.request(
          headers, {endStream: headers[':method'] === 'GET'});
      stream.on('error', () => {});
      begun.push(stream);
    }
    await new Promise((done) => session.ping(done));
  }
  return begun;
}

// Half of a body on as many HTTP/1.1 connections as an address may have.
async function trickle(count) {
  const from = unknownAddress();
  for (let i = 0; i < count; ++i) {
    const socket = knock(from, ['http/1.1']);
    socket.on('error', () => {});
    open.push(socket);
    await new Promise((done) => socket.once('secureConnect', done)
        .once('close', done));
    socket.write('POST /carme.v1.AuthService/GetSession HTTP/1.1\r\n' +
                 `Host: ${portal().host}\r\nContent-Length: 60000\r\n\r\n{`);
  }
}

// The times of requests one after the other, in ms, from another address. None
// may fail.
async function ask(count) {
  const from = unknownAddress();
  const times = [];
  for (let i = 0; i < count; ++i) {
    const begin = performance.now();
    const page = await request(`${origin()}/`, {from});
    assert.equal(page.status, 200);
    // Reaches the backend, which knows no such session.
    const call = await request(`${origin()}/carme.v1.AuthService/GetSession`, {
      method: 'POST', body: '{}', from,
      headers: {'Content-Type': 'application/json', 'Origin': origin()},
    });
    assert.equal(call.status, 401, call.text);
    times.push((performance.now() - begin) / 2);
  }
  return times.sort((a, b) => a - b);
}
const median = (times) => times[Math.floor(times.length / 2)];

test('slow requests of one client: others are answered as before', async (t) => {
  const idle = median(await ask(20));
  await flood(1000, {
    ':method': 'POST', ':path': '/carme.v1.JobService/ListJobs',
    'content-length': 60000,
  });
  await flood(1000, {':method': 'GET', ':path': '/'}, {initialWindowSize: 0});
  await trickle(400);
  const busy = median(await ask(20));
  t.diagnostic(`median ${idle.toFixed(1)} ms idle, ${busy.toFixed(1)} ms`);
  assert.ok(busy < Math.max(300, 20 * idle), `${busy} ms, idle ${idle} ms`);
});
