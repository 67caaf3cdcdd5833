// A class reservation, played through in the page: booked by a project's
// manager, a member's job in it, an outsider refused, and its end.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {at, launch, open, pageOf} from './browser.mjs';
import {onHost, waitFor} from '../support/demo.mjs';
import {Client} from '../support/portal.mjs';

const title = `Class ${Date.now()}`;
const ada = new Client(), bob = new Client(), carol = new Client(),
      fay = new Client();
let browser, adasPage, bobsPage, project, name, id, jobId;

async function ok(client, method, body) {
  const {status, body: answer} = await client.call(method, body);
  assert.equal(status, 200, `${method}: ${JSON.stringify(answer)}`);
  return answer;
}

const inSlurm = () => onHost('head', 'scontrol', '-o', 'show', 'reservation');
const listOf = async (client) =>
    (await ok(client, 'ReservationService/ListReservations', {})).reservations ??
    [];
const submit = (client, reservation) => client.call(
    'JobService/SubmitJob',
    {spec: {app: 'shell', walltime: '600s', gpusPerNode: 0, reservation}});
const spec = (change = {}) => ({
  title, project, nodes: 1, duration: '1800s',
  startsAt: new Date().toISOString(), ...change,
});

before(async () => {
  for (const [client, who] of
       [[ada, 'ada'], [bob, 'bob'], [carol, 'carol'], [fay, 'fay']]) {
    await client.resume(who);
  }
  const made = await ok(ada, 'ProjectService/CreateProject', {
    settings: {name: title, classification: 'internal'},
  });
  project = made.project.id;
  await ok(carol, 'ProjectService/ApproveProject', {projectId: project});
  await ok(ada, 'ProjectService/InviteMember',
           {projectId: project, username: 'bob'});
  await ok(bob, 'ProjectService/AcceptInvitation', {projectId: project});
  await ok(carol, 'ProjectService/ConfirmMember',
           {projectId: project, username: 'bob'});
  browser = await launch();
  adasPage = await pageOf(browser, ada);
  bobsPage = await pageOf(browser, bob);
});

after(async () => {
  if (jobId) await bob.call('JobService/StopJob', {jobId});
  // Nodes that stayed reserved would be missed by all other tests.
  if (name && inSlurm().includes(name)) {
    await waitFor('the reservation is gone', () => {
      onHost('head', 'scontrol', 'delete', 'reservation', name);
      return true;
    });
  }
  if (project) {
    await ada.call('ProjectService/CloseProject', {projectId: project});
  }
  await browser?.close();
});

test('users that manage no project: cannot book', async () => {
  for (const body of [spec(), spec({project: ''})]) {
    const {status} = await bob.call(
        'ReservationService/CreateReservation', {spec: body});
    assert.equal(status, 403);
  }
  // A manager of the site is none of the project's.
  const foreign = await fay.call(
      'ReservationService/CreateReservation', {spec: spec()});
  assert.equal(foreign.status, 404);
  await open(bobsPage, '/reservations');
  await bobsPage.locator(at('calendar')).waitFor();
  assert.equal(await bobsPage.locator(at('reserve')).count(), 0);
});

test('a manager of the project books nodes in the page, from now on',
     async () => {
       await waitFor('a node is idle', () =>
           onHost('head', 'sinfo', '-hN', '-p', 'main', '-t', 'idle', '-o',
                  '%N').trim() !== '');
       await open(adasPage, '/reservations');
       await adasPage.click(at('reserve'));
       await adasPage.fill(at('reserve-title'), title);
       await adasPage.selectOption(
           at('reserve-project'), {label: `All members of ${title}`});
       await adasPage.click(at('reserve-now'));
       await adasPage.fill(at('reserve-duration'), '30 min');
       const [answer] = await Promise.all([
         adasPage.waitForResponse(/ReservationService\/CreateReservation/),
         adasPage.click(at('reserve-save')),
       ]);
       assert.equal(answer.status(), 200, await answer.text());
       ({name, id} = (await answer.json()).reservation);
       await adasPage.locator(at(`reservation-${name}`), {hasText: title})
           .waitFor();
       await adasPage.locator(at(`calendar-block-${name}`)).first().waitFor();
       const line = inSlurm().split('\n').find((row) => row.includes(name));
       assert.match(line, /Users=ada,bob/);
       assert.match(line, /NodeCnt=1/);
     });

