// What a job in an environment of its user's (EDF) can see and reach of what is
// not its own: the promises of isolation.test.mjs, for the runtime that has no
// container around it.
import assert from 'node:assert/strict';
import {spawn, spawnSync} from 'node:child_process';
import {after, before, test} from 'node:test';

import {hostCommand, onHost, waitFor} from '../support/demo.mjs';
import {Client, streamOf} from '../support/portal.mjs';

const people = {ada: new Client(), bob: new Client()};
const streams = {}, jobs = {};
let adas, bobs, node;

// As one of the job's own tasks of srun: in its control groups and in its
// environment.
const task = (job, script) => hostCommand(
    'head', 'runuser', '-u', job.owner, '--', 'env',
    `CARME_JOIN_ENVIRONMENT=/run/carme/jobs/${job.slurmJobId}/environment.pid`,
    'srun', '--quiet', `--jobid=${job.slurmJobId}`, '--overlap', '-n1',
    '--chdir=/', 'sh', '-c', script);
const inside = (job, script) =>
    spawnSync(...task(job, script), {encoding: 'utf8', input: ''});
function said(run) {
  assert.equal(run.status, 0, run.stderr);
  return run.stdout.trim();
}
const python = (text) => `python3 -c '${text}'`;

async function start(owner) {
  const {status, body} = await people[owner].call('JobService/SubmitJob', {
    spec: {gpusPerNode: 1, gpuType: 'h200', cpusPerNode: 1,
           memoryPerNodeMib: '1024', walltime: '900s', app: 'shell',
           environment: 'base', name: 'isolation'},
  });
  assert.equal(status, 200, JSON.stringify(body));
  jobs[owner] = body.job;
}
async function ready(owner) {
  const {id} = jobs[owner];
  await streams[owner].until(id, 'JOB_STATE_READY');
  jobs[owner] =
      (await people[owner].call('JobService/GetJob', {jobId: id})).body.job;
  assert.equal(jobs[owner].state, 'JOB_STATE_READY', jobs[owner].reason);
}
async function stop(owner) {
  const {id} = jobs[owner];
  await people[owner].call('JobService/StopJob', {jobId: id});
  await streams[owner].until(id, 'JOB_STATE_ENDED');
}

before(async () => {
  for (const name of ['ada', 'bob']) {
    await people[name].resume(name);
    streams[name] = streamOf(people[name]);
    await start(name);
  }
  for (const name of ['ada', 'bob']) await ready(name);
  ({ada: adas, bob: bobs} = jobs);
  node = adas.nodes[0];
  assert.equal(node, bobs.nodes[0]);
});
after(async () => {
  await Promise.all(Object.keys(jobs).map(stop));
  for (const stream of Object.values(streams)) stream.close();
});

test('identity: the user, in the image, without more rights', () => {
  const seen = said(inside(bobs, '. /etc/os-release; echo $VERSION_ID; id -un; ' +
                                 'grep NoNewPrivs /proc/self/status'));
  assert.match(seen, /^13\nbob\nNoNewPrivs:\s+1$/);
  for (const act of ['mount -t tmpfs none /mnt', 'chroot / id',
                     'nsenter -t 1 -m id', 'umount -l /proc']) {
    assert.notEqual(inside(bobs, act).status, 0, act);
  }
});

test('GPUs: a job sees and opens its own and no other', () => {
  const listed = {};
  for (const job of [adas, bobs]) {
    listed[job.owner] = said(inside(job, 'ls /dev/carmegpu*'));
    assert.equal(listed[job.owner].split('\n').length, 1);
    said(inside(job, `: < ${listed[job.owner]}`));
  }
  assert.notEqual(listed.ada, listed.bob);
  const [major, minor] = onHost(node, 'stat', '-c', '%Hr %Lr', listed.ada)
      .trim().split(' ');
  for (const make of [
    `mknod /tmp/stolen c ${major} ${minor}`,
    `unshare --user --map-root-user mknod /tmp/stolen c ${major} ${minor}`,
  ]) {
    assert.notEqual(inside(bobs, make).status, 0, make);
  }
});

test('cores: a job runs on its own', () => {
  const cores = (job, more = '') => said(inside(job, python(`
import os
${more}
print(sorted(os.sched_getaffinity(0)))`)));
  const own = cores(bobs);
  assert.equal(JSON.parse(own).length, 1);
  assert.notEqual(own, cores(adas));
  assert.equal(
      cores(bobs, 'os.sched_setaffinity(0, range(os.cpu_count()))'), own);
});

test('processes: another user\'s are not seen, signalled or read', () => {
  const owners = inside(bobs, 'stat -c %U /proc/[0-9]* | sort -u');
  assert.equal(owners.stdout.trim(), 'bob');
  for (const pid of onHost(node, 'pgrep', '-u', 'ada').trim().split('\n')) {
    for (const act of [`test -e /proc/${pid}`, `kill -0 ${pid}`,
                       `head -c1 /proc/${pid}/environ`,
                       `nsenter -t ${pid} -m true`]) {
      assert.notEqual(inside(bobs, act).status, 0, act);
    }
  }
});

