// Another user is on the same compute node: what they find
// there of ada's job, and what they can make the backend believe.
import assert from 'node:assert/strict';
import {createHash} from 'node:crypto';
import {spawn, spawnSync} from 'node:child_process';
import {after, before, test} from 'node:test';

import {encode} from '../support/contract.mjs';
import {hostCommand, onHost, waitFor} from '../support/demo.mjs';
import {grpcCalls} from '../support/intruder.mjs';
import {Client, streamOf} from '../support/portal.mjs';

const ada = new Client();
let stream, job, node, agent;

before(async () => {
  await ada.resume('ada');
  stream = streamOf(ada);
  const {body} = await ada.call('JobService/SubmitJob', {spec: {
    gpusPerNode: 1, gpuType: 'h200', walltime: '600s', app: 'notebook',
  }});
  await stream.until(body.job.id, 'JOB_STATE_READY');
  job = (await ada.call('JobService/GetJob', {jobId: body.job.id})).body.job;
  [node] = job.nodes;
  agent = onHost(node, 'pgrep', '-u', 'ada', '-o', 'carme-agent').trim();
});
after(async () => {
  await ada.call('JobService/StopJob', {jobId: job.id});
  await stream.until(job.id, 'JOB_STATE_ENDED');
  stream.close();
});

const as = (user, host, ...command) => spawnSync(
    ...hostCommand(host, 'runuser', '-u', user, '--', ...command),
    {encoding: 'utf8', input: ''});
const pidsOfAda = () =>
    onHost(node, 'pgrep', '-u', 'ada').trim().split('\n');

for (const part of ['mem', 'environ', 'maps', 'fd', 'cwd', 'root']) {
  test(`the processes' /proc/PID/${part}: closed`, () => {
    for (const pid of pidsOfAda()) {
      const path = `/proc/${pid}/${part}`;
      const look = ['fd', 'cwd', 'root'].includes(part) ?
          as('bob', node, 'ls', '-L', `${path}/`) :
          as('bob', node, 'head', '-c', '1', path);
      assert.notEqual(look.status, 0, path);
    }
  });
}

test('the processes: cannot be signalled', () => {
  for (const pid of pidsOfAda()) {
    assert.notEqual(as('bob', node, 'kill', '-0', pid).status, 0);
  }
});

test('the runtime directory and its files: closed to others', () => {
  const directory = `/run/carme/jobs/${job.slurmJobId}`;
  for (const command of [['ls', directory], ['touch', `${directory}/x`],
                         ['mv', directory, '/tmp/stolen'],
                         ['ln', '-s', '/etc', `/run/carme/jobs/999`],
                         ['mkdir', '/run/carme/jobs/999']]) {
    assert.notEqual(as('bob', node, ...command).status, 0, command.join(' '));
  }
});

test('ada\'s log and home: closed', () => {
  assert.notEqual(as('bob', 'head', 'ls', '/home/ada/.carme').status, 0);
});

// A registration like the agent's, by any user and on any host.
function register({user, host, slurmJob = job.slurmJobId, rpc = 'Register',
                   provenFor = rpc}) {
  const body = rpc === 'Register' ?
      `slurm_job_id: ${slurmJob} csr_pem: "x" port: 34001` :
      `slurm_job_id: ${slurmJob} state: APP_STATE_READY`;
  const type = `carme.v1.${rpc}Request`;
  const unsigned = encode('carme/v1/agent.proto', type, body);
  const payload = createHash('sha256')
      .update(`/carme.v1.AgentService/${provenFor}\0`).update(unsigned).digest();
  const made = spawnSync(
      ...hostCommand(host, 'runuser', '-u', user, '--', 'munge', '-i', '-'),
      {input: payload, encoding: 'utf8'});
  assert.equal(made.status, 0, made.stderr);
  return {method: `AgentService/${rpc}`,
          message: encode('carme/v1/agent.proto', type,
                          `munge: "${made.stdout.trim()}" ${body}`)};
}
const answerTo = (host, ...calls) =>
    grpcCalls(calls, {host, address: 'head:9444'}).map(({code}) => code);
const PERMISSION_DENIED = 7, INVALID_ARGUMENT = 3;

test('a registration for another\'s job: refused', () => assert.deepEqual(
    answerTo(node, register({user: 'bob', host: node})), [PERMISSION_DENIED]));
test('a registration as root: refused', () => assert.deepEqual(
    answerTo(node, register({user: 'root', host: node})), [PERMISSION_DENIED]));
