// More GPUs for a running job: the node of a linked job joins the job's list, a
// program started from the job's notebook runs on both nodes, and the node
// leaves the list again.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {after, before, test} from 'node:test';

import {at, call, launch, newPerson, resumeSession} from './browser.mjs';
import {hostCommand, onHost, waitFor} from '../support/demo.mjs';
import {newNotebook, runCell} from './notebook.mjs';

const RING = `
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char** argv) {
  int rank, size, sum = 0;
  char host[256];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  gethostname(host, sizeof host);
  int mine = rank + 1;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  printf("mpi rank %d of %d on %s sum %d\\n", rank, size, host, sum);
  MPI_Finalize();
}
`;

let browser, page, notebook, job, linked;
const jobs = [];

async function submitted(person, spec) {
  const answer = await call(person, 'JobService/SubmitJob', {spec});
  if (answer.status === 200) jobs.push(answer.body.job.id);
  return answer;
}
const jobOf = async (jobId) =>
    (await call(page, 'JobService/GetJob', {jobId})).body.job;
async function ready(jobId) {
  await waitFor(`job ${jobId} is ready`, async () => {
    const {state, reason} = await jobOf(jobId);
    assert.notEqual(state, 'JOB_STATE_ENDED', reason);
    return state === 'JOB_STATE_READY';
  }, 60_000);
  return jobOf(jobId);
}

// The output of a cell's command, after its end.
let commands = 0;
async function said(command) {
  const mark = `over-${++commands}-`;
  await runCell(notebook, `!echo begins; (${command}) 2>&1; echo ${mark}$?`);
  const output = notebook.locator('.jp-OutputArea-output pre')
      .filter({hasText: mark}).first();
  await output.waitFor({timeout: 60_000});
  return output.innerText();
}

const directoryOf = ({slurmJobId}) => `/run/carme/jobs/${slurmJobId}`;
const hostfile = () => onHost('n1', 'cat', `${directoryOf(job)}/hostfile`);

// Calls sshd on a node of the job from n1, outside every job, with a key.
function calls(user, node, key) {
  const hosts = onHost('n1', 'cat', `${directoryOf(job)}/ssh/hosts`);
  const found = new RegExp(
      `^Host ${node} (\\S+)\\n[^]*?\\n +Port (\\d+)`, 'm').exec(hosts);
  assert.ok(found, `no way to ${node} in ${hosts}`);
  const [, address, port] = found;
  return spawnSync(...hostCommand(
      'n1', 'runuser', '-u', user, '--', 'ssh', '-F', 'none',
      '-o', 'IdentitiesOnly=yes', '-o', 'BatchMode=yes',
      '-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null',
      '-i', key, '-p', port, `bob@${address}`, 'echo let in $NODE_RANK'),
                   {encoding: 'utf8', input: ''});
}

before(async () => {
  browser = await launch();
  page = await newPerson(browser);
  await resumeSession(page, 'bob');
  spawnSync(...hostCommand('n1', 'runuser', '-u', 'bob', '--', 'sh', '-c',
                           'cat > /home/bob/joined.c'), {input: RING});
  const {status, body} = await submitted(page, {
    app: 'jupyter', gpusPerNode: 1, gpuType: 'h200', cpusPerNode: 1,
    walltime: '900s', name: 'grows',
  });
  assert.equal(status, 200, JSON.stringify(body));
  job = await ready(body.job.id);
  [notebook] = await Promise.all([
    page.context().waitForEvent('page'),
    page.locator(at(`job-${job.id}`)).locator(at('job-open')).click(),
  ]);
  await newNotebook(notebook);
});
after(async () => {
  for (const jobId of jobs) await call(page, 'JobService/StopJob', {jobId});
  await browser.close();
});

test('linked job: another user\'s job is reported as not found', async () => {
  const ada = await newPerson(browser);
  await resumeSession(ada, 'ada');
  const theirs = await submitted(ada, {linkedTo: job.id});
  const absent = await submitted(ada, {linkedTo: 'zzzzzzzzzzzzzzzz'});
  assert.equal(theirs.body.code, 'not_found', JSON.stringify(theirs.body));
  assert.equal(absent.body.code, 'not_found');
  assert.equal(theirs.body.message, absent.body.message);
  await ada.context().close();
});

test('linked job: refused for a job that is not ready', async () => {
  const {body} = await submitted(page, {
    app: 'shell', gpusPerNode: 2, gpuType: 'h200', cpusPerNode: 1,
    walltime: '900s', name: 'waits',
  });
  const answer = await submitted(page, {linkedTo: body.job.id});
  assert.equal(answer.body.code, 'failed_precondition');
  assert.match(answer.body.message, /not ready yet: wait until its app responds/);
  await call(page, 'JobService/StopJob', {jobId: body.job.id});
});

test('linked job: the nodes of the other job are excluded, with a message',
     async () => {
       const {status, body} = await call(page, 'JobService/PreviewJob', {
         spec: {linkedTo: job.id, nodes: 2},
       });
       assert.equal(status, 200);
       assert.match(body.violations[0].message,
                    /beside those of the job that it joins/);
     });

