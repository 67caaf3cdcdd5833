// The same thing shown twice, at the same moment.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {nextCode, userNamed} from '../support/demo.mjs';
import {Client, request, streamOf, unknownAddress} from '../support/portal.mjs';

const TIMES = 20;
const together = (act) =>
    Promise.all(Array.from({length: TIMES}, (_, i) => act(i)));
const bob = new Client(), carol = new Client();
let stream, job;

before(async () => {
  await bob.resume('bob');
  await carol.logIn('carol');
  stream = streamOf(bob);
  const {body} = await bob.call('JobService/SubmitJob',
                                {spec: {walltime: '600s', app: 'notebook'}});
  job = body.job.id;
  await stream.until(job, 'JOB_STATE_READY');
});
after(async () => {
  await bob.call('JobService/StopJob', {jobId: job});
  await stream.until(job, 'JOB_STATE_ENDED');
  stream.close();
});

test('a ticket used by twenty at once: opens for one', async () => {
  const {body} = await bob.call('JobService/OpenApp', {jobId: job});
  const answers = await together(() => request(body.url));
  const opened = answers.filter(({status}) => status === 303);
  assert.equal(opened.length, 1);
  const cookies = answers.filter(({headers}) => headers['set-cookie']);
  assert.equal(cookies.length, 1);
});

test('one idempotency key by twenty at once: one job', async () => {
  const idempotencyKey = `race-${Date.now()}`;
  const answers = await together(() => bob.call('JobService/SubmitJob', {
    spec: {walltime: '60s', app: 'notebook'}, idempotencyKey,
  }));
  const ids = new Set(answers.map(({body}) => body.job?.id).filter(Boolean));
  assert.equal(ids.size, 1);
  const [id] = ids;
  await bob.call('JobService/StopJob', {jobId: id});
  await stream.until(id, 'JOB_STATE_ENDED');
});

test('a limit asked by twenty at once: holds', async () => {
  const answers = await together(() => bob.call('JobService/SubmitJob', {
    spec: {walltime: '60s', app: 'notebook'},
  }));
  const jobs = answers.map(({body}) => body.job?.id).filter(Boolean);
  // bob may run three, and one runs already.
  assert.equal(jobs.length, 2);
  for (const id of jobs) {
    await bob.call('JobService/StopJob', {jobId: id});
    await stream.until(id, 'JOB_STATE_ENDED');
  }
});

test('a session used while it is ended: refused after the response', async () => {
  let ended = false;
  const late = [];
  const use = async () => {
    for (let i = 0; i < 50; ++i) {
      const sentAfterEnd = ended;
      const {status} = await carol.call('JobService/ListJobs', {});
      if (sentAfterEnd && status === 200) late.push(i);
    }
  };
  const cookie = carol.cookie;
  const end = async () => {
    const other = new Client();
    other.cookie = cookie;
    const {status} = await other.call('AuthService/Logout', {});
    assert.equal(status, 200);
    ended = true;
  };
  await Promise.all([use(), use(), end()]);
  assert.deepEqual(late, []);
});

test('a code shown eight times at once, to four challenges: opens for one', async () => {
  const {password, totp_secret: secret} = userNamed('carol');
  const people = await Promise.all(Array.from({length: 4}, async () => {
    const client = new Client({from: unknownAddress()});
    const {body} = await client.call('AuthService/Login',
                                     {username: 'carol', password});
    return {client, challenge: body.challenge};
  }));
  const totp = await nextCode('carol', secret);
  // Fewer than would slow carol down for the tests that follow.
  const answers = await Promise.all(Array.from({length: 8}, (_, i) => {
    const {client, challenge} = people[i % people.length];
    return client.call('AuthService/VerifyFactor', {challenge, totp});
  }));
  assert.equal(answers.filter(({status}) => status === 200).length, 1);
});
