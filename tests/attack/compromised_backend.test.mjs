// The backend is compromised: an attacker runs as its user and uses the sockets of
// the root programs. What the table of operations does not allow must not run.
import assert from 'node:assert/strict';
import {before, test} from 'node:test';

import {decode, encode} from '../support/contract.mjs';
import {onHost, waitFor} from '../support/demo.mjs';
import {askImpersonator, askStorageReader, frame} from '../support/intruder.mjs';

const file = 'carme/privileged/v1/privileged.proto';
const message = (name, text) => encode(file, `carme.privileged.v1.${name}`, text);
const uidOf = (user) => Number(onHost('head', 'id', '-u', user));
const id = 'atk' + 'a'.repeat(13);
let ada;
before(() => ada = uidOf('ada'));

function submission({user = 'ada', uid = ada, ...changes} = {}) {
  const spec = {carme_job_id: `"${id}"`, name: '"attack"',
                partition: `"${partition()}"`, nodes: 1, cpus_per_node: 1,
                memory_per_node_mib: 100, walltime_min: 1, ...changes};
  const fields = Object.entries(spec).map(([key, value]) => `${key}: ${value}`);
  return message('Request', `request_id: "attack" user: "${user}" uid: ${uid}
                             submit { ${fields.join(' ')} }`);
}
const partition = () =>
    onHost('head', 'sinfo', '-h', '-o', '%R').trim().split('\n')[0];
const commit = () => message('Commit', `carme_job_id: "${id}"`);
const outcome = (answer) => Buffer.isBuffer(answer) && answer.length > 0 ?
    /outcome: (\w+)/.exec(decode(file, 'carme.privileged.v1.Response',
                                 answer))?.[1] :
    String(answer);
const jobs = () =>
    onHost('head', 'squeue', '-h', '-o', '%A %u %k').trim().split('\n');
const newSince = (before) =>
    jobs().filter((job) => job && !before.includes(job));

// Refused, and nothing came of it; what was there before may have ended.
function refused(request) {
  const before = jobs();
  const [answer] = askImpersonator([[frame(request)]]);
  assert.equal(outcome(answer), 'OUTCOME_REFUSED');
  assert.deepEqual(newSince(before), []);
}

test('uid 0: refused', () => refused(submission({user: 'root', uid: 0})));
test('a service account below min_uid: refused',
     () => refused(submission({user: 'daemon', uid: uidOf('daemon')})));
test('a user outside the group: refused',
     () => refused(submission({user: 'eve', uid: uidOf('eve')})));
test('a name with the uid of another: refused',
     () => refused(submission({user: 'ada', uid: uidOf('bob')})));
test('a user who does not exist: refused',
     () => refused(submission({user: 'nobody-here', uid: 20999})));

for (const [what, changes] of [
  ['a job id that climbs out', {carme_job_id: '"../../etc/cron"'}],
  ['a job id with a line break', {carme_job_id: '"aaaaaaaaaaaaaaa\\n"'}],
  ['a name that ends the quotes', {name: '"\';touch /tmp/x;\'\\n#!"'}],
  ['a partition that is an option', {partition: '"--uid=root"'}],
  ['a gpu type that is a sentence', {gpu_type: '"a100 --uid=0"',
                                     gpus_per_node: 1}],
  ['minus one node', {nodes: -1}],
  ['a walltime beyond all bounds', {walltime_min: 2147483647}],
]) {
  test(`${what}: refused`, () => refused(submission(changes)));
}

test('invalid requests do nothing, and the next request is served',
     () => {
       const noise = Buffer.from([0xff, 0xff, 0xff, 0xff, 1, 2, 3]);
       const answers = askImpersonator(
           [[noise], [frame(Buffer.alloc(1000, 0x5a))], [frame(submission(
               {user: 'root', uid: 0}))]]);
       assert.equal(outcome(answers[2]), 'OUTCOME_REFUSED');
     });