test('page: GPUs are added to the job, on its card', async () => {
  assert.equal(hostfile(), 'n1 slots=1\n');
  page.problems.length = 0;  // refusals, which Chromium logs
  const card = page.locator(at(`job-${job.id}`));
  await card.locator(at('job-add')).click();
  await page.selectOption(at('add-nodes-field-gpuType'), 'a100');
  await page.waitForSelector(at('add-nodes-summary'));
  await page.click(at('add-nodes-submit'));
  const row = card.locator('.linked-job');
  await row.waitFor();
  const id = (await row.getAttribute('data-testid')).replace('job-', '');
  jobs.push(id);
  linked = await ready(id);
  assert.equal(linked.spec.linkedTo, job.id);
  assert.equal(linked.spec.image, job.spec.image);
  assert.deepEqual(linked.nodes, ['n2']);
  await card.locator('.linked-job[data-state="ready"]').waitFor();
  assert.equal(await page.locator(`.job-list > ${at(`job-${id}`)}`).count(), 0);
  assert.deepEqual(page.problems, []);
});

test('linked job: has no app to open, and no job can be linked to it',
     async () => {
       const open = await call(page, 'JobService/OpenApp',
                               {jobId: linked.id});
       assert.equal(open.body.code, 'failed_precondition');
       assert.match(open.body.message, /adds nodes to another job and has no app/);
       const again = await submitted(page, {linkedTo: linked.id});
       assert.equal(again.body.code, 'invalid_argument');
     });

test('notebook: finds both nodes, and MPI runs on both', async () => {
  await waitFor('the job knows the way to its own node and the other', () =>
      /^Host n1 [^]*^Host n2 /m.test(
          onHost('n1', 'cat', `${directoryOf(job)}/ssh/hosts`)));
  assert.match(hostfile(), /^n1 slots=1\nn2 slots=\d+\n$/);
  const hosts = await said('carme mpirun -n 2 --map-by node hostname');
  assert.match(hosts, /^n1$/m);
  assert.match(hosts, /^n2$/m);
  const text = await said(
      'mpicc joined.c -o joined && carme mpirun -n 2 --map-by node ./joined');
  assert.match(text, /mpi rank 0 of 2 on n1 sum 3/);
  assert.match(text, /mpi rank 1 of 2 on n2 sum 3/);
});

test('notebook: torchrun, from a shell that is older, runs on both',
     async () => {
       const text = await said('carme torchrun --no-python sh -c ' +
           '"echo torch rank \\$RANK of \\$WORLD_SIZE on \\$(hostname)"');
       assert.match(text, /torch rank 0 of 2 on n1/);
       assert.match(text, /torch rank 1 of 2 on n2/);
     });

test('notebook: ssh finds the job\'s image and the linked job\'s GPU there',
     async () => {
       const text = await said(
           'ssh n2 \'. /etc/os-release; echo $VERSION_ID-$SLURM_JOB_ID-' +
           '$NODE_RANK-$NNODES-$CARME_OWN_NODES-' +
           '$(ls /dev | grep -c carmegpu)\'');
       assert.match(text, new RegExp(
           `^13-${linked.slurmJobId}-1-2-n2-1$`, 'm'));
     });

test('sshd: accepts the keys of both jobs only', () => {
  const own = `${directoryOf(job)}/ssh/id`;
  assert.match(calls('bob', 'n2', own).stdout, /let in 1/);
  const {stdout, stderr} = calls('ada', 'n2', own);
  assert.equal(stdout, '');
  assert.match(stderr, /Permission denied \(publickey\)/);
  // A user's own key, which is in no job's list.
  spawnSync(...hostCommand('n1', 'runuser', '-u', 'ada', '--', 'sh', '-c',
                           'rm -f ~/own ~/own.pub; ' +
                           'ssh-keygen -q -t ed25519 -N "" -f ~/own'));
  for (const node of ['n1', 'n2']) {
    const other = calls('ada', node, '/home/ada/own');
    assert.equal(other.stdout, '');
    assert.match(other.stderr, /Permission denied \(publickey\)/);
  }
});

test('page: a released node leaves the list and its key is refused',
     async () => {
       const key = '/home/bob/released';
       spawnSync(...hostCommand(
           'n2', 'install', '-o', 'bob', '-m', '600',
           `${directoryOf(linked)}/ssh/id`, key));
       assert.match(calls('bob', 'n1', key).stdout, /let in 0/);
       const card = page.locator(at(`job-${job.id}`));
       await card.locator(at('linked-job-release')).click();
       await page.click(at('confirm-stop'));
       await waitFor('the hostfile has one line',
                     () => hostfile() === 'n1 slots=1\n');
       await card.locator('.linked-job').waitFor({state: 'detached'});
       assert.match(await said('cat $CARME_HOSTFILE'), /^n1 slots=1$/m);
       const {stdout, stderr} = calls('bob', 'n1', key);
       assert.equal(stdout, '');
       assert.match(stderr, /Permission denied \(publickey\)/);
       assert.equal((await jobOf(job.id)).state, 'JOB_STATE_READY');
     });

test('job: its linked job ends with it', async () => {
  const {body} = await submitted(page, {linkedTo: job.id, cpusPerNode: 1});
  await ready(body.job.id);
  await call(page, 'JobService/StopJob', {jobId: job.id});
  await waitFor('the linked job has ended', async () =>
      (await jobOf(body.job.id)).state === 'JOB_STATE_ENDED');
});
