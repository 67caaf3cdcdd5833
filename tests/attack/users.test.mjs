// A user against another user: through the portal, through the proxy, and as
// a neighbour on the compute node.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {demo, hostCommand, onHost} from '../support/demo.mjs';
import {Client, request, streamOf} from '../support/portal.mjs';
import {spawnSync} from 'node:child_process';

const ada = new Client(), bob = new Client();
let stream, job, cookie, url;

before(async () => {
  await ada.logIn('ada');
  await bob.logIn('bob');
  stream = streamOf(ada);
  const {body} = await ada.call('JobService/SubmitJob', {spec: {
    gpusPerNode: 1, gpuType: 'h200', walltime: '600s', app: 'notebook',
  }});
  job = body.job;
  await stream.until(job.id, 'JOB_STATE_READY');
  job = (await ada.call('JobService/GetJob', {jobId: job.id})).body.job;
  const opened = await ada.call('JobService/OpenApp', {jobId: job.id});
  url = opened.body.url;
  const answer = await request(url);
  cookie = answer.headers['set-cookie'][0].split(';')[0];
});
after(async () => {
  await ada.call('JobService/StopJob', {jobId: job.id});
  await stream.until(job.id, 'JOB_STATE_ENDED');
  stream.close();
});

const jobUrl = (id, path = '/api') => `https://${id}.${demo().jobs_domain}${path}`;
const asBob = (host, ...command) => spawnSync(
    ...hostCommand(host, 'runuser', '-u', 'bob', '--', ...command),
    {encoding: 'utf8', input: ''});

for (const method of ['GetJob', 'StopJob', 'OpenApp']) {
  test(`${method}: another user's job is not found`, async () => {
    const {status, body} =
        await bob.call(`JobService/${method}`, {jobId: job.id});
    assert.equal(status, 404);
    assert.equal(body.code, 'not_found');
  });
}

test('ListJobs: shows none of another user\'s jobs', async () => {
  const {body} = await bob.call('JobService/ListJobs', {});
  assert.deepEqual((body.jobs ?? []).filter((j) => j.id === job.id), []);
});

test('ticket: a second use is refused', async () => {
  const answer = await request(url);
  assert.ok(answer.status >= 400, `HTTP ${answer.status}`);
  assert.equal(answer.headers['set-cookie'], undefined);
});

test('job host: refuses requests without its cookie', async () => {
  assert.equal((await request(jobUrl(job.id))).status, 401);
});

test('job host: the portal\'s cookie opens nothing', async () => {
  const answer =
      await request(jobUrl(job.id), {headers: {Cookie: ada.cookie}});
  assert.equal(answer.status, 401);
});

test('job host: the cookie of one job does not open another', async () => {
  const {body} = await bob.call('JobService/SubmitJob', {spec: {
    gpusPerNode: 1, gpuType: 'a100', walltime: '600s', app: 'notebook',
  }});
  const theirs = streamOf(bob);
  await theirs.until(body.job.id, 'JOB_STATE_READY');
  const answer =
      await request(jobUrl(body.job.id), {headers: {Cookie: cookie}});
  assert.equal(answer.status, 401);
  await bob.call('JobService/StopJob', {jobId: body.job.id});
  await theirs.until(body.job.id, 'JOB_STATE_ENDED');
  theirs.close();
});

// Carme's jobs are recognized by their comments among other things, and users
// may change those.
test('scontrol: a job with another comment counts, is shown and is stopped',
     async () => {
       const spec = {walltime: '300s', app: 'shell'};
       const submit = () => bob.call('JobService/SubmitJob', {spec});
       const stop = async (id) => {
         const {status} = await bob.call('JobService/StopJob', {jobId: id});
         assert.equal(status, 200);
         await theirs.until(id, 'JOB_STATE_ENDED');
       };
       const theirs = streamOf(bob);
       const ids = [];
       try {
         for (let answer = await submit(); answer.status === 200;
              answer = await submit()) {
           ids.push(answer.body.job.id);
           assert.ok(ids.length <= 3, 'more jobs than the limit');
         }
         assert.equal(ids.length, 3);
         const [changed] = ids;
         await theirs.until(changed, 'JOB_STATE_STARTING');
         const get = async () => (await bob.call(
             'JobService/GetJob', {jobId: changed})).body.job;
         const {slurmJobId} = await get();
         const update = asBob('head', 'scontrol', 'update',
                              `JobId=${slurmJobId}`, 'Comment=x');
         assert.equal(update.status, 0, update.stderr);
         // Seen in Slurm after the change.
         await stop(ids.pop());
         const next = await submit();
         assert.equal(next.status, 200, JSON.stringify(next.body));
         ids.push(next.body.job.id);
         const refused = await submit();
         assert.equal(refused.status, 429, JSON.stringify(refused.body));
         assert.match((await get()).state, /^JOB_STATE_(STARTING|READY)$/);
         await stop(changed);
         ids.shift();
         const inSlurm = onHost('head', 'squeue', '-h', '-t', 'R', '-j',
                                `${slurmJobId}`);
         assert.equal(inSlurm.trim(), '');
       } finally {
         await Promise.all(ids.map(stop));
         theirs.close();
       }
     });

test('node: the app\'s socket is closed to a neighbour', () => {
  const [node] = job.nodes;
  const directory = `/run/carme/jobs/${job.slurmJobId}`;
  assert.match(onHost(node, 'stat', '-c', '%a %U', directory), /^700 ada/);
  assert.notEqual(asBob(node, 'ls', directory).status, 0);
});

// Ports of the agent on its node, as the node's root sees them.
const agentPort = () => onHost(job.nodes[0], 'sh', '-c',
    'ss -Hltn | grep -o ":34[0-9][0-9][0-9]" | head -n 1').trim().slice(1);

test('node: the agent is the only listener, in its range', () => {
  const listeners = onHost(job.nodes[0], 'ss', '-Hltn').trim().split('\n')
      .map((line) => Number(line.split(/\s+/)[3].split(':').pop()));
  const foreign = listeners.filter((port) =>
      port !== 6818 && !(port >= 34000 && port <= 34999));
  assert.deepEqual(foreign, []);
});

for (const host of ['n1', 'n2']) {
  test(`${host}: the agent refuses clients without the proxy's certificate`,
       () => {
         const address = `${job.nodes[0]}:${agentPort()}`;
         const attempt = asBob(host, 'timeout', '60', 'openssl', 's_client',
                               '-quiet', '-connect', address);
         assert.match(attempt.stderr, /alert|error/i);
         assert.equal(attempt.stdout, '');
       });
}

test('node: the agent\'s command line and environment hold no secret', () => {
  const processes = onHost(job.nodes[0], 'sh', '-c',
      'pid=$(pgrep -o carme-agent); tr "\\0" " " < /proc/$pid/cmdline; echo; ' +
      'tr "\\0" "\\n" < /proc/$pid/environ');
  assert.match(processes, /^\S*carme-agent --config \S+ ?$/m);
  assert.doesNotMatch(processes, /token|secret|BEGIN|password/i);
});
