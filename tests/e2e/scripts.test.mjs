// An administrator's script: carmectl on this machine, as on a laptop, against
// the demo's portal, with access tokens.
import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, test} from 'node:test';

import {addPeople, demo, onHost, program, waitFor} from '../support/demo.mjs';
import {Client, origin} from '../support/portal.mjs';

const kPeople = 200;
const stamp = Date.now() % 1_000_000;
const lastDay = new Date(Date.now() + 200 * 86_400_000).toISOString().slice(0, 10);
const course = `Physics ${stamp}`;
const directory = mkdtempSync(join(tmpdir(), 'carme-scripts-'));
const admin = new Client();
const ada = new Client();
const tokens = [];
let token, job;

// An access token of carol's; the log-in just before has proved a factor.
async function createToken(name, scopes, addresses = []) {
  const {status, body} = await admin.call('AccountService/CreateToken', {
    name, scopes, addresses,
    expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
  });
  assert.equal(status, 200, JSON.stringify(body));
  tokens.push(body.token.id);
  return body.secret;
}

// {status, out, err} of carmectl.
function carmectl(secret, ...command) {
  const {status, stdout, stderr} = spawnSync(program('carmectl'), command, {
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH,
      CARME_PORTAL: origin(),
      CARME_CA_FILE: demo().ca_file,
      CARME_TOKEN: secret,
    },
  });
  return {status, out: stdout, err: stderr};
}
function done(...command) {
  const result = carmectl(token, ...command);
  assert.equal(result.status, 0, `${command}: ${result.err}${result.out}`);
  return result.out;
}
const json = (...command) => JSON.parse(done(...command, '--json'));

before(async () => {
  await admin.logIn('carol');
  await ada.resume('ada');
  token = await createToken('scripts', [
    'projects:read', 'projects:write', 'templates:read', 'templates:write',
    'limits:read', 'limits:write', 'images:read', 'admin:read', 'admin:write',
  ], ['127.0.0.0/8', '::1']);
});
after(async () => {
  if (job) await ada.call('JobService/StopJob', {jobId: job.id});
  for (const id of tokens) await admin.call('AccountService/RevokeToken', {id});
  rmSync(directory, {recursive: true});
});