test('a registration from a node where the job does not run: refused', () => {
  const elsewhere = node === 'n1' ? 'n2' : 'n1';
  assert.deepEqual(
      answerTo(elsewhere, register({user: 'ada', host: elsewhere})),
      [PERMISSION_DENIED]);
});
test('a registration for a job that does not exist: refused', () => {
  const [code] = answerTo(
      node, register({user: 'ada', host: node, slurmJob: 4_000_000}));
  assert.notEqual(code, 0);
});
test('a credential made for another rpc: refused', () => assert.deepEqual(
    answerTo(node, register({user: 'ada', host: node, rpc: 'ReportState',
                             provenFor: 'Register'})), [PERMISSION_DENIED]));
test('a credential shown a second time: refused', () => {
  // The first is of the right user on the right node; its request is not one.
  const call = register({user: 'ada', host: node});
  const [first, second] = answerTo(node, call, call);
  assert.equal(first, INVALID_ARGUMENT);
  assert.equal(second, PERMISSION_DENIED);
});
test('an invalid credential: refused', () => {
  const message = encode('carme/v1/agent.proto', 'carme.v1.RegisterRequest',
      `munge: "MUNGE:AAAA:" slurm_job_id: ${job.slurmJobId} port: 34001`);
  const [code] = answerTo(node, {method: 'AgentService/Register', message});
  assert.notEqual(code, 0);
});

test('after all of this the job is as it was', async () => {
  const {body} = await ada.call('JobService/GetJob', {jobId: job.id});
  assert.equal(body.job.state, 'JOB_STATE_READY');
  assert.equal(onHost(node, 'pgrep', '-u', 'ada', '-o', 'carme-agent').trim(),
               agent);
});

test('links planted where the next job writes: nothing of root\'s is touched',
     async () => {
       const bob = new Client();
       await bob.resume('bob');
       const theirs = streamOf(bob);
       onHost('head', 'install', '-d', '-m', '700', '/root/precious');
       as('bob', 'head', 'sh', '-c',
          'rm -rf ~/.carme; ln -s /root/precious ~/.carme');
       const {body} = await bob.call('JobService/SubmitJob', {spec: {
         walltime: '120s', app: 'notebook',
       }});
       if (body.job) {
         await theirs.until(body.job.id, 'JOB_STATE_STARTING');
         await bob.call('JobService/StopJob', {jobId: body.job.id});
         await theirs.until(body.job.id, 'JOB_STATE_ENDED');
       }
       theirs.close();
       as('bob', 'head', 'rm', '-f', '/home/bob/.carme');
       assert.equal(onHost('head', 'ls', '-A', '/root/precious'), '');
     });

// Holds as many connections as it gets until its input ends; prints how many
// are open then.
const flood = `
import select, socket, sys
held = []
for _ in range(3000):
  one = socket.socket()
  one.settimeout(0.2)
  try:
    one.connect(('head', 9444))
    held.append(one)
  except OSError:
    one.close()
print(len(held), flush=True)
sys.stdin.read()
def is_open(one):
  try:
    one.setblocking(False)
    return one.recv(1) != b''
  except BlockingIOError:
    return True
  except OSError:
    return False
print(sum(map(is_open, held)), flush=True)
`;

test('a flood of the agents\' port: other agents and the portal keep working',
     {timeout: 180_000}, async () => {
  const elsewhere = node === 'n1' ? 'n2' : 'n1';
  const [command, args] = hostCommand(elsewhere, 'runuser', '-u', 'bob', '--',
                                      'python3', '-c', flood);
  const flooder = spawn(command, args, {stdio: ['pipe', 'pipe', 'inherit']});
  let text = '';
  flooder.stdout.on('data', (part) => text += part);
  await waitFor('the flood', () => text.includes('\n'), 120_000);
  try {
    const begun = Date.now();
    assert.equal((await ada.call('JobService/ListJobs', {})).status, 200);
    assert.ok(Date.now() - begun < 2000, 'the portal is slow');
    // Its agent has to register, on another node than the flood's.
    const {status, body} = await ada.call('JobService/SubmitJob', {spec: {
      gpusPerNode: 1, gpuType: 'h200', walltime: '300s', app: 'shell',
    }});
    assert.equal(status, 200, JSON.stringify(body));
    await stream.until(body.job.id, 'JOB_STATE_READY');
    await ada.call('JobService/StopJob', {jobId: body.job.id});
    await stream.until(body.job.id, 'JOB_STATE_ENDED');
  } finally {
    flooder.stdin.end();
    await new Promise((done) => flooder.once('close', done));
  }
  const [taken, open] = text.trim().split('\n').map(Number);
  assert.ok(open <= 600, `${open} of ${taken} are still open`);
});
