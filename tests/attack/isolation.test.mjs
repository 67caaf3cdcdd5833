// What a job can see and reach of what is not its own: another user's job on
// the same node, and another job of its own user there. Each sentence of the
// promise is one test, tried from within real jobs.
import assert from 'node:assert/strict';
import {spawn, spawnSync} from 'node:child_process';
import {after, before, test} from 'node:test';

import {hostCommand, onHost, waitFor} from '../support/demo.mjs';
import {Client, streamOf} from '../support/portal.mjs';

// ada and bob share node n1; ada's other two share n2.
const people = {ada: new Client(), bob: new Client()};
const streams = {}, jobs = {};
let adas, bobs, twin;

const commandAs = (user, host, ...command) =>
    hostCommand(host, 'runuser', '-u', user, '--', ...command);
const as = (...words) =>
    spawnSync(...commandAs(...words), {encoding: 'utf8', input: ''});

// In the job, on its node, outside of its image; the job's cgroups hold it.
const step = (job, ...command) => [
  job.owner, 'head', 'srun', '--quiet', `--jobid=${job.slurmJobId}`,
  '--overlap', '-n1', '--chdir=/', ...command];
const inJob = (...words) => as(...step(...words));

// As a program of the job's apps: in its image, through the namespaces of the
// first process there.
function imageStep(job, script) {
  const init = onHost(job.nodes[0], 'pgrep', '-o', '-u', job.owner, '-f',
      `^/.carme/programs/carme-init .*/jobs/${job.slurmJobId}/`).trim();
  return step(job, 'nsenter', '--target', init, '--user',
              '--preserve-credentials', '--mount', '--pid', '--ipc', '--root',
              '--wd', 'env', '-i', 'PATH=/usr/bin:/bin', 'sh', '-c', script);
}
const inImage = (...words) => as(...imageStep(...words));
// Where the demo's agent.toml has it.
const scratch = '/run/disk/scratch';

function said(run) {
  assert.equal(run.status, 0, run.stderr);
  return run.stdout.trim();
}
const lines = (run) => said(run).split('\n').filter(Boolean);

// Device files of GPUs that a process can open; it may look anywhere.
const openable = ['python3', '-c', `
import glob, os
for path in sorted(glob.glob('/dev/carmegpu*')):
    try:
        os.close(os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY))
        print(path)
    except OSError:
        pass`];

async function start(name, owner, gpuType) {
  const person = people[owner];
  const {status, body} = await person.call('JobService/SubmitJob', {spec: {
    gpusPerNode: 1, gpuType, cpusPerNode: 1, memoryPerNodeMib: '1024',
    walltime: '900s', app: 'shell', name,
  }});
  assert.equal(status, 200, JSON.stringify(body));
  jobs[name] = body.job;
}
async function ready(name) {
  const {id, owner} = jobs[name];
  await streams[owner].until(id, 'JOB_STATE_READY');
  jobs[name] =
      (await people[owner].call('JobService/GetJob', {jobId: id})).body.job;
  assert.equal(jobs[name].state, 'JOB_STATE_READY', jobs[name].reason);
}
const stop = async (job) => {
  await people[job.owner].call('JobService/StopJob', {jobId: job.id});
  await streams[job.owner].until(job.id, 'JOB_STATE_ENDED');
};
const job = async ({owner, id}) =>
    (await people[owner].call('JobService/GetJob', {jobId: id})).body.job;

before(async () => {
  for (const name of ['ada', 'bob']) {
    await people[name].resume(name);
    streams[name] = streamOf(people[name]);
  }
  await start('adas', 'ada', 'h200');
  await start('bobs', 'bob', 'h200');
  await start('first', 'ada', 'a100');
  await start('second', 'ada', 'a100');
  for (const name of Object.keys(jobs)) await ready(name);
  ({adas, bobs} = jobs);
  twin = [jobs.first, jobs.second];
  assert.equal(adas.nodes[0], bobs.nodes[0]);
  assert.equal(twin[0].nodes[0], twin[1].nodes[0]);
});
after(async () => {
  await Promise.all(Object.values(jobs).map(stop));
  for (const stream of Object.values(streams)) stream.close();
});

test('GPUs: a job can open its own and no other', () => {
  const adasGpus = lines(inJob(adas, ...openable));
  const bobsGpus = lines(inJob(bobs, ...openable));
  assert.equal(adasGpus.length, 1);
  assert.equal(bobsGpus.length, 1);
  assert.notEqual(adasGpus[0], bobsGpus[0]);
});

