// A compromised proxy: an attacker has its certificate and key, and sees
// what goes through it.
import assert from 'node:assert/strict';
import {generateKeyPairSync, sign} from 'node:crypto';
import {after, before, test} from 'node:test';

import {encode, field, rpcs} from '../support/contract.mjs';
import {onHost} from '../support/demo.mjs';
import {askAgent, grpcCalls, opening} from '../support/intruder.mjs';
import {Client, streamOf} from '../support/portal.mjs';

const proxy = {pem: '/etc/carme/proxy'};
const people = {};

// A ready job of `name`, the port of its agent, and the grant that a click on
// Open sends through the proxy.
async function begin(name, gpuType) {
  const client = new Client();
  await client.resume(name);
  const stream = streamOf(client);
  const {body} = await client.call('JobService/SubmitJob', {spec: {
    gpusPerNode: 1, gpuType, walltime: '600s', app: 'notebook',
  }});
  await stream.until(body.job.id, 'JOB_STATE_READY');
  const {body: {job}} =
      await client.call('JobService/GetJob', {jobId: body.job.id});
  const opened = await client.call('JobService/OpenApp', {jobId: job.id});
  const signed = Buffer.from(
      new URL(opened.body.url).searchParams.get('ticket'), 'base64url');
  const [host] = job.nodes;
  const port = Number(onHost(host, 'sh', '-c',
      `ss -Hltnp | grep "pid=$(pgrep -u ${name} -o carme-agent)," | ` +
      'grep -o ":34[0-9]*" | head -n 1').trim().slice(1));
  people[name] = {client, stream, job, host, port, ticket: signed,
                  grant: field(field(signed, 1), 4)};
}
before(async () => {
  await begin('ada', 'h200');
  await begin('bob', 'a100');
});
after(async () => {
  for (const {client, stream, job} of Object.values(people)) {
    await client.call('JobService/StopJob', {jobId: job.id});
    await stream.until(job.id, 'JOB_STATE_ENDED');
    stream.close();
  }
});

test('with a user\'s live session: no rpc but the proxy\'s own answers', () => {
  const token = people.ada.client.cookie.split('=')[1];
  const list = rpcs.filter(({caller}) => caller !== 'PROXY');
  const answers = grpcCalls(
      list.map(({method}) => ({method, metadata: {'carme-session': token}})),
      proxy);
  const wrong = list.map(({method}, i) => [method, answers[i].code])
      .filter(([, code]) => code !== 7);
  assert.deepEqual(wrong, []);
});

const reach = (whose, grant) => askAgent({
  host: people[whose].host, port: people[whose].port, ...proxy,
  bytes: opening(grant),
});

test('with the grant of this session and job: the app answers', () => {
  assert.match(reach('ada', people.ada.grant).text, /^HTTP\/1.1 200/);
});

test('with a grant for another job: the agent closes', () => {
  assert.equal(reach('bob', people.ada.grant).text, '');
});

test('with a modified grant: the agent closes', () => {
  const changed = Buffer.from(people.ada.grant);
  const at = changed.indexOf(people.ada.job.id);
  changed.write(people.bob.job.id, at);
  assert.equal(reach('bob', changed).text, '');
});

test('with a grant that the proxy signed itself: the agent closes', () => {
  const {privateKey} = generateKeyPairSync('ed25519');
  const payload = encode('carme/v1/routes.proto', 'carme.v1.Grant', `
      job_id: "${people.bob.job.id}" app: "notebook" session_id: "x" user: "bob"
      rights: "use" expires_at { seconds: ${Math.ceil(Date.now() / 1000) + 600} }`);
  const signature = sign(
      null, Buffer.concat([Buffer.from('carme-grant-v1\0'), payload]),
      privateKey);
  const text = (bytes) => `"${[...bytes].map(
      (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')}"`;
  const signed = encode('carme/v1/routes.proto', 'carme.v1.Signed',
      `payload: ${text(payload)} signature: ${text(signature)}`);
  assert.equal(reach('bob', signed).text, '');
});

test('with a ticket in place of a grant: the agent closes', () => {
  assert.equal(reach('bob', people.bob.ticket).text, '');
});

test('with no grant, or endless bytes: the agent closes', () => {
  assert.equal(reach('bob', Buffer.alloc(0)).text, '');
  assert.equal(reach('bob', Buffer.alloc(60_000, 65)).text, '');
});

test('the frontend\'s certificate opens no agent', () => {
  const answer = askAgent({host: people.ada.host, port: people.ada.port,
                           pem: '/etc/carme/frontend',
                           bytes: opening(people.ada.grant)});
  assert.equal(answer.text, '');
});

test('without a certificate, a grant from a neighbour\'s node opens nothing',
     () => {
       const answer = askAgent({from: people.ada.host, user: 'bob',
                                host: people.ada.host, port: people.ada.port,
                                bytes: opening(people.ada.grant)});
       assert.equal(answer.text, '');
     });