test('others see reserved nodes without owner and purpose', async () => {
  const seen = async (client) =>
      (await listOf(client)).find((row) => row.name === name);
  const fays = await waitFor('the watcher has seen it',
                             async () => (await seen(fay))?.nodeNames && seen(fay));
  assert.equal(fays.nodes, 1);
  assert.ok(!fays.usable && !fays.title && !fays.owner && !fays.users);
  const bobs = await seen(bob);
  assert.ok(bobs.usable && bobs.title === title && !bobs.mayCancel);
});

test('the form shows reserved nodes while it is filled in', async () => {
  await adasPage.click(at('reserve'));
  await adasPage.fill(at('reserve-title'), 'Another');
  await adasPage.fill(at('reserve-nodes'), '2');
  await adasPage.fill(at('reserve-duration'), '8 h');
  await adasPage.click(at('reserve-now'));
  await adasPage.locator(at('reserve-message'), {hasText: 'are in no other reservation then'})
      .waitFor();
  assert.equal(
      await adasPage.getAttribute(at('reserve-save'), 'aria-disabled'), 'true');
});

test('an outsider\'s job is refused, as in a reservation that is not there',
     async () => {
       const refused = await submit(fay, name);
       const missing = await submit(fay, 'carme-0000000000000000');
       assert.notEqual(refused.status, 200);
       assert.equal(refused.status, missing.status);
       assert.match(refused.body.message, /does not exist or is not available to you/);
       const long = await bob.call(
           'JobService/SubmitJob',
           {spec: {app: 'shell', walltime: '7200s', reservation: name}});
       assert.equal(long.status, 403);
       assert.match(long.body.message, /reservation carme-/);
     });

test('a member starts a job in it from the page, and it runs there',
     async () => {
       await open(bobsPage, '/');
       await bobsPage.waitForSelector(at('start-form'));
       await bobsPage.reload();
       await bobsPage.selectOption(at('field-reservation'), name);
       await bobsPage.selectOption(at('field-gpuType'), '');
       await bobsPage.fill(at('field-gpusPerNode'), '0');
       await bobsPage.fill(at('field-walltime'), '10 min');
       await bobsPage.check(at('app-shell'));
       const [answer] = await Promise.all([
         bobsPage.waitForResponse(/JobService\/SubmitJob/),
         bobsPage.click(at('start-submit')),
       ]);
       assert.equal(answer.status(), 200, await answer.text());
       jobId = (await answer.json()).job.id;
       const job = await waitFor('Slurm runs it', async () => {
         const {body} = await bob.call('JobService/GetJob', {jobId});
         return body.job.nodes?.length > 0 && body.job;
       });
       const {nodeNames} = (await listOf(bob)).find((row) => row.name === name);
       assert.deepEqual(job.nodes, nodeNames);
       const record =
           onHost('head', 'scontrol', 'show', 'job', `${job.slurmJobId}`);
       assert.ok(record.includes(`Reservation=${name}`), record);
       await bobsPage
           .locator(at(`job-${jobId}`), {hasText: `in reservation ${title}`})
           .waitFor();
     });

test('it cannot be cancelled while jobs run in it, and then it can',
     async () => {
       const foreign = await bob.call(
           'ReservationService/CancelReservation', {id});
       assert.equal(foreign.status, 403);
       const busy =
           await ada.call('ReservationService/CancelReservation', {id});
       assert.notEqual(busy.status, 200);
       assert.match(busy.body.message, /slurm: /);
       await ok(bob, 'JobService/StopJob', {jobId});
       await waitFor('the job is over', async () => {
         const {body} = await bob.call('JobService/GetJob', {jobId});
         return body.job.state === 'JOB_STATE_ENDED';
       });
       await adasPage.reload();
       await adasPage.click(at(`cancel-${name}`));
       await adasPage.click(at('confirm'));
       await adasPage.locator(at(`reservation-${name}`))
           .waitFor({state: 'detached'});
       assert.ok(!inSlurm().includes(name));
     });

test('the browsers reported no error', () => {
  assert.equal([...adasPage.problems, ...bobsPage.problems].join('\n'), '');
});
