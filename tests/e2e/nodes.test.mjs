// A job over both nodes, in the base image: what a notebook's cell starts runs
// on both, and other users cannot connect the same way.
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
// Each node sees other data; the model must come out the same on both, and
// other than training on either alone would make it.
const TRAIN = `
import os, socket, torch, torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
dist.init_process_group('gloo')
rank, size = dist.get_rank(), dist.get_world_size()
torch.manual_seed(rank)
model = DistributedDataParallel(torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(20):
    data = torch.randn(16, 4)
    loss = (model(data) - data.sum(1, keepdim=True)).square().mean()
    optimizer.zero_grad(); loss.backward(); optimizer.step()
weights = [p.detach().clone() for p in model.parameters()]
for w in weights:
    all_of = [torch.zeros_like(w) for _ in range(size)]
    dist.all_gather(all_of, w)
    assert all(torch.equal(w, other) for other in all_of)
print(f'ddp rank {rank} of {size} on {socket.gethostname()} '
      f'loss {loss.item() < 0.5}', flush=True)
del model
dist.barrier()
dist.destroy_process_group()
`;

let browser, page, notebook;
const jobs = [];

async function started(spec) {
  const {status, body} = await call(page, 'JobService/SubmitJob', {spec});
  assert.equal(status, 200, JSON.stringify(body));
  jobs.push(body.job.id);
  return body.job.id;
}
const jobOf = async (jobId) =>
    (await call(page, 'JobService/GetJob', {jobId})).body.job;
async function ready(jobId) {
  await waitFor(`job ${jobId} is ready`, async () => {
    const job = await jobOf(jobId);
    assert.notEqual(job.state, 'JOB_STATE_ENDED', job.reason);
    return job.state === 'JOB_STATE_READY';
  }, 60_000);
  return jobOf(jobId);
}
const inHome = (name, text) => spawnSync(
    ...hostCommand('n1', 'runuser', '-u', 'bob', '--', 'sh', '-c',
                   `cat > /home/bob/${name}`),
    {input: text});

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

const TWO = {nodes: 2, walltime: '900s', cpusPerNode: 1};
let job;
before(async () => {
  browser = await launch();
  page = await newPerson(browser);
  await resumeSession(page, 'bob');
  inHome('ring.c', RING);
  inHome('train.py', TRAIN);
  const jobId = await started({...TWO, app: 'jupyter', gpusPerNode: 1});
  job = await ready(jobId);
  [notebook] = await Promise.all([
    page.context().waitForEvent('page'),
    page.locator(at(`job-${jobId}`)).locator(at('job-open')).click(),
  ]);
  await newNotebook(notebook);
});
after(async () => {
  for (const jobId of jobs) await call(page, 'JobService/StopJob', {jobId});
  await browser.close();
});

test('notebook: an OpenMPI program runs on both nodes', async () => {
  const text = await said(
      'mpicc ring.c -o ring && mpirun -n 2 --map-by node ./ring');
  assert.match(text, /mpi rank 0 of 2 on n1 sum 3/);
  assert.match(text, /mpi rank 1 of 2 on n2 sum 3/);
});

test('notebook: srun starts an MPI program over both nodes', async () => {
  const text = await said('srun -N 2 -n 2 ./ring');
  assert.match(text, /mpi rank 0 of 2 on n1 sum 3/);
  assert.match(text, /mpi rank 1 of 2 on n2 sum 3/);
  assert.doesNotMatch(text, /warning|error/i);
});

test('notebook: a PyTorch training runs on both nodes', async () => {
  const text = await said('carme torchrun train.py');
  assert.match(text, /ddp rank 0 of 2 on n1 loss True/);
  assert.match(text, /ddp rank 1 of 2 on n2 loss True/);
});

test('notebook: ssh finds the same environment on the other node', async () => {
  const text = await said(
      'ssh n2 \'. /etc/os-release; echo $VERSION_ID-$SLURM_JOB_ID-' +
      '$NODE_RANK-$MASTER_ADDR-$(ls /dev | grep -c carmegpu)\'');
  assert.match(text, new RegExp(`^13-${job.slurmJobId}-1-10.77.0.11-1$`, 'm'));
});

test('notebook: a shell on the other node has a terminal', async () => {
  assert.match(await said('ssh -tt n2 tty < /dev/null'), /\/dev\/pts\/\d/);
});