test('GPUs: in its image a job finds its own listed and no other', () => {
  for (const one of [adas, bobs]) {
    assert.deepEqual(lines(inImage(one, 'ls /dev/carmegpu*')),
                     lines(inJob(one, ...openable)));
  }
});

test('GPUs: a user cannot create a device file', () => {
  // The number of a GPU that is not bob's, from the node itself.
  const [bobsOwn] = lines(inJob(bobs, ...openable));
  const other = onHost(bobs.nodes[0], 'sh', '-c',
      `ls /dev/carmegpu* | grep -v ${bobsOwn}`).trim();
  const [major, minor] = onHost(
      bobs.nodes[0], 'stat', '-c', '%Hr %Lr', other).trim().split(' ');
  for (const make of [
    `mknod /tmp/stolen c ${major} ${minor}`,
    `unshare --user --map-root-user mknod /tmp/stolen c ${major} ${minor}`,
  ]) {
    assert.notEqual(inImage(bobs, make).status, 0, make);
    assert.notEqual(inJob(bobs, 'sh', '-c', make).status, 0, make);
  }
});

test('GPUs: a job that asked for none can open none', async () => {
  // A core of the node has to be free for it.
  await stop(jobs.second);
  const run = as('ada', 'head', 'srun', '--quiet', '-n1', '-w',
                 twin[0].nodes[0], '-C', 'carme', '--mem=100', '--chdir=/',
                 ...openable);
  assert.deepEqual(lines(run), []);
  await start('second', 'ada', 'a100');
  await ready('second');
  twin[1] = jobs.second;
  assert.equal(twin[0].nodes[0], twin[1].nodes[0]);
});

const cores = (one, before = '') => said(inJob(one, 'python3', '-c', `
import os
${before}
print(sorted(os.sched_getaffinity(0)))`));

test('cores: a job cannot leave its own cores', () => {
  const own = cores(adas);
  assert.equal(JSON.parse(own).length, 1);
  assert.notEqual(own, cores(bobs));
  const everything = 'os.sched_setaffinity(0, range(os.cpu_count()))';
  assert.equal(cores(adas, everything), own);
});

test('processes: in its image a job sees its own, and none of its user\'s ' +
     'other job', () => {
  const everything = `cat /proc/[0-9]*/cmdline | tr '\\0' ' '`;
  const seen = said(inImage(twin[0], everything));
  assert.match(seen, new RegExp(`jobs/${twin[0].slurmJobId}/init.sock`));
  assert.doesNotMatch(seen, new RegExp(`jobs/${twin[1].slurmJobId}/`));
  const owners = inImage(bobs, 'stat -c %U /proc/[0-9]*');
  assert.deepEqual([...new Set(owners.stdout.trim().split('\n'))], ['bob']);
});

test('processes: another user\'s can be neither signalled nor traced', () => {
  const pids =
      onHost(adas.nodes[0], 'pgrep', '-u', 'ada').trim().split('\n');
  assert.ok(pids.length > 0);
  for (const pid of pids) {
    assert.notEqual(inJob(bobs, 'kill', '-0', pid).status, 0);
    assert.notEqual(
        inJob(bobs, 'nsenter', '-t', pid, '-m', 'true').status, 0);
  }
});

test('/tmp: a file of one job is in no other job and not on the node', () => {
  const name = `/tmp/mine-${twin[0].id}`;
  said(inImage(twin[0], `echo secret > ${name}; test -s ${name}`));
  assert.notEqual(inImage(twin[1], `test -e ${name}`).status, 0);
  assert.equal(onHost(twin[0].nodes[0], 'sh', '-c',
                      `test -e ${name} && echo seen || true`), '');
  for (const place of ['/tmp', '/var/tmp', '/dev/shm']) {
    assert.equal(said(inImage(twin[1], `ls -A ${place} | wc -l`)), '0', place);
  }
});

test('scratch: the directory of another job is out of sight or closed', () => {
  const {slurmJobId} = twin[0];
  assert.equal(said(inImage(twin[1], 'ls /run/carme/jobs')),
               String(twin[1].slurmJobId));
  for (const place of ['/run/carme/jobs', scratch]) {
    const directory = `${place}/${adas.slurmJobId}`;
    assert.equal(onHost(adas.nodes[0], 'stat', '-c', '%U', directory).trim(),
                 'ada');
    assert.notEqual(inJob(bobs, 'ls', directory).status, 0, directory);
  }
  assert.notEqual(
      inImage(twin[1], `ls /run/carme/jobs/${slurmJobId}`).status, 0);
});

