// A quota in the page: an administrator sets it, a project's jobs use it up,
// the form and the page show it, and it comes back.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {
  at, call, launch, logIn, newPerson, open, resumeSession,
} from './browser.mjs';
import {waitFor} from '../support/demo.mjs';
import {Client} from '../support/portal.mjs';

const name = `Quota ${Date.now()}`;
const source = `project ${name}`;
const kGpuHours = 11;
const bob = new Client();
let browser, ada, carol, project, jobId;

const spec = () => (
    {project, app: 'shell', gpusPerNode: 1, walltime: '7200s'});
const stop = (id) => call(ada, 'JobService/StopJob', {jobId: id});
const ended = (id) => waitFor('the job has ended', async () =>
    (await call(ada, 'JobService/GetJob', {jobId: id})).body.job.state ===
    'JOB_STATE_ENDED');
const rule = () => carol.locator(at(`rule-${source}-${kGpuHours}`));

before(async () => {
  await bob.resume('bob');
  browser = await launch();
  ada = await newPerson(browser);
  await resumeSession(ada, 'ada');
  carol = await newPerson(browser);
  await logIn(carol, 'carol');
  const made = await call(
      ada, 'ProjectService/CreateProject', {settings: {name}});
  assert.equal(made.status, 200, JSON.stringify(made.body));
  project = made.body.project.id;
  const approved = await call(
      carol, 'ProjectService/ApproveProject', {projectId: project});
  assert.equal(approved.status, 200, JSON.stringify(approved.body));
  await ada.reload();
  await ada.waitForSelector(at('start-form'));
});
after(async () => {
  if (jobId) await stop(jobId);
  await call(carol, 'ProjectService/CloseProject', {projectId: project});
  await browser.close();
});

test('limits: only administrators set them and see their page',
     async () => {
       const set = await bob.call('LimitService/SetLimitRule', {
         rule: {scope: 'LIMIT_SCOPE_USER', username: 'bob',
                metric: 'LIMIT_METRIC_GPUS'},
       });
       assert.equal(set.status, 403);
       assert.equal(
           (await bob.call('LimitService/ListLimitRules', {})).status, 403);
       await open(ada, '/admin/limits');
       await ada.waitForSelector(at('unknown-page'));
     });

test('limits: only administrators look up names', async () => {
  const refused = await bob.call(
      'ChoiceService/GetChoices', {kind: 'CHOICE_KIND_USER', text: 'a'});
  assert.equal(refused.status, 403);
});

test('limits: the form offers names, takes others, and says so', async () => {
  await open(carol, '/admin/limits');
  await carol.click(at('limit-new'));
  const user = carol.locator(at('rule-user'));
  const warning = carol.locator(at('rule-user-warning'));
  await user.fill('no-such-user');
  await warning.filter({hasText: 'no-such-user'}).waitFor();
  assert.equal(await carol.locator(`${at('rule-user-list')} li`).count(), 0);
  await user.fill('ad');
  const ada = carol.locator(`${at('rule-user-list')} [data-value="ada"]`);
  await ada.waitFor();
  assert.equal(await user.getAttribute('aria-expanded'), 'true');
  while (await ada.getAttribute('aria-selected') !== 'true') {
    await user.press('ArrowDown');
  }
  await user.press('Enter');
  assert.equal(await user.inputValue(), 'ada');
  assert.equal(await user.getAttribute('aria-expanded'), 'false');
  await warning.waitFor({state: 'detached'});
  await user.press('Backspace');
  await ada.waitFor();
  await user.press('Escape');
  await ada.waitFor({state: 'detached'});
  await carol.selectOption(at('rule-scope'), '2');
  await carol.fill(at('rule-name'), 'carme-');
  await carol.locator(`${at('rule-name-list')} li`).first().waitFor();
  await carol.reload();  // closes the form
});

test('limits: an administrator sets a quota for a project', async () => {
  await open(carol, '/admin/limits');
  await carol.click(at('limit-new'));
  await carol.click(at('rule-save'));
  await carol.locator(at('rule-problem'), {hasText: 'Enter a user name'}).waitFor();
  await carol.selectOption(at('rule-scope'), '3');
  await carol.fill(at('rule-project'), name.slice(0, 9));
  await carol.click(`${at('rule-project-list')} [data-value="${project}"]`);
  assert.equal(await carol.inputValue(at('rule-project')), name);
  await carol.selectOption(at('rule-metric'), `${kGpuHours}`);
  await carol.fill(at('rule-limit'), '3');
  await carol.fill(at('rule-note'), 'until the review');
  await carol.click(at('rule-save'));
  await rule().filter({hasText: 'until the review'}).waitFor();
  // The configuration's stand beside it, and cannot be removed here.
  const configured = carol.locator(at('rule-role user-1'));
  await configured.filter({hasText: 'configuration'}).waitFor();
  assert.equal(await configured.locator(at('limit-remove')).count(), 0);
});

