// A compromised frontend: an attacker has its certificate and key, and
// calls every rpc of the contract with them.
import assert from 'node:assert/strict';
import {randomBytes} from 'node:crypto';
import {before, test} from 'node:test';

import {hostCommand} from '../support/demo.mjs';
import {rpcs} from '../support/contract.mjs';
import {grpcCalls} from '../support/intruder.mjs';
import {Client} from '../support/portal.mjs';
import {spawnSync} from 'node:child_process';

const UNAUTHENTICATED = 16, PERMISSION_DENIED = 7;
const frontend = {pem: '/etc/carme/frontend'};
const personalOfAll = rpcs.filter(
    ({caller}) => ['USER', 'SUPPORT', 'MANAGER', 'ADMIN'].includes(caller));
// carme-metrics serves these, the backend the others.
const isOfMetrics = ({method}) => method.startsWith('MetricsService/');
const ofMetrics = personalOfAll.filter(isOfMetrics);
const personal = personalOfAll.filter((rpc) => !isOfMetrics(rpc));
const tokenOf = (client) => client.cookie.split('=')[1];

// Every rpc with this metadata must be answered with this code.
function allRefused(list, metadata, code, server = {}) {
  const answers = grpcCalls(list.map(({method}) => ({method, metadata})),
                            {...frontend, ...server});
  const wrong = list.map(({method}, i) => [method, answers[i].code])
      .filter(([, found]) => found !== code);
  assert.deepEqual(wrong, []);
}

let ended;
before(async () => {
  const left = new Client();
  await left.logIn('bob');
  ended = tokenOf(left);
  assert.equal((await left.call('AuthService/Logout', {})).status, 200);
});

test('there are rpcs to attack', () => assert.ok(personal.length >= 9));

test('without a session: rpcs of users are refused',
     () => allRefused(personal, {}, UNAUTHENTICATED));
test('with a forged session: rpcs of users are refused', () => allRefused(
    personal, {'carme-session': randomBytes(32).toString('base64url')},
    UNAUTHENTICATED));
test('with an ended session: rpcs of users are refused',
     () => allRefused(personal, {'carme-session': ended}, UNAUTHENTICATED));
test('with a forged access token: rpcs of users are refused', () => allRefused(
    personal,
    {'carme-token': `carme_${randomBytes(32).toString('base64url')}`},
    UNAUTHENTICATED));
test('rpcs of metrics: refused by the backend, and by carme-metrics without ' +
     'an assertion of the backend', () => {
  assert.ok(ofMetrics.length >= 4);
  allRefused(ofMetrics, {}, PERMISSION_DENIED);
  const metrics = {address: 'head:9446', serverName: 'carme-metrics'};
  for (const metadata of [
    {}, {'carme-session': ended}, {'carme-caller-username': 'carol'},
    {'carme-assertion': randomBytes(96).toString('base64url')},
  ]) {
    allRefused(ofMetrics, metadata, UNAUTHENTICATED, metrics);
  }
});
test('with the metadata that the backend adds for a caller: refused',
     () => allRefused(personal, {'carme-caller-username': 'carol'},
                      PERMISSION_DENIED));
test('the rpcs of proxy and agents: refused', () => allRefused(
    rpcs.filter(({caller}) => ['PROXY', 'AGENT'].includes(caller)), {},
    PERMISSION_DENIED));
test('an rpc that does not exist: refused', () => allRefused(
    [{method: 'JobService/RunShell'}], {}, PERMISSION_DENIED));

test('without a certificate: no response', () => {
  const answers = grpcCalls(rpcs.map(({method}) => ({method})), {});
  assert.deepEqual(new Set(answers.map(({code}) => code)), new Set(['tls']));
});

test('a certificate of the same name by another authority: refused', () => {
  const made = spawnSync(...hostCommand('dmz', 'openssl', 'req', '-x509',
      '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj',
      '/CN=carme-frontend', '-addext',
      'subjectAltName=DNS:carme-frontend,URI:carme://frontend/carme-frontend',
      '-keyout', '/tmp/false.key', '-out', '/tmp/false.pem'));
  assert.equal(made.status, 0);
  const answers = grpcCalls([{method: 'AuthService/Login'}],
                            {pem: '/tmp/false'});
  assert.equal(answers[0].code, 'tls');
});