test('notebook: srun\'s tasks run on both nodes, in the image', async () => {
  const text = await said(
      'srun -N 2 -n 2 -l sh -c \'. /etc/os-release; ' +
      'echo $VERSION_ID $(hostname) $NODE_RANK\'');
  assert.match(text, /0: 13 n1 0/);
  assert.match(text, /1: 13 n2 1/);
});

test('srun in the notebook: another job and files outside are refused',
     async () => {
       for (const option of ['--jobid=1', '--task-prolog=/bin/true',
                             '--output=/etc/carme/x', '--partition=debug']) {
         assert.match(await said(`srun ${option} id`),
                      /is not available inside a job/);
       }
       assert.match(await said('srun --environment=base id'),
                    /--jobid=ID[^]*available options: --ntasks, --nodes/);
       assert.match(await said('srun --help'), /-n, --ntasks=VALUE/);
     });

test('login node: a step of the job runs in another environment', () => {
  const text = onHost('head', 'runuser', '-u', 'bob', '--', 'srun',
                      '--overlap', `--jobid=${job.slurmJobId}`, '-N2', '-n2',
                      '--environment=base', 'python', '-c',
                      'from mpi4py.MPI import COMM_WORLD as c; ' +
                      'print("rank", c.rank, "of", c.size)');
  assert.match(text, /rank 0 of 2/);
  assert.match(text, /rank 1 of 2/);
});

test('training: a node that fails ends it, named', async () => {
  const text = await said('carme torchrun --no-python sh -c ' +
      '"test \\$NODE_RANK = 0 && exec sleep 600; exit 7" 2>&1 | grep carme:');
  assert.match(text, /torchrun on n2 ended with exit code 1\b/);
});

// Calls sshd on n2 from n1, outside every job, with this job's key or
// another: the job's own notebook is let in that way.
function calls(user, directory) {
  const hosts = onHost('n1', 'cat',
                       `/run/carme/jobs/${job.slurmJobId}/ssh/hosts`);
  const [, address, port] =
      /HostName (10\.77\.0\.12)\n +Port (\d+)/.exec(hosts);
  return spawnSync(...hostCommand(
      'n1', 'runuser', '-u', user, '--', 'ssh', '-F', 'none',
      '-o', 'IdentitiesOnly=yes', '-o', 'BatchMode=yes',
      '-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null',
      '-i', `${directory}/ssh/id`, '-p', port, `bob@${address}`,
      'echo let in'), {encoding: 'utf8', input: ''});
}

test('sshd: another user, who cannot read the key, is refused', () => {
  const own = `/run/carme/jobs/${job.slurmJobId}`;
  assert.match(calls('bob', own).stdout, /let in/);
  const {stdout, stderr} = calls('ada', own);
  assert.equal(stdout, '');
  assert.match(stderr, /Permission denied \(publickey\)/);
});

test('sshd: the key of another job of the same user is refused', async () => {
  const other = await ready(await started(
      {...TWO, app: 'shell', name: 'other', gpusPerNode: 0}));
  const {stdout, stderr} = calls('bob', `/run/carme/jobs/${other.slurmJobId}`);
  assert.equal(stdout, '');
  assert.match(stderr, /Permission denied \(publickey\)/);
});

test('sshd: listens on the job\'s network address only', () => {
  const hosts = onHost('n1', 'cat',
                       `/run/carme/jobs/${job.slurmJobId}/ssh/hosts`);
  const port = /HostName 10\.77\.0\.12\n +Port (\d+)/.exec(hosts)[1];
  const said = onHost('n2', 'sh', '-c',
                      `ss -Hltn 'sport = :${port}' | awk '{print $4}'`);
  assert.equal(said.trim(), `10.77.0.12:${port}`);
});

test('end: nothing of the job is left on either node', async () => {
  await call(page, 'JobService/StopJob', {jobId: job.id});
  for (const node of ['n1', 'n2']) {
    await waitFor(`${node} has nothing of the job`, () => spawnSync(
        ...hostCommand(node, 'test', '-e',
                       `/run/carme/jobs/${job.slurmJobId}`)).status === 1);
    assert.equal(spawnSync(...hostCommand(
        node, 'pgrep', '-u', 'bob', '-f', `jobs/${job.slurmJobId}/`)).status,
                 1);
  }
});