test('files: of the node and of others are invisible', () => {
  said(inside(adas, 'echo secret | tee /tmp/mine /dev/shm/mine /var/tmp/mine'));
  for (const place of ['/tmp', '/dev/shm', '/var/tmp']) {
    assert.notEqual(inside(bobs, `test -e ${place}/mine`).status, 0, place);
    assert.equal(onHost(node, 'sh', '-c',
                        `test -e ${place}/mine && echo seen || true`), '');
  }
  assert.equal(said(inside(bobs, 'ls /home')), 'bob');
  assert.equal(said(inside(bobs, 'ls /run/carme/jobs')),
               String(bobs.slurmJobId));
  for (const path of ['/etc/munge', '/etc/slurm', '/etc/carme', '/run/munge',
                      '/run/dbus', '/run/user', '/var/spool/slurmd']) {
    assert.notEqual(inside(bobs, `test -e ${path}`).status, 0, path);
  }
});

test('files: no closed directory of another is an image', () => {
  onHost('head', 'sh', '-c',
         'install -d -o ada -g ada -m 755 /home/ada/open && ' +
         'install -o ada -g ada -m 644 /etc/hostname /home/ada/open/file');
  const id = adas.slurmJobId;
  for (const image of ['/home/ada', '/home/ada/open', `/run/carme/jobs/${id}`,
                       `/run/disk/scratch/${id}`,
                       `/run/disk/scratch/${id}/var_tmp`]) {
    const text = `image = "${image}"\nworkdir = "/"\nmounts = ["/usr:/usr", ` +
        '"/usr/bin:/bin", "/usr/lib:/lib", "/usr/lib64:/lib64"]\n';
    spawnSync(...hostCommand('head', 'runuser', '-u', 'bob', '--', 'tee',
                             '/home/bob/attack.toml'), {input: text});
    const run = spawnSync(...hostCommand(
        'head', 'runuser', '-u', 'bob', '--', 'srun', '--quiet',
        `--jobid=${bobs.slurmJobId}`, '--overlap', '-n1', '--chdir=/',
        '--environment=/home/bob/attack.toml', 'ls', '-aR', '/'),
                          {encoding: 'utf8', input: ''});
    assert.notEqual(run.status, 0, image);
    assert.equal(run.stdout, '', image);
    assert.match(run.stderr, /Permission denied/, image);
  }
});

test('sockets: no app of another job can be reached', () => {
  const sockets = (job) => onHost(node, 'sh', '-c',
      `ls /run/carme/jobs/${job.slurmJobId}/*.sock`).trim().split('\n');
  const connect = (path) => python(`
import socket
socket.socket(socket.AF_UNIX).connect("${path}")`);
  const [own] = sockets(bobs).filter((path) => /shell/.test(path));
  said(inside(bobs, connect(own)));
  for (const path of sockets(adas)) {
    assert.notEqual(inside(bobs, connect(path)).status, 0, path);
  }
});

test('shared memory: only the tasks of a job share it', () => {
  const shmget = (size, flags) => python('import ctypes; ' +
      `print(ctypes.CDLL(None).shmget(0xCA2F, ${size}, ${flags}))`);
  assert.notEqual(said(inside(adas, shmget(4096, '0o1666'))), '-1');
  assert.notEqual(said(inside(adas, shmget(0, 0))), '-1');
  assert.equal(said(inside(bobs, shmget(0, 0))), '-1');
  assert.doesNotMatch(onHost(node, 'cat', '/proc/sysvipc/shm'),
                      new RegExp(`^ *${0xCA2F} `, 'm'));
});

test('join: a user cannot join another\'s environment', () => {
  const pid = onHost(node, 'cat', `/run/carme/jobs/${adas.slurmJobId}/` +
                                  'environment.pid').trim();
  said(inside(bobs, `echo ${pid} > /run/carme/jobs/${bobs.slurmJobId}/other`));
  const [program, words] = task(bobs, 'echo joined');
  const other = words.map((word) => word.replace('environment.pid', 'other'));
  const run = spawnSync(program, other, {encoding: 'utf8', input: ''});
  assert.equal(run.stdout, '');
  assert.match(run.stderr, /cannot open the environment of process \d+/);
});

test('a program does not outlive its job, however it detaches',
     async () => {
       const letsGo = spawn(...task(bobs, 'nohup sleep 7001 > /dev/null 2>&1 & ' +
           'setsid -f sleep 7002 > /dev/null 2>&1 < /dev/null; ' +
           'unshare --user --map-root-user --pid --fork sleep 7003 & ' +
           'sleep 600'), {stdio: 'ignore'});
       await waitFor('all of them run', () => {
         const running = onHost(node, 'pgrep', '-u', 'bob', '-a', 'sleep');
         return [1, 2, 3].every((n) => running.includes(`700${n}`));
       });
       await stop('bob');
       await waitFor('nothing of bob\'s is left on the node', () => spawnSync(
           ...hostCommand(node, 'pgrep', '-u', 'bob')).status === 1);
       letsGo.kill();
       const {body} = await people.ada.call('JobService/GetJob',
                                            {jobId: adas.id});
       assert.equal(body.job.state, 'JOB_STATE_READY');
       delete jobs.bob;
     });
