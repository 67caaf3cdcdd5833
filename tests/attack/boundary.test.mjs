// What the DMZ's hosts can reach once they have fallen, and what the public
// door gives away.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {test} from 'node:test';

import {demo, hostCommand} from '../support/demo.mjs';
import {Client, origin, request} from '../support/portal.mjs';

// What the firewall drops is never answered: only then all the time is used.
const reaches = (from, host, port, seconds = 2) => spawnSync(
    ...hostCommand(from, 'timeout', String(seconds), 'bash', '-c',
                   `exec 3<>/dev/tcp/${host}/${port}`)).status === 0;

for (const [host, port, what] of [
  ['head', 636, 'the directory'], ['head', 6817, 'slurmctld'],
  ['head', 9444, 'the agents\' port'], ['n1', 6818, 'slurmd'],
]) {
  test(`dmz: cannot reach ${what}`, () => {
    assert.equal(reaches('dmz', host, port), false);
  });
}

test('dmz: reaches the backend\'s port, which wants a certificate', () => {
  assert.equal(reaches('dmz', 'head', 9443, 60), true);
  const attempt = spawnSync(
      ...hostCommand('dmz', 'timeout', '60', 'openssl', 's_client', '-quiet',
                     '-alpn', 'h2', '-connect', 'head:9443'),
      {encoding: 'utf8', input: ''});
  assert.match(attempt.stderr, /alert|error/i);
});

test('node: cannot reach the port of the frontend and the proxy', () => {
  assert.equal(reaches('n1', 'head', 9443), false);
});

test('portal: a call from another origin is refused', async () => {
  const client = new Client();
  const {status} = await client.call('AuthService/GetSession', {},
                                     {Origin: 'https://evil.example'});
  assert.equal(status, 403);
});

test('portal: a form\'s content type is refused', async () => {
  const answer = await request(`${origin()}/carme.v1.AuthService/Login`, {
    method: 'POST',
    headers: {'Content-Type': 'text/plain', 'Origin': origin()},
    body: '{"username":"ada","password":"x"}',
  });
  assert.equal(answer.status, 415);
});

for (const method of ['RouteService/WatchRoutes',
                      'ActivityService/ReportActivity', 'AgentService/Register',
                      'AgentService/ReportState', 'AuthService/CreateAssertion',
                      'SessionService/WatchEndedSessions']) {
  test(`portal: ${method} is not there for a browser`, async () => {
    const {status} = await new Client().call(method, {});
    assert.equal(status, 404);
  });
}

for (const method of ['JobService/SubmitJob', 'JobService/ListJobs',
                      'JobService/OpenApp', 'ClusterService/GetCluster']) {
  test(`portal: ${method} wants a session`, async () => {
    const client = new Client();
    assert.equal((await client.call(method, {})).status, 401);
    client.cookie = `__Host-carme=${'A'.repeat(43)}`;
    assert.equal((await client.call(method, {})).status, 401);
  });
}

test('portal: every response carries a strict policy', async () => {
  const {headers} = await request(`${origin()}/`);
  assert.match(headers['content-security-policy'], /default-src 'none'/);
  assert.doesNotMatch(headers['content-security-policy'], /unsafe/);
  assert.match(headers['strict-transport-security'], /max-age=\d{7,}/);
  assert.equal(headers['x-content-type-options'], 'nosniff');
});

const tls = (...flags) => spawnSync('curl', [
  '-sS', '-o', '/dev/null', '-w', '%{http_code}', '--cacert', demo().ca_file,
  ...flags, `${origin()}/`,
], {encoding: 'utf8'});

test('public door: TLS 1.1 is refused', () => {
  assert.notEqual(tls('--tls-max', '1.1', '--ciphers', 'ALL:@SECLEVEL=0').status,
                  0);
});

for (const version of ['1.2', '1.3']) {
  test(`public door: TLS ${version} serves the page`, () => {
    assert.equal(tls(`--tlsv${version}`, '--tls-max', version).stdout, '200');
  });
}

test('log-in: the session\'s token never reaches a script', async () => {
  const client = new Client();
  const {session, ...rest} = await client.logIn('carol');
  assert.equal(session.username, 'carol');
  assert.deepEqual(Object.values(rest).filter(Boolean), []);
  assert.match(client.cookie, /^__Host-carme=[\w-]{43}$/);
});