test('sockets: no app of another job can be reached', () => {
  const listening = (one) => onHost(one.nodes[0], 'sh', '-c',
      `ls /run/carme/jobs/${one.slurmJobId}/*.sock`).trim().split('\n');
  const connect = (path) => `python3 -c "
import socket
socket.socket(socket.AF_UNIX).connect('${path}')"`;
  const [own] = listening(twin[1]).filter((path) => /shell/.test(path));
  said(inImage(twin[1], connect(own)));
  for (const path of listening(twin[0])) {
    assert.notEqual(inImage(twin[1], connect(path)).status, 0, path);
  }
  for (const path of listening(adas)) {
    assert.notEqual(inJob(bobs, 'sh', '-c', connect(path)).status, 0, path);
    assert.notEqual(inImage(bobs, connect(path)).status, 0, path);
  }
});

test('environment: that of another job cannot be read', () => {
  const pids = onHost(adas.nodes[0], 'pgrep', '-u', 'ada').trim().split('\n');
  for (const pid of pids) {
    assert.notEqual(
        inJob(bobs, 'head', '-c1', `/proc/${pid}/environ`).status, 0);
  }
  const ids = said(inImage(twin[1],
      `cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep ^SLURM_JOB_ID= | ` +
      'sort -u'));
  assert.equal(ids, `SLURM_JOB_ID=${twin[1].slurmJobId}`);
});

test('shared memory and queues: those of another job are not there', () => {
  const make = 'import ctypes; libc = ctypes.CDLL(None); ' +
      'print(libc.shmget(0xCA2E, 4096, 0o1666))';
  said(inImage(twin[0], `python3 -c '${make}'`));
  assert.equal(said(inImage(twin[1],
      `python3 -c 'import ctypes; ` +
      `print(ctypes.CDLL(None).shmget(0xCA2E, 0, 0))'`)), '-1');
});

test('control groups: a job cannot leave its own or widen it', () => {
  const out = inJob(bobs, 'sh', '-c', `
echo "$(find /sys/fs/cgroup -name cgroup.procs | wc -l)" >&2
for file in $(find /sys/fs/cgroup -name cgroup.procs -o -name tasks); do
  { echo $$ > "$file"; } 2> /dev/null && echo "left by $file"
done
for file in $(find /sys/fs/cgroup -name memory.limit_in_bytes \\
    -o -name memory.max -o -name devices.allow -o -name cpuset.cpus); do
  { echo 0 > "$file"; } 2> /dev/null && echo "widened by $file"
done; true`);
  assert.equal(said(out), '');
  assert.ok(Number(out.stderr) > 0, out.stderr);
});

test('Slurm: variables and user namespaces do not change a user',
     () => {
       const {slurmJobId: theirs} = adas;
       const fake = ['env', 'USER=ada', 'LOGNAME=ada', 'SLURM_JOB_USER=ada',
                     'SLURM_JOB_UID=20001', 'SLURM_UID=20001'];
       const root = ['unshare', '--user', '--map-root-user'];
       const acts = [
         ['scancel', `${theirs}`],
         ['scancel', '--user=ada'],
         ['scontrol', 'requeue', `${theirs}`],
         ['scontrol', 'update', `jobid=${theirs}`, 'timelimit=1'],
         ['scontrol', 'suspend', `${theirs}`],
         ['srun', `--jobid=${theirs}`, '--overlap', '-n1', 'id'],
         ['sbatch', '--uid=ada', '--wrap', 'id'],
         ['scontrol', 'update', 'nodename=n1', 'state=drain', 'reason=bob'],
       ];
       for (const how of [[], fake, root]) {
         // Slurm can be asked, so what follows is its answer.
         said(inJob(bobs, ...how, 'squeue', '-h'));
         for (const act of acts) {
           const run = inJob(bobs, ...how, ...act);
           // A bulk scancel prints nothing if it matches no job of the user.
           if (act[1] === '--user=ada') continue;
           assert.notEqual(run.status, 0, [...how, ...act].join(' '));
         }
       }
       assert.match(onHost('head', 'squeue', '-h', '-o', '%T', '-j',
                           `${theirs}`), /RUNNING/);
       assert.equal(onHost('head', 'squeue', '-h', '-t', 'pending'), '');
     });

test('Slurm: its key is out of a job\'s reach', () => {
  for (const path of ['/etc/munge/munge.key', '/run/munge/seed']) {
    assert.notEqual(inJob(bobs, 'head', '-c1', path).status, 0, path);
  }
});

test('timers: no daemon of the node that starts things later can be asked',
     () => {
       const found = inImage(bobs, `ls -d /var/spool/cron/crontabs/* \
/var/spool/cron/atjobs /run/user/* /run/systemd/private \
/run/dbus/system_bus_socket 2> /dev/null; true`);
       assert.equal(said(found), '');
     });