test('refusals: a token without the scope, from elsewhere, revoked',
     async () => {
       const reading = await createToken('reading', ['admin:read']);
       assert.equal(carmectl(reading, 'user', 'list').status, 0);
       const wrong = carmectl(
           reading, 'session', 'end', 'ada', '--reason', 'none');
       assert.equal(wrong.status, 3, wrong.err);
       assert.match(wrong.err, /expected "admin:write" among them/);

       const elsewhere =
           await createToken('elsewhere', ['admin:read'], ['192.0.2.0/24']);
       const refused = carmectl(elsewhere, 'user', 'list');
       assert.equal(refused.status, 3);
       assert.match(refused.err, /is not allowed from the address "127\.0/);
       await waitFor('the refusal is in the audit log', async () => {
         const {body} = await admin.call('AuditService/ListAudit', {filter: {
           actor: 'carol', decision: 'refuse', text: 'is not allowed from',
         }});
         return body.entries?.[0].sessionId === `token-${tokens.at(-1)}`;
       });

       await admin.call('AccountService/RevokeToken', {id: tokens.at(-1)});
       assert.equal(carmectl(elsewhere, 'user', 'list').status, 3);
     });

test('refusals: no token creates a token or resets factors', async () => {
  for (const method of ['AccountService/CreateToken',
                        'AdminService/ResetFactors']) {
    const {status, err} = carmectl(token, 'api', 'call', method, '{}');
    assert.equal(status, 3);
    assert.match(err, /no access token may do this/);
  }
});

test('refusals: with jobs:read an administrator reads their own jobs',
     async () => {
       const jobs = await createToken('jobs', ['jobs:read']);
       for (const [method, request] of [
         ['ProjectService/ListProjects', {all: true}],
         ['TemplateService/ListTemplates', {all: true}],
         ['HistoryService/ListHistory',
          {filter: {scope: 'HISTORY_SCOPE_EVERYBODY'}}],
       ]) {
         assert.equal(carmectl(token, 'api', 'call', method,
                               JSON.stringify(request)).status, 0, method);
         const refused = carmectl(
             jobs, 'api', 'call', method, JSON.stringify(request));
         assert.equal(refused.status, 3, `${method}: ${refused.err}`);
       }
     });

test('exit codes: wrong use 2, no portal 4, not found 1', () => {
  assert.equal(carmectl(token, 'job', 'fly').status, 2);
  assert.equal(carmectl(token, 'job', 'stop', 'x').status, 2);  // no reason
  assert.equal(carmectl(token, 'user', 'show', 'nobody-here').status, 1);
  assert.equal(carmectl(token, 'user', 'list', '--portal',
                        'https://127.0.0.1:1').status, 4);
  assert.equal(carmectl('', 'user', 'list').status, 1);
  assert.match(carmectl(token, 'job', '--help').out, /Examples:/);
});

test('lists: users, factors, sessions, templates, limits and images', () => {
  assert.ok(json('user', 'list').users.some(({username}) => username === 'ada'));
  assert.match(done('user', 'list', '--filter', 'ada'), /^USERNAME +UID/);
  assert.match(done('factor', 'list', 'ada'), /recovery codes/);
  assert.match(done('session', 'list', 'carol'), /token .*scripts/);
  assert.ok(json('image', 'list').images.length > 0);
  done('template', 'list');
  done('limit', 'list');
});

test('the lines of a failed request come from the DMZ, too', async () => {
  const backend = demo().pids['carme-backend'];
  process.kill(backend, 'SIGSTOP');
  let late;
  try {
    late = await ada.call('JobService/ListJobs', {},
                          {'connect-timeout-ms': '500'});
  } finally {
    process.kill(backend, 'SIGCONT');
    // nsenter(1) stops itself together with its child.
    const [, parent] = /^PPid:\s+(\d+)/m.exec(
        readFileSync(`/proc/${backend}/status`, 'utf8'));
    process.kill(Number(parent), 'SIGCONT');
  }
  assert.equal(late.status, 504, JSON.stringify(late.body));
  const line = await waitFor('the line of the request', () => {
    const {entries} = json('logs', '--request', late.body.requestId);
    return entries?.find((entry) => entry.service === 'carme-frontend');
  });
  assert.match(line.message, /^call to the backend failed /);
  assert.match(line.node, /^[0-9.]+$/);
});

test('course: 200 people from one file, by one command, twice', () => {
  const names = Array.from({length: kPeople}, (_, i) => `s${stamp}x${i}`);
  const accounts = join(directory, 'accounts.csv');
  writeFileSync(accounts, ['username,name,email', ...names.map(
      (name) => `${name},Student ${name},${name}@carme.test`)].join('\n'));
  const ldif = execFileSync(program('carmectl'), [
    'user', 'import', accounts, '--ldif', '--base',
    'ou=people,dc=carme,dc=test', '--first-uid', String(40_000 + stamp),
  ], {encoding: 'utf8'});
  addPeople(ldif, names);

  const file = join(directory, 'course.csv');
  // Every other person by e-mail address, and two that the directory has not.
  writeFileSync(file, [
    'project,username,email,role,description,expires,limit.gpus,member.jobs',
    `${course},ada,,owner,Mechanics,${lastDay},4,2`,
    ...names.map((name, i) => i % 2 === 0 ?
        `${course},${name},,,,,,` : `${course},,${name}@carme.test,,,,,`),
  ].join('\n'));
  const plan = json('project', 'import', file, '--dry-run');
  assert.equal(plan.failed, 0);
  assert.equal(plan.results.filter(
      ({result}) => result === 'would be added as member').length, kPeople);
  assert.equal(json('project', 'list', '--search', course).projects.length, 0);

  const begin = Date.now();
  const report = json('project', 'import', file);
  console.log(`# ${kPeople} people in ${Date.now() - begin} ms`);
  assert.equal(report.failed, 0, JSON.stringify(report.results.slice(0, 9)));
  assert.equal(report.results.filter(
      ({result}) => result === 'added as member').length, kPeople);
  const [{id, owner, memberCount}] =
      json('project', 'list', '--search', course).projects;
  assert.equal(owner, 'ada');
  assert.equal(memberCount, kPeople + 2);  // ada, and carol who created it
  const rules = json('limit', 'list', '--project', id).rules;
  assert.deepEqual(rules.map(({max}) => max).sort(), ['2', '4']);

  const again = json('project', 'import', file);
  assert.deepEqual([...new Set(again.results.map(({result}) => result))],
                   ['unchanged']);

  // One user is unknown: the others are added, and the message names that one.
  writeFileSync(file, `project,username\n${course},not-there\n${course},bob\n`);
  const {status, out} = carmectl(token, 'project', 'import', file);
  assert.equal(status, 1);
  assert.match(out, /not-there +failed +"not-there" is not in the directory/);
  assert.match(out, /bob +added as member/);
});

test('jobs: a job is held, released and stopped with a reason that its owner ' +
     'reads', async () => {
  const {status, body} = await ada.call('JobService/SubmitJob', {spec: {
    name: `script-${stamp}`, walltime: '600s',
    startAt: new Date(Date.now() + 600_000).toISOString(),
    batch: {command: 'true'},
  }});
  assert.equal(status, 200, JSON.stringify(body));
  job = body.job;
  const now = async () =>
      (await ada.call('JobService/GetJob', {jobId: job.id})).body.job;
  await waitFor('the job waits', async () =>
      (await now()).state === 'JOB_STATE_PENDING');
  assert.match(done('job', 'list', '--search', job.id), /pending/);
  const submitted = await waitFor('the line of the impersonator', () =>
      json('logs', job.id, '--level', 'info').entries
          ?.find(({message}) => message === 'operation done operation=submit'));
  assert.equal(submitted.service, 'carme-impersonator');
  assert.equal(submitted.user, 'ada');
  assert.ok(json('logs', '--request', submitted.requestId).entries
      .some(({sequence}) => sequence === submitted.sequence));
  done('job', 'hold', job.id, '--reason', 'the file server is full');
  const release = await ada.call('JobService/ReleaseJob', {jobId: job.id});
  assert.equal(release.status, 403);
  assert.match(release.body.message, /the file server is full/);
  done('job', 'release', job.id, '--reason', 'there is room again');
  done('job', 'stop', job.id, '--reason', 'node maintenance');
  await waitFor('the job has ended', async () =>
      (await now()).state === 'JOB_STATE_ENDED');
  const {reason, stoppedBy, adminActions} = await now();
  assert.equal(stoppedBy, 'JOB_STOPPED_BY_ADMINISTRATOR');
  assert.match(reason, /stopped by the administrator carol: node maintenance/);
  assert.deepEqual(adminActions.map(({kind}) => kind),
                   ['KIND_HOLD', 'KIND_RELEASE', 'KIND_STOP']);
  const {body: {notifications}} =
      await ada.call('NotificationService/ListNotifications', {});
  assert.ok(notifications.some(({text}) => text.includes('node maintenance')));
});

test('logs: a failure of Prolog is found by node, by job and by program', async () => {
  const nodes = ['n1', 'n2'];
  const scratch = '/run/disk/scratch';
  nodes.forEach((node) => onHost(node, 'mkdir', '-p', '-m', '755', scratch));
  const modes = nodes.map((node) => onHost(node, 'stat', '-c', '%a', scratch));
  nodes.forEach((node) => onHost(node, 'chmod', 'o+w', scratch));
  try {
    const {status, body} = await ada.call('JobService/SubmitJob', {spec: {
      name: `prolog-${stamp}`, walltime: '300s', batch: {command: 'true'},
    }});
    assert.equal(status, 200, JSON.stringify(body));
    const {id} = body.job;
    const line = await waitFor('the line of Prolog', () =>
        json('logs', id).entries?.find(
            ({service}) => service === 'carme-prolog'));
    assert.match(line.message, /scratch/);
    assert.ok(nodes.includes(line.node), line.node);
    for (const subject of [line.node, 'carme-prolog']) {
      assert.ok(json('logs', subject).entries.some(
          ({sequence}) => sequence === line.sequence), subject);
    }
    await waitFor('the job has ended', async () =>
        (await ada.call('JobService/GetJob', {jobId: id})).body.job.state ===
        'JOB_STATE_ENDED');
  } finally {
    nodes.forEach((node, i) => onHost(node, 'chmod', modes[i].trim(), scratch));
  }
});

test('nodes: one is drained with a reason and resumed; others stay', () => {
  const node = (name) => onHost('head', 'scontrol', '-o', 'show', 'node', name);
  assert.equal(carmectl(token, 'node', 'drain', 'n2').status, 2);  // no reason
  const unknown = carmectl(token, 'node', 'drain', 'n2', 'n99', '--reason', 'x');
  assert.equal(unknown.status, 1);
  assert.match(unknown.err, /no node "n99"/);
  try {
    done('node', 'drain', 'n2', '--reason', `fan ${stamp}`);
    assert.match(node('n2'), /DRAIN/);
    assert.ok(node('n2').includes(`Reason=carme: fan ${stamp} [carol]`));
    assert.doesNotMatch(node('n1'), /DRAIN/);
    // Half of the nodes may be drained in the demo.
    const second = carmectl(token, 'node', 'drain', 'n1', '--reason', 'x');
    assert.equal(second.status, 3);
    assert.match(second.err, /max_drained_percent/);
  } finally {
    done('node', 'resume', 'n2');
  }
  assert.doesNotMatch(node('n2'), /DRAIN/);
});

test('announcement: its readers see it, until it is deleted', async () => {
  const refused = carmectl(token, 'announcement', 'create', '--title', 'x');
  assert.equal(refused.status, 2);
  const title = `Course ${stamp}`;
  const shown = async (client, list) => {
    const {body} = await client.call(`AnnouncementService/${list}`, {});
    return (body.announcements ?? []).filter((each) => each.title === title);
  };
  const id = JSON.parse(
      done('announcement', 'create', '--title', title, '--until', '1h',
           '--text', 'Begins on **Friday**.', '--for', 'users', '--json'))
      .details.announcement.id;
  try {
    assert.match(done('announcement', 'list'), new RegExp(title));
    const [own] = await shown(ada, 'ListAnnouncements');
    assert.equal(own.text, 'Begins on **Friday**.');
    assert.deepEqual(await shown(new Client(), 'ListPublicAnnouncements'), []);
  } finally {
    done('announcement', 'delete', id);
  }
  assert.deepEqual(await shown(ada, 'ListAnnouncements'), []);
  assert.equal(carmectl(token, 'announcement', 'delete', id).status, 1);
});

// Announced for later: other tests start jobs meanwhile.
test('maintenance: everyone sees it, also without a session', async () => {
  const on = ['maintenance', 'on', '--from', '60d', '--until', '61d',
              '--message', `New storage ${stamp}`];
  assert.equal(carmectl(token, 'maintenance', 'on', '--until', '1h').status, 2);
  const shown = async () => (await new Client().call(
      'MaintenanceService/GetMaintenance', {})).body.maintenance;
  try {
    assert.match(done(...on), /announced/);
    assert.match(done('maintenance', 'status'), new RegExp(`New storage ${stamp}`));
    const {message, inEffect} = await shown();
    assert.equal(message, `New storage ${stamp}`);
    assert.ok(!inEffect);
  } finally {
    done('maintenance', 'off');
  }
  assert.equal(await shown(), undefined);
  assert.match(done('maintenance', 'status'), /no maintenance/);
});

test('errors: a refused job has its violations as objects', async () => {
  const {status, body} = await ada.call('JobService/SubmitJob', {spec: {
    nodes: 9999, walltime: '-60s', app: 'no-such-app',
  }});
  assert.equal(status, 400);
  const details = Object.fromEntries(
      body.details.map(({type, debug}) => [type, debug]));
  assert.equal(details['google.rpc.ErrorInfo'].domain, 'carme');
  assert.ok(details['google.rpc.BadRequest'].fieldViolations.some(
      ({field}) => field === 'spec.walltime'));
});