test('limits: a job that waits or runs counts with all it may use',
     async () => {
       const {status, body} =
           await call(ada, 'JobService/SubmitJob', {spec: spec()});
       assert.equal(status, 200, JSON.stringify(body));
       jobId = body.job.id;
       await open(ada, '/account/limits');
       const own = ada.locator(at(`limits-of-${project}`));
       await own.locator(at('limit-use'), {hasText: '2 of 3'}).waitFor();
       await own.filter({hasText: 'for running and pending jobs'}).waitFor();
       await own.filter({hasText: 'set by carol'}).waitFor();
       await ada.locator(at('own-limits'), {hasText: 'GPUs per job'})
           .waitFor();
       // No accounting here: the partition's longest time alone.
       await ada.locator(at('slurm-limits'), {hasText: 'partition'}).waitFor();
       await open(ada, `/projects?project=${project}`);
       await ada.locator(at('project-limits'), {hasText: '2 of 3'}).waitFor();
     });

test('limits: the form shows what a limit would have refused last week',
     async () => {
       const refused = await bob.call('DryRunService/DryRunLimitRule', {
         rule: {scope: 'LIMIT_SCOPE_ROLE', name: 'user',
                metric: 'LIMIT_METRIC_GPUS', max: 0},
       });
       assert.equal(refused.status, 403);
       await open(carol, '/admin/limits');
       await carol.click(at('limit-new'));
       await carol.selectOption(at('rule-scope'), '3');
       await carol.fill(at('rule-project'), name.slice(0, -1));
       await carol.click(
           `${at('rule-project-list')} [data-value="${project}"]`);
       await carol.selectOption(at('rule-metric'), '1');
       assert.equal(await carol.locator(at('dry-run')).count(), 0);
       await carol.fill(at('rule-limit'), '0');
       const summary = carol.locator(at('dry-run-summary'));
       await summary.filter({hasText: /^1 of .* would have been refused/})
           .waitFor();
       await carol.locator(
           `${at('dry-run-users')} [data-user="ada"]`).waitFor();
       const job = carol.locator(`${at('dry-run-jobs')} [data-job="${jobId}"]`);
       await job.filter({hasText: `${source} allows at most 0`}).waitFor();
       await carol.fill(at('rule-limit'), '1');
       await summary.filter({hasText: /not have been|None of/}).waitFor();
       // It was not saved.
       await open(carol, '/admin/limits');
       assert.equal(await carol.locator(at(`rule-${source}-1`)).count(), 0);
     });

test('limits: the form shows a used-up quota and its owner',
     async () => {
       await open(ada, '/');
       await ada.selectOption(at('field-project'), {label: name});
       await ada.fill(at('field-gpusPerNode'), '1');
       await ada.fill(at('field-walltime'), '2 h');
       const complaint = ada.locator(at('violation-walltime'));
       await complaint
           .filter({hasText: `${source} allows at most 3 (max_gpu_hours)`})
           .waitFor();
       const refused = await call(ada, 'JobService/SubmitJob', {spec: spec()});
       assert.equal(refused.status, 429);
       assert.match(refused.body.message, /max_gpu_hours/);
       // What is left of it is enough for less.
       await ada.fill(at('field-walltime'), '30 min');
       await complaint.waitFor({state: 'detached'});
     });

test('limits: unused hours of a job are returned', async () => {
  await stop(jobId);
  await ended(jobId);
  const again = await call(ada, 'JobService/SubmitJob', {spec: spec()});
  assert.equal(again.status, 200, JSON.stringify(again.body));
  jobId = again.body.job.id;
});

test('limits: a limit that is removed holds no longer', async () => {
  await rule().locator(at('limit-remove')).click();
  await carol.click(at('confirm'));
  await rule().waitFor({state: 'detached'});
  const {body} = await call(ada, 'LimitService/GetLimits', {});
  assert.equal(
      (body.projects ?? []).filter((row) => row.project === project).length, 0);
});

test('the browsers reported no error', () => {
  // What a test was refused on purpose Chromium logs, too.
  const problems = [...ada.problems, ...carol.problems]
      .filter((problem) => !/ (403|429) /.test(problem));
  assert.equal(problems.join('\n'), '');
});