test('memory: a job above its limit affects only itself', async () => {
  const agents = () =>
      onHost(adas.nodes[0], 'pgrep', '-u', 'ada', 'carme-(agent|init)');
  const before = agents();
  const greedy = inJob(bobs, 'python3', '-c',
                       'print(len(b"x" * (3 << 30)))');
  assert.match(greedy.stderr, /oom|kill|memory/i);
  assert.equal(agents(), before);
  assert.equal((await job(adas)).state, 'JOB_STATE_READY');
});

test('scratch: a full one does not affect the disk or other jobs',
     () => {
       const kib = () => Number(onHost(bobs.nodes[0], 'du', '-k',
           `${scratch}/${bobs.slurmJobId}.image`).split('\t')[0]);
       const before = kib();
       const fill = inImage(bobs, 'head -c 3G /dev/zero > /tmp/full');
       assert.match(fill.stderr, /No space left/);
       // It was taken from the disk when the job began, but for what the file
       // system zeroes as it goes.
       const some = 64 << 10;
       assert.ok(before > (1 << 20) - some, `${before} KiB`);
       assert.ok(kib() < before + some, `${before} KiB, then ${kib()}`);
       said(inImage(adas, 'head -c 100M /dev/zero > /tmp/mine'));
       said(inImage(bobs, 'rm /tmp/full'));
     });

test('a program does not outlive its job, however it detaches',
     async () => {
       const node = bobs.nodes[0];
       const lettingGo = `
import os, signal, time
def daemon(tag):
    if os.fork():
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    for number in range(1, 32):
        if number not in (signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD):
            signal.signal(number, signal.SIG_IGN)
    os.closerange(0, 3)
    os.execvp('sleep', ['sleep', tag])
daemon('7001')
if not os.fork():               # a new process again and again
    while True:
        if os.fork():
            time.sleep(0.2)
            os._exit(0)
        os.setsid()
os.system('nohup sleep 7002 > /dev/null 2>&1 &')
os.system('setsid sleep 7003 > /dev/null 2>&1 < /dev/null &')
os.system('unshare --user --map-root-user --pid --fork sleep 7004 '
          '> /dev/null 2>&1 &')
time.sleep(600)`;
       const steps = [
         step(bobs, 'python3', '-c', lettingGo),
         imageStep(bobs, 'nohup sleep 7005 > /dev/null 2>&1 & ' +
                         'setsid sleep 7006 > /dev/null 2>&1 & sleep 600'),
       ].map((words) => spawn(...commandAs(...words), {stdio: 'ignore'}));
       await waitFor('all of them run', () => {
         const run = as('root', node, 'pgrep', '-u', 'bob', '-a', 'sleep');
         return [1, 2, 3, 4, 5, 6].every(
             (n) => run.stdout.includes(`700${n}`));
       });
       await stop(bobs);
       await waitFor('nothing of bob\'s is left on the node', () =>
           as('root', node, 'pgrep', '-u', 'bob').status === 1);
       for (const one of steps) one.kill();
       assert.equal((await job(adas)).state, 'JOB_STATE_READY');
     });

const isUp = (node) =>
    !/drain|down|fail/i.test(onHost('head', 'sinfo', '-h', '-n', node, '-o', '%T'));

test('hooks: a job of Slurm\'s without the feature is left alone', async () => {
  const node = adas.nodes[0];
  const before = onHost(node, 'ls', '/run/carme/jobs', scratch);
  const run = as('eve', 'head', 'srun', '--quiet', '-n1', '-w', node,
                 '--mem=100', '--chdir=/', 'ls', '/run/carme/jobs', scratch);
  assert.equal(run.stdout, before, run.stderr);
});

test('hooks: a failure fails the job with a reason, not the node',
     async () => {
       const node = adas.nodes[0];
       const {owner} = bobs;
       // As a full disk, or an administrator's mistake, would have it.
       onHost(node, 'chmod', 'o+w', scratch);
       try {
         await start('unlucky', owner, 'h200');
         const {id} = jobs.unlucky;
         await streams[owner].until(id, 'JOB_STATE_ENDED');
         const ended = await job(jobs.unlucky);
         assert.equal(ended.end, 'JOB_END_FAILED');
         assert.match(ended.reason, /writable by root alone/);
         assert.ok(isUp(node));
       } finally {
         onHost(node, 'chmod', 'o-w', scratch);
       }
       await start('lucky', owner, 'h200');
       await ready('lucky');
       assert.ok(isUp(node));
       assert.equal((await job(adas)).state, 'JOB_STATE_READY');
     });