test('a submission that was only prepared: nothing runs', () => {
  const before = jobs();
  const [answer] = askImpersonator([[frame(submission()),
                                     frame(message('Commit', 'carme_job_id: "b"'))]]);
  assert.notEqual(outcome(answer), 'OUTCOME_OK');
  assert.deepEqual(newSince(before), []);
});

test('a script of one\'s own: there is no field for it; Carme\'s runs', async () => {
  // Fields that no message knows: number 15 of the request and of the
  // submission's end, each a script.
  const script = Buffer.from('#!/bin/sh\nid > /tmp/own-script\n');
  const unknown = Buffer.concat([Buffer.from([0x7a, script.length]), script]);
  const [answer] = askImpersonator(
      [[frame(Buffer.concat([submission(), unknown])), frame(commit())]]);
  if (outcome(answer) === 'OUTCOME_REFUSED') return;
  assert.equal(outcome(answer), 'OUTCOME_OK');
  const job = /slurm_job_id: (\d+)/.exec(
      decode(file, 'carme.privileged.v1.Response', answer))[1];
  const text = onHost('head', 'scontrol', 'write', 'batch_script', job, '-');
  assert.match(text, new RegExp(
      `^#!/bin/sh\\n# carme-job ${id}\\nexport CARME_REQUEST_ID=[\\w-]{1,64}\\nexec \\S*carme-agent --config \\S+\\n+$`));
  const shown = onHost('head', 'scontrol', 'show', 'job', job);
  assert.match(shown, /UserId=ada\(/);
  onHost('head', 'scancel', job);
  await waitFor('the job is gone', () => !jobs().some((one) => one.startsWith(`${job} `)));
});

test('jobs that are not Carme\'s, or not this user\'s: not touched', () => {
  const job = /\d+/.exec(onHost('head', 'runuser', '-u', 'ada', '--', 'sbatch',
                                '-D', '/tmp', '-o', '/dev/null', '--wrap',
                                'sleep 600'))[0];
  const cancel = (user, uid) => message('Request', `
      request_id: "attack" user: "${user}" uid: ${uid}
      cancel { slurm_job_id: ${job} carme_job_id: "${id}" }`);
  const change = (user, uid) => message('Request', `
      request_id: "attack" user: "${user}" uid: ${uid}
      update { slurm_job_id: ${job} carme_job_id: "${id}" name: "taken" }`);
  const answers = askImpersonator([[frame(cancel('ada', ada))],
                                   [frame(cancel('bob', uidOf('bob')))],
                                   [frame(change('ada', ada))],
                                   [frame(change('bob', uidOf('bob')))]]);
  assert.deepEqual(answers.map(outcome), Array(4).fill('OUTCOME_REFUSED'));
  assert.match(onHost('head', 'squeue', '-h', '-j', job, '-o', '%T'),
               /PENDING|CONFIGURING|RUNNING/);
  onHost('head', 'scancel', job);
});

const reservations = () =>
    onHost('head', 'sh', '-c', 'scontrol -o show reservation || true');
const resv = `carme-${id}`;
// For operations that run as SlurmUser.
const operation = (act, {user = 'ada', uid = ada} = {}) => message(
    'Request', `request_id: "attack" user: "${user}" uid: ${uid} ${act}`);
function reserve(changes = {}) {
  const spec = {name: `"${resv}"`, partition: `"${partition()}"`, nodes: 1,
                start_unix_s: Math.floor(Date.now() / 1000) + 40 * 86400,
                minutes: 10, users: '["ada", "bob"]', ...changes};
  const fields = Object.entries(spec).map(([key, value]) => `${key}: ${value}`);
  return `reserve { ${fields.join(' ')} }`;
}
function nothingReserved(wanted, requests) {
  const before = reservations();
  // One after the other: each of a user's has to wait for the one before.
  const answers = requests.map(
      (request) => outcome(askImpersonator([[frame(request)]])[0]));
  assert.deepEqual(answers, requests.map(() => wanted));
  assert.equal(reservations(), before);
}

test('reservations above the limits, or for another user: refused',
     () => nothingReserved('OUTCOME_REFUSED', [
       reserve({name: '"maintenance"'}), reserve({name: '"carme-../../x"'}),
       reserve({nodes: 1000}), reserve({minutes: 500000}),
       reserve({start_unix_s: 1}), reserve({start_unix_s: 4000000000}),
       reserve({partition: '"no-such"'}), reserve({users: '["bob", "ada"]'}),
       reserve({users: '["root,ada"]'}), reserve({users: '["ada", "-bob"]'}),
       reserve({users: `[${Array(201).fill('"ada"')}]`}),
     ].map((act) => operation(act))));
test('a maintenance reservation of the whole cluster by a user: refused',
     () => nothingReserved('OUTCOME_REFUSED', [operation(
         `reserve_for_maintenance { name: "${resv}" start_unix_s: 4000000000 }`,
     )]));
test('a node drained by a user: refused', () => {
  const drain = operation(
      'set_node_state { nodes: "n1" action: NODE_ACTION_DRAIN reason: "x" }');
  assert.equal(outcome(askImpersonator([[frame(drain)]])[0]),
               'OUTCOME_REFUSED');
  assert.doesNotMatch(onHost('head', 'scontrol', '-o', 'show', 'node', 'n1'),
                      /DRAIN/);
});
test('a reservation that does not exist: not changed and not created',
     () => nothingReserved('OUTCOME_NOT_FOUND',
                           [operation(reserve({users_only: true}))]));
test('nodes reserved by a user outside of Carme: refused',
     () => nothingReserved('OUTCOME_REFUSED', [
       operation(reserve({users: '["root"]'}), {user: 'root', uid: 0}),
       operation(reserve({users: '["eve"]'}), {user: 'eve', uid: uidOf('eve')}),
     ]));

test('reservations of others and of administrators: not ended, not changed', () => {
  const make = (name, users) => onHost(
      'head', 'scontrol', 'create', 'reservation', `reservationname=${name}`,
      'starttime=now+40days', 'duration=10', 'nodecnt=1', `users=${users}`);
  const own = 'attacked', adas = 'carme-' + 'b'.repeat(16);
  make(own, 'ada');
  make(adas, 'ada,bob');
  try {
    const asBob = {user: 'bob', uid: uidOf('bob')};
    nothingReserved('OUTCOME_REFUSED', [
      operation(`unreserve { name: "${own}" }`),
      operation(`unreserve { name: "${adas}" }`, asBob),
      operation(reserve({name: `"${adas}"`, users: '["bob"]',
                         users_only: true}), asBob),
    ]);
  } finally {
    for (const name of [own, adas]) {
      onHost('head', 'scontrol', 'delete', 'reservation', name);
    }
  }
});

test('more time for a job that is not Carme\'s: refused', () => {
  const job = /\d+/.exec(onHost('head', 'runuser', '-u', 'ada', '--', 'sbatch',
                                '-D', '/tmp', '-o', '/dev/null', '-t', '10',
                                '--wrap', 'sleep 600'))[0];
  for (const who of [{}, {user: 'bob', uid: uidOf('bob')}]) {
    const [answer] = askImpersonator([[frame(operation(
        `extend { slurm_job_id: ${job} carme_job_id: "${id}" walltime_min: 60 }`,
        who))]]);
    assert.equal(outcome(answer), 'OUTCOME_REFUSED');
  }
  assert.match(onHost('head', 'squeue', '-h', '-j', job, '-o', '%l'), /^10:00/);
  onHost('head', 'scancel', job);
});

function logRequest({user = 'ada', uid = ada, ...changes} = {}) {
  const read = {carme_job_id: `"${id}"`, max_bytes: 100, ...changes};
  const fields = Object.entries(read).map(([key, value]) => `${key}: ${value}`);
  return message('Request', `request_id: "attack" user: "${user}" uid: ${uid}
                             read_log { ${fields.join(' ')} }`);
}

for (const [what, read] of [
  ['a job id that climbs out', {carme_job_id: '"../../../etc/sha"'}],
  ['an app that is a path', {app: '"x/../../shadow"'}],
  ['an app in another\'s home', {app: '"../../../home/bob/.bashrc"'}],
  ['more than is sent at once', {max_bytes: 1000000}],
]) {
  test(`a log by ${what}: refused`, () => refused(logRequest(read)));
}

test('a log as root, or as a user outside the group: refused', () => {
  for (const [user, uid] of [['root', 0], ['eve', uidOf('eve')]]) {
    refused(logRequest({user, uid}));
  }
});

test('a link in place of a log: its target is not read', () => {
  onHost('head', 'runuser', '-u', 'ada', '--', 'sh', '-c',
         `mkdir -p -m 700 /home/ada/.carme &&
          ln -sf /etc/passwd /home/ada/.carme/${id}.log`);
  const [answer] = askImpersonator([[frame(logRequest())]]);
  onHost('head', 'rm', `/home/ada/.carme/${id}.log`);
  assert.equal(outcome(answer), 'OUTCOME_REFUSED');
  assert.doesNotMatch(answer.toString('latin1'), /root:/);
});

test('a flood of connections: bounded, and served again afterwards', async () => {
  askImpersonator(Array.from({length: 300}, () => [Buffer.from([0, 0])]));
  await waitFor('it serves', () => outcome(askImpersonator(
      [[frame(submission({user: 'root', uid: 0}))]])[0]) === 'OUTCOME_REFUSED');
});

for (const user of ['ada', 'munge']) {
  test(`${user}: may not even connect`, () => {
    const [answer] = askImpersonator([[frame(submission())]], user);
    assert.equal(answer, 'error: EACCES');
  });
}

test('root itself is not the backend: turned away', () => {
  const before = jobs();
  const [answer] = askImpersonator([[frame(submission())]], 'root');
  // It may have hung up before it was asked anything, or before it had read it.
  assert.match(outcome(answer),
               /^(OUTCOME_REFUSED|error: (EPIPE|ECONNRESET))$/);
  assert.deepEqual(newSince(before), []);
});

const storageFile = 'carme/privileged/v1/storage.proto';
const storageRequest = ({user = 'ada', uid = ada} = {}) => encode(
    storageFile, 'carme.privileged.v1.StorageRequest',
    `request_id: "attack" user: "${user}" uid: ${uid}`);
const storageOutcome = (answer) => Buffer.isBuffer(answer) && answer.length > 0 ?
    /outcome: (\w+)/.exec(decode(storageFile,
                                 'carme.privileged.v1.StorageResponse',
                                 answer))?.[1] :
    String(answer);

test('storage of root, of users outside the group, with another uid: refused',
     () => {
       const answers = askStorageReader(
           [{user: 'root', uid: 0}, {user: 'daemon', uid: uidOf('daemon')},
            {user: 'eve', uid: uidOf('eve')}, {uid: uidOf('bob')},
            {user: '../ada'}].map((who) => [frame(storageRequest(who))]));
       assert.deepEqual(answers.map(storageOutcome),
                        Array(5).fill('OUTCOME_REFUSED'));
     });

test('a submission to the storage reader, a storage request to the impersonator: refused',
     () => {
       const before = jobs();
       const [submitted] = askStorageReader([[frame(submission())]]);
       assert.equal(storageOutcome(submitted), 'OUTCOME_REFUSED');
       refused(storageRequest());
       assert.deepEqual(newSince(before), []);
     });

for (const user of ['ada', 'munge']) {
  test(`${user}: cannot connect to the storage reader`, () => {
    const [answer] = askStorageReader([[frame(storageRequest())]], user);
    assert.equal(answer, 'error: EACCES');
  });
}

test('a flood of the storage reader: bounded, and served again afterwards',
     async () => {
       askStorageReader(Array.from({length: 40}, () => [Buffer.from([0, 0])]));
       await waitFor('it serves', () => storageOutcome(askStorageReader(
           [[frame(storageRequest({user: 'root', uid: 0}))]])[0]) ===
           'OUTCOME_REFUSED');
     });
