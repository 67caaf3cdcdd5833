// Two projects with different templates, made in the page from what Slurm has;
// what their members may ask for; presets, a job started again, and a link.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {at, call, launch, logIn, newPerson, open} from './browser.mjs';
import {onHost, waitFor} from '../support/demo.mjs';
import {origin} from '../support/portal.mjs';

const stamp = Date.now();
const courses = `Courses ${stamp}`;
const plain = `Without GPUs ${stamp}`;
const jobName = 'Übung 実習 🧪';
const projects = {};  // ids by name
const templates = {};
let browser, ada, carol, jobId;

const get = async (page, method, body) => {
  const answer = await call(page, method, body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
};
const newProject = async (name) => {
  const {project} =
      await get(ada, 'ProjectService/CreateProject', {settings: {name}});
  await get(carol, 'ProjectService/ApproveProject', {projectId: project.id});
  return project.id;
};
const row = (name) => carol.locator(`${at('templates')} [data-name="${name}"]`);
const idOf = async (name) => {
  await row(name).waitFor();
  return (await row(name).getAttribute('data-testid')).replace('template-', '');
};
const submit = (spec) => call(ada, 'JobService/SubmitJob', {
  spec: {app: 'shell', walltime: '300s', ...spec},
});

before(async () => {
  browser = await launch();
  ada = await newPerson(browser);
  await logIn(ada, 'ada');
  carol = await newPerson(browser);
  await logIn(carol, 'carol');
  projects.teaching = await newProject(`Teaching ${stamp}`);
  projects.office = await newProject(`Office ${stamp}`);
});
after(async () => {
  if (jobId) await call(ada, 'JobService/StopJob', {jobId});
  for (const projectId of Object.values(projects)) {
    await call(carol, 'ProjectService/CloseProject', {projectId});
  }
  await browser.close();
});

test('users make no templates, and find no page for it', async () => {
  const made = await call(ada, 'TemplateService/CreateTemplate',
                          {settings: {name: 'Mine'}});
  assert.equal(made.status, 403);
  const all = await call(ada, 'TemplateService/ListTemplates', {all: true});
  assert.equal(all.status, 403);
  await open(ada, '/admin/templates');
  await ada.locator(at('unknown-page')).waitFor();
  assert.equal(await ada.locator(at('templates')).count(), 0);
});

test('an administrator imports what Slurm suggests, and narrows it', async () => {
  await open(carol, '/admin/templates');
  await carol.click(at('template-import-open'));
  const proposal =
      carol.locator(`${at('template-proposal')}[data-name="main a100"]`);
  await proposal.locator('p', {hasText: '1 node: n2.'}).waitFor();
  await proposal.locator(at('template-take')).click();
  const form = proposal.locator(at('template-form'));
  assert.equal(await form.locator(at('template-gpuTypes')).inputValue(),
               'a100');
  await form.locator(at('template-name')).fill(courses);
  await form.locator(at('template-maxGpusPerNode')).fill('one');
  await form.locator(at('template-maxWalltime')).fill('10 min');
  await form.locator(at('template-save')).click();
  await form.locator(at('template-unreadable'),
                     {hasText: 'Invalid value "one"'}).waitFor();
  await form.locator(at('template-maxGpusPerNode')).fill('1');
  await form.locator(at('template-save')).click();
  await row(courses).locator(at('template-label'), {
    hasText: 'partition main · at most 1 a100 GPU per node · at most 1 node',
  }).waitFor();
  templates.courses = await idOf(courses);
});

test('another is written by hand, and each is given to a project', async () => {
  await carol.locator(at('template-import')).getByRole('button', {name: 'Close'})
      .click();
  await carol.click(at('template-new'));
  await carol.fill(at('template-name'), plain);
  await carol.check(at('template-noGpus'));
  await carol.click(at('template-save'));
  templates.plain = await idOf(plain);
  for (const [template, project] of [
         [templates.courses, projects.teaching],
         [templates.plain, projects.office],
       ]) {
    await carol.click(at(`template-who-${template}`));
    const who = carol.locator(at(`template-${template}`));
    await who.locator(at('template-project')).selectOption(project);
    await who.locator(at('template-attach')).click();
    await who.locator(at(`template-detach-${project}`)).waitFor();
    await carol.click(at(`template-who-${template}`));
  }
});

test('the form offers what each project may request',
     async () => {
       await open(ada, '/');
       await ada.reload();
       await ada.selectOption(at('field-project'), projects.teaching);
       await ada.locator(at('template-allows'), {hasText: 'at most 1 a100 GPU'})
           .waitFor();
       assert.equal(await ada.inputValue(at('field-walltime')), '10 min');
       assert.deepEqual(
           await ada.locator(`${at('field-gpuType')} option`)
               .evaluateAll((options) => options.map(({value}) => value)),
           ['', 'a100']);
       await ada.fill(at('field-gpusPerNode'), '2');
       await ada.locator(at('violation-gpusPerNode'),
                         {hasText: `template "${courses}" allows at most 1`})
           .waitFor();
       await ada.selectOption(at('field-project'), projects.office);
       await ada.locator(at('template-allows'), {hasText: 'no GPUs'}).waitFor();
       assert.equal(await ada.inputValue(at('field-gpusPerNode')), '0');
     });

test('an administrator sees what the form offers a user', async () => {
  const refused = await call(
      ada, 'UserPreviewService/PreviewStartForm', {username: 'carol'});
  assert.equal(refused.status, 403);
  await open(carol, '/admin/templates');
  await carol.locator(at('user-preview')).first().click();
  await carol.fill(at('preview-user'), 'ada');
  await carol.click(at('preview-show'));
  await carol.locator(at('preview-banner'), {hasText: 'what ada sees'})
      .waitFor();
  // The fields of the form, with ada's projects, and no way to start.
  await carol.selectOption(at('field-project'), projects.teaching);
  await carol.locator(at('template-allows'), {hasText: 'at most 1 a100 GPU'})
      .waitFor();
  assert.equal(await carol.inputValue(at('field-walltime')), '10 min');
  await carol.selectOption(at('field-project'), projects.office);
  assert.equal(await carol.inputValue(at('field-gpusPerNode')), '0');
  await carol.fill(at('field-gpusPerNode'), '1');
  await carol.locator(at('preview-unchecked')).waitFor();
  await carol.click(at('preview-reset'));
  await carol.locator(at('preview-unchecked')).waitFor({state: 'detached'});
  assert.equal(await carol.locator(at('start-submit')).count(), 0);
  await carol.locator(at('preview-check'), {hasText: courses}).waitFor();
  await carol.locator(at('preview-limits')).waitFor();
  const {entries} = await get(carol, 'AuditService/ListAudit',
                              {filter: {act: 'admin-preview'}});
  assert.ok(entries.some(({actor, subject}) =>
    actor === 'carol' && subject === 'ada'));
  await open(carol, '/admin/templates');
});

test('an administrator sees what unsaved changes mean for a user', async () => {
  const shown = carol.locator(at('draft-preview'));
  const change = (mark) =>
      shown.locator(`${at('preview-change')}[data-mark="${mark}"]`);
  const back = async () => {
    await carol.click(at('draft-preview-close'));
    await shown.waitFor({state: 'detached'});
  };
  await open(carol, '/admin/templates');
  await carol.click(at(`template-change-${templates.courses}`));
  const form = row(courses).locator(at('template-form'));
  await form.locator(at('template-maxJobs')).fill('none');
  await form.locator(at('template-preview')).click();
  await form.locator(at('template-unreadable')).waitFor();
  await form.locator(at('template-maxJobs')).fill('');
  // Errors are those of saving.
  await form.locator(at('template-name')).fill(plain);
  await form.locator(at('template-preview')).click();
  await carol.fill(at('draft-preview-user'), 'ada');
  await carol.click(at('draft-preview-show'));
  await shown.locator(at('load-failure'), {hasText: 'this name exists'})
      .waitFor();
  await back();
  await form.locator(at('template-name')).fill(courses);
  await form.locator(at('template-gpuTypes')).fill('h100');
  await form.locator(at('template-preview')).click();
  await carol.fill(at('draft-preview-user'), 'ada');
  await carol.click(at('draft-preview-show'));
  await shown.locator(at('preview-banner'), {hasText: 'Unsaved changes'})
      .waitFor();
  await change('template').filter({hasText: 'at most 1 h100 GPU'}).waitFor();
  await change('refused').filter({hasText: `Teaching ${stamp}`}).waitFor();
  await back();
  // The form has the values, and nothing is saved.
  assert.equal(await form.locator(at('template-gpuTypes')).inputValue(),
               'h100');
  await row(courses).locator(at('template-label'), {hasText: 'a100'}).waitFor();

  await carol.click(at(`template-retire-${templates.courses}`));
  await carol.click(at('template-retire-preview'));
  await carol.fill(at('draft-preview-user'), 'ada');
  await carol.click(at('draft-preview-show'));
  await change('hidden').filter({hasText: 'It is retired.'}).waitFor();
  await back();
  await carol.getByRole('button', {name: 'Cancel'}).last().click();

  await open(carol, '/admin/limits');
  await carol.click(at('limit-new'));
  await carol.fill(at('rule-user'), 'ada');
  await carol.selectOption(at('rule-metric'), {label: 'Jobs per day'});
  await carol.fill(at('rule-limit'), '0');
  await carol.click(at('rule-preview'));
  await change('refused').first().waitFor();
  await change('limit').filter({hasText: 'user ada'}).waitFor();
  await shown.locator(at('preview-refused-everywhere')).waitFor();
  await back();
  const {rules = []} = await get(carol, 'LimitService/ListLimitRules', {});
  assert.ok(!rules.some(({source, metric}) =>
    source === 'user ada' && metric === 'LIMIT_METRIC_JOBS_PER_DAY'));
  const {entries} = await get(carol, 'AuditService/ListAudit',
                              {filter: {act: 'admin-preview'}});
  assert.ok(entries.some(({result}) =>
    result.includes('limit of user ada: max_jobs_per_day 0')));
  assert.ok(entries.some(({result}) => result.includes('gpu_types')));
  await open(carol, '/admin/templates');
});

test('the server refuses the same without the form', async () => {
  const many = await submit({project: projects.teaching, gpusPerNode: 2});
  assert.equal(many.status, 403);
  assert.match(many.body.message, /^job requests 2 GPUs on a node: template "Courses/);
  const other = await submit(
      {project: projects.teaching, template: templates.plain, gpusPerNode: 1});
  assert.equal(other.status, 403);
  assert.match(other.body.message, /template is not one of the project/);
  const none = await submit({project: projects.office, gpusPerNode: 1});
  assert.equal(none.status, 403);
  assert.match(none.body.message, /allows none/);
});

test('a retired template: starts nothing',
     async () => {
       await carol.click(at(`template-retire-${templates.plain}`));
       await carol.click(at('confirm'));
       await row(plain).locator('.state', {hasText: 'retired'}).waitFor();
       const {status, body} = await submit({project: projects.office});
       assert.equal(status, 403);
       assert.match(body.message, /every template of the project is retired/);
       await get(carol, 'TemplateService/DetachTemplate', {
         templateId: templates.plain, projectId: projects.office,
       });
       const preview = await get(ada, 'JobService/PreviewJob', {
         spec: {app: 'shell', project: projects.office},
       });
       assert.deepEqual(preview.violations ?? [], []);
     });

test('a job by a template runs, under a name in any script', async () => {
  await ada.selectOption(at('field-project'), projects.teaching);
  await ada.fill(at('field-gpusPerNode'), '0');
  await ada.click(at('more-options'));
  await ada.fill(at('field-name'), jobName);
  const [answer] = await Promise.all([
    ada.waitForResponse(/JobService\/SubmitJob/),
    ada.click(at('start-submit')),
  ]);
  assert.equal(answer.status(), 200, await answer.text());
  const {job} = await answer.json();
  jobId = job.id;
  assert.equal(job.spec.template, templates.courses);
  assert.equal(job.spec.name, jobName);
  const slurmJob = await waitFor('Slurm has the job', async () =>
      (await call(ada, 'JobService/GetJob', {jobId})).body.job.slurmJobId);
  const seen = onHost('head', 'scontrol', 'show', 'job', `${slurmJob}`);
  assert.ok(seen.includes(`JobName=${jobName}`), seen);
});

test('ended, it is started again as it was', async () => {
  await get(ada, 'JobService/StopJob', {jobId});
  const ended = ada.locator(`${at(`job-${jobId}`)}.ended-job`);
  await ended.waitFor();
  await ada.fill(at('field-name'), 'something else');
  await ada.selectOption(at('field-project'), projects.office);
  await ended.locator(at('job-again')).click();
  assert.equal(await ada.inputValue(at('field-name')), jobName);
  assert.equal(await ada.inputValue(at('field-project')), projects.teaching);
  assert.equal(await ada.inputValue(at('field-template')), templates.courses);
  assert.equal(await ada.inputValue(at('field-walltime')), '10 min');
  await ada.locator(at('start-summary')).waitFor();
});

test('a preset stores the form, and restores it after a new log-in',
     async () => {
       const preset = `Jeden Montag 🗓 ${stamp}`;
       await ada.click(at('presets-open'));
       await ada.fill(at('preset-name'), preset);
       await ada.click(at('preset-save'));
       const kept = `${at('preset')}[data-name="${preset}"]`;
       await ada.locator(kept).waitFor();
       await ada.reload();
       await ada.waitForSelector(at('start-form'));
       assert.equal(await ada.inputValue(at('field-project')), '');
       await ada.click(at('presets-open'));
       await ada.locator(`${kept} ${at('preset-use')}`).click();
       assert.equal(await ada.inputValue(at('field-project')),
                    projects.teaching);
       await ada.click(at('presets-open'));
       await ada.locator(`${kept} ${at('preset-delete')}`).click();
       await ada.locator(kept).waitFor({state: 'detached'});
       await ada.keyboard.press('Escape');
       const others = await get(carol, 'PresetService/ListPresets', {});
       assert.deepEqual(others.presets ?? [], []);
     });

test('a link: fills in the form, reports the rest, starts nothing',
     async () => {
       const link = await ada.getAttribute(at('form-link'), 'data-link');
       assert.ok(link.startsWith(`${origin()}/#/?`));
       const {jobs: before = []} = await get(ada, 'JobService/ListJobs', {});
       await ada.reload();
       await ada.waitForSelector(at('start-form'));
       await ada.goto(`${link}&nodes=2&stageOut=a&moon=1`);
       await ada.locator(at('link-note')).waitFor();
       assert.equal(await ada.inputValue(at('field-name')), jobName);
       assert.equal(await ada.inputValue(at('field-project')),
                    projects.teaching);
       assert.deepEqual(
           await ada.locator(at('link-error')).allInnerTexts(), [
             'Duplicate field nodes.',
             'Unknown field "stageOut".',
             'Unknown field "moon".',
           ]);
       assert.equal(new URL(ada.url()).hash, '#/');
       const {jobs: later = []} = await get(ada, 'JobService/ListJobs', {});
       assert.equal(later.length, before.length);
     });

test('a template of another project is marked at its field',
     async () => {
       await ada.goto(`${origin()}/#/?project=${projects.office}&template=${
           templates.courses}`);
       await ada.locator(at('violation-template'),
                         {hasText: 'template is not one of the project'})
           .waitFor();
     });

test('actions of administrators are in the audit log', async () => {
  const {entries} = await get(carol, 'AuditService/ListAudit',
                              {filter: {act: 'template-attach'}});
  assert.ok(entries.some(({subject}) => subject ===
      `${templates.courses} ${projects.teaching}`));
});

test('the browsers reported no error', () => {
  // What a test was refused on purpose Chromium logs, too.
  const problems = [...ada.problems, ...carol.problems]
      .filter((problem) => !/ (403|409) /.test(problem));
  assert.equal(problems.join('\n'), '');
});
