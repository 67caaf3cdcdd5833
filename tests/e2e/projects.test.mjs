// Projects, played through in the page: asked for, approved, joined by others,
// a job in one of them, and its end.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {at, call, launch, logIn, newPerson, open} from './browser.mjs';
import {hostCommand, waitFor} from '../support/demo.mjs';
import {Client} from '../support/portal.mjs';
import {spawnSync} from 'node:child_process';

const name = `Chemistry ${Date.now()}`;
const bob = new Client();
let browser, ada, carol, id, jobId;

before(async () => {
  await bob.resume('bob');
  browser = await launch();
  ada = await newPerson(browser);
  await logIn(ada, 'ada');
  carol = await newPerson(browser);
  await logIn(carol, 'carol');
});
after(async () => {
  if (jobId) await call(ada, 'JobService/StopJob', {jobId});
  if (id) {
    await call(carol, 'ProjectService/CloseProject', {projectId: id});
  }
  await browser.close();
});

const submit = (client, project) => client.call(
    'JobService/SubmitJob', {spec: {app: 'shell', walltime: '600s', project}});
const state = (page, words) =>
    page.locator(at('project-state'), {hasText: words}).waitFor();
const member = (page, who) => page.locator(at(`member-${who}`));

test('a requested project starts no job until it is approved', async () => {
  await ada.click(at('to-projects'));
  await ada.click(at('project-new'));
  await ada.fill(at('project-name'), name);
  await ada.fill(at('project-description'), 'Catalysts.\nSecond line.');
  await ada.click(at('project-save'));
  await state(ada, 'pending approval');
  id = await ada.locator(at('project-id')).innerText();
  assert.match(id, /^[a-z][a-z0-9]{15}$/);
  assert.equal(await ada.locator(at('invite-name')).count(), 0);
});

test('to others it does not exist', async () => {
  const get = (projectId) =>
      bob.call('ProjectService/GetProject', {projectId});
  const none = await get('a23456789abcdefg');
  assert.equal(none.status, 404);
  assert.deepEqual((await get(id)).body.message, none.body.message);
  const {status} = await bob.call(
      'ProjectService/ApproveProject', {projectId: id});
  assert.equal(status, 404);
});

test('an administrator sees that it waits, approves it, names an account',
     async () => {
       await open(carol, '/projects');
       await carol.reload();
       await carol.click(at(`project-waiting-${id}`));
       await state(carol, 'pending approval');
       await carol.click(at('project-act-1'));  // approve
       await state(carol, 'active');
       await carol.click(at('project-terms'));
       await carol.fill(at('terms-account'), 'chem');
       await carol.fill(at('terms-day'), '2040-01-31');
       await carol.click(at('terms-save'));
       await carol.locator(at('project-facts'), {hasText: 'until 31 Jan 2040'})
           .waitFor();
     });

test('a member joins by invitation, acceptance and confirmation',
     async () => {
       await ada.reload();
       await ada.fill(at('invite-name'), 'bob');
       await ada.click(at('invite'));
       await member(ada, 'bob').locator('.state', {hasText: 'invited'})
           .waitFor();
       assert.equal((await submit(bob, id)).status, 403);
       const accepted =
           await bob.call('ProjectService/AcceptInvitation', {projectId: id});
       assert.equal(accepted.status, 200);
       assert.equal((await submit(bob, id)).status, 403);
       await carol.reload();
       await carol.click(at('member-act-9-bob'));  // confirm
       await member(carol, 'bob').locator('.state', {hasText: 'member'})
           .waitFor();
       const {body} = await bob.call('ProjectService/ListProjects', {});
       assert.ok(body.projects.find((project) => project.id === id).usable);
     });

test('a job runs in it, in its account, and shows it', async () => {
  await open(ada, '/');
  await ada.selectOption(at('field-project'), {label: name});
  const [answer] = await Promise.all([
    ada.waitForResponse(/JobService\/SubmitJob/),
    ada.click(at('start-submit')),
  ]);
  assert.equal(answer.status(), 200, await answer.text());
  const {job} = await answer.json();
  jobId = job.id;
  assert.equal(job.spec.project, id);
  await ada.locator(at(`job-${jobId}`), {hasText: `in ${name}`}).waitFor();
  const slurmJob = await waitFor('Slurm has the job', async () =>
      (await call(ada, 'JobService/GetJob', {jobId})).body.job.slurmJobId);
  const [program, words] =
      hostCommand('head', 'scontrol', 'show', 'job', `${slurmJob}`);
  assert.match(spawnSync(program, words).stdout.toString(), /Account=chem/);
});

test('removed members, and members of a closed project: start nothing',
     async () => {
       await open(ada, `/projects?project=${id}`);
       await ada.click(at('member-act-8-bob'));  // remove
       await ada.click(at('confirm'));
       await member(ada, 'bob').waitFor({state: 'detached'});
       const none = await submit(bob, 'a23456789abcdefg');
       const removed = await submit(bob, id);
       assert.equal(removed.status, 403);
       assert.equal(removed.body.message, none.body.message);
       await ada.click(at('project-act-3'));  // close
       await ada.click(at('confirm'));
       await state(ada, 'closed');
       const {status, body} = await call(
           ada, 'JobService/SubmitJob',
           {spec: {app: 'shell', walltime: '600s', project: id}});
       assert.equal(status, 403);
       assert.match(body.message, /closed/);
     });

test('the browsers reported no error', () => {
  // What a test was refused on purpose Chromium logs, too.
  const problems = [...ada.problems, ...carol.problems]
      .filter((problem) => !/ 403 /.test(problem));
  assert.equal(problems.join('\n'), '');
});
