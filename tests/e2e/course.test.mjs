// A term at a university, played through in the page: an administrator gives two
// projects different templates and one of them a quota; a teacher books nodes for
// a class; a student runs a job in it, makes it longer, uses up the quota, and
// lets an array run, typing in his job all the while; a researcher leaves hers
// alone.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {at, call, launch, logIn, open, newPerson, pageOf} from './browser.mjs';
import {onHost, sleep, waitFor} from '../support/demo.mjs';
import {Client} from '../support/portal.mjs';

const stamp = Date.now();
const course = `Course ${stamp}`;
const thesis = `Thesis ${stamp}`;
const lesson = `Lesson ${stamp}`;
const kGpuHours = 11;
const kApprove = 1, kAccept = 1, kConfirm = 9;  // acts of the contract
const projects = {}, templates = {};  // ids by name
const jobs = [];  // [page, id]
let browser, carol, fay, ada, bob, reservation, lab, left, used;

const jobNow = async (page, jobId) =>
    (await call(page, 'JobService/GetJob', {jobId})).body.job;
const card = (page, id) => page.locator(at(`job-${id}`));
const stateIs = (page, id, state) =>
    page.waitForSelector(`${at(`job-${id}`)}[data-state="${state}"]`);
const minutesOf = ({startedAt, endsAt}) =>
    (Date.parse(endsAt) - Date.parse(startedAt)) / 60_000;
// As a person who comes back to the tab: news are looked for at once.
const comeBack = (page) => page.evaluate(
    () => document.dispatchEvent(new Event('visibilitychange')));
const offered = (page) => page.locator(`${at('field-project')} option`)
    .allTextContents();

async function askForProject(page, name) {
  await page.click(at('to-projects'));
  await page.click(at('project-new'));
  await page.fill(at('project-name'), name);
  await page.click(at('project-save'));
  projects[name] = await page.locator(at('project-id')).innerText();
}

async function approve(name) {
  await open(carol, '/projects');
  await carol.click(at(`project-waiting-${projects[name]}`));
  await carol.click(at(`project-act-${kApprove}`));
  await carol.locator(at('project-state'), {hasText: 'active'}).waitFor();
}

// `fields` by their names in the contract.
async function makeTemplate(name, fields, noGpus) {
  await open(carol, '/admin/templates');
  await carol.click(at('template-new'));
  await carol.fill(at('template-name'), name);
  for (const [field, text] of Object.entries(fields)) {
    await carol.fill(at(`template-${field}`), text);
  }
  if (noGpus) await carol.check(at('template-noGpus'));
  await carol.click(at('template-save'));
  const row = carol.locator(`${at('templates')} [data-name="${name}"]`);
  await row.waitFor();
  const id = (await row.getAttribute('data-testid')).replace('template-', '');
  templates[name] = id;
  await carol.click(at(`template-who-${id}`));
  await row.locator(at('template-project')).selectOption(projects[name]);
  await row.locator(at('template-attach')).click();
  await row.locator(at(`template-detach-${projects[name]}`)).waitFor();
}

async function start(page) {
  const [answer] = await Promise.all([
    page.waitForResponse(/JobService\/SubmitJob/),
    // A key: complaints that go away move the button from under a mouse.
    page.press(at('start-submit'), 'Enter'),
  ]);
  assert.equal(answer.status(), 200, await answer.text());
  const {job} = await answer.json();
  jobs.push([page, job.id]);
  return job;
}

// The answer to what was typed last.
const judged = (page) => page.waitForSelector(
    `${at('start-estimate')}[data-stale="false"]`);

// A terminal in the job, through the proxy, in a tab of its own.
async function openShell(page, id) {
  await stateIs(page, id, 'ready');
  const {body} = await call(page, 'JobService/OpenApp', {jobId: id});
  const tab = await page.context().newPage();
  await tab.goto(body.url);
  await tab.locator('.xterm').first().click();
  return tab;
}

// What happens to a job that is open in a browser and not used, beside
// all else.
async function leaveAlone(page, id) {
  await openShell(page, id);
  await waitFor('the proxy has said that it is open', async () =>
      (await jobNow(page, id)).inUse?.connections > 0);
  const banner = card(page, id).locator(at('job-idle'));
  await banner.filter({hasText: 'It is stopped at about'}).waitFor();
  const {since} = (await jobNow(page, id)).idle;
  await banner.locator(at('job-keep-alive')).click();
  await waitFor('it is kept, and warned about anew', async () => {
    const {idle} = await jobNow(page, id);
    return idle && Date.parse(idle.since) > Date.parse(since);
  });
  await stateIs(page, id, 'ended');
}

// One with input for longer than it would have had without that:
// 45 s, and two reports of its agent's.
async function keepBusy(page, id) {
  const tab = await openShell(page, id);
  const begun = Date.now();
  while (Date.now() - begun < 80_000) {
    await tab.keyboard.type('x');
    await sleep(1000);
  }
  const {state, inUse} = await jobNow(page, id);
  assert.equal(state, 'JOB_STATE_READY');
  assert.ok(inUse.lastInput, JSON.stringify(inUse));
}

before(async () => {
  browser = await launch();
  const page = async (name) => {
    const client = new Client();
    await client.resume(name);
    const made = await pageOf(browser, client);
    await open(made, '/');
    await made.waitForSelector(at('start-form'));
    return made;
  };
  carol = await newPerson(browser);
  await logIn(carol, 'carol');
  [fay, ada, bob] = [await page('fay'), await page('ada'), await page('bob')];
  await waitFor('nothing of bob\'s runs', async () => {
    const {body} = await call(bob, 'JobService/ListJobs', {});
    return !(body.jobs ?? []).some(({state}) => state !== 'JOB_STATE_ENDED');
  });
});

after(() => tidyUp().finally(() => browser.close()));

async function tidyUp() {
  for (const [page, jobId] of jobs) {
    await call(page, 'JobService/StopJob', {jobId});
    await waitFor('the job has ended', async () =>
        (await jobNow(page, jobId)).state === 'JOB_STATE_ENDED');
  }
  // Nodes that stayed reserved would be missed by all other tests.
  const reserved = () => onHost('head', 'scontrol', 'show', 'reservation');
  if (reservation && reserved().includes(reservation)) {
    await waitFor('the reservation is gone', () => {
      onHost('head', 'scontrol', 'delete', 'reservation', reservation);
      return true;
    });
  }
  for (const templateId of Object.values(templates)) {
    await call(carol, 'TemplateService/RetireTemplate', {templateId});
  }
  for (const project of Object.values(projects)) {
    await call(carol, 'LimitService/RemoveLimitRule', {rule: {
      project, scope: 'LIMIT_SCOPE_PROJECT', metric: 'LIMIT_METRIC_GPU_HOURS',
    }});
    await call(carol, 'ProjectService/CloseProject', {projectId: project});
  }
}

test('a teacher and a researcher ask for projects, and an administrator ' +
         'approves them', async () => {
  await askForProject(fay, course);
  await askForProject(ada, thesis);
  await approve(thesis);
  await approve(course);
});

test('each project gets its own template', async () => {
  await makeTemplate(thesis, {
    maxWalltime: '20 min', idleWarning: '15 s', idleStop: '30 s',
  }, true);
  await carol.locator(at(`template-${templates[thesis]}`), {
    hasText: 'no GPUs · at most 20 min · stopped after 45 s of inactivity',
  }).waitFor();
  await makeTemplate(course, {
    maxGpusPerNode: '1', maxNodes: '1', maxWalltime: '30 min',
    maxExtendedWalltime: '1 h', idleWarning: '15 s', idleStop: '30 s',
  });
});

test('the researcher finds hers in the form, and leaves a job alone',
     async () => {
       await ada.click('.brand');
       await comeBack(ada);
       await ada.selectOption(at('field-project'), {label: thesis});
       assert.ok(!(await offered(ada)).includes(course));
       await ada.locator(at('template-allows'), {hasText: 'no GPUs'}).waitFor();
       assert.equal(await ada.inputValue(at('field-gpusPerNode')), '0');
       assert.equal(await ada.inputValue(at('field-walltime')), '20 min');
       await ada.check(at('app-shell'));
       await judged(ada);
       lab = (await start(ada)).id;
       // Awaited at the end; until then others have their say.
       left = leaveAlone(ada, lab).then(() => undefined, (error) => error);
     });

test('the course gets a quota', async () => {
  await open(carol, '/admin/limits');
  await carol.click(at('limit-new'));
  await carol.selectOption(at('rule-scope'), '3');
  await carol.fill(at('rule-project'), course.slice(0, -1));
  await carol.click(`${at('rule-project-list')} [data-value="${projects[course]}"]`);
  await carol.selectOption(at('rule-metric'), `${kGpuHours}`);
  await carol.fill(at('rule-limit'), '1');
  await carol.fill(at('rule-note'), 'for the whole term');
  await carol.click(at('rule-save'));
  await carol.locator(at(`rule-project ${course}-${kGpuHours}`)).waitFor();
});

test('a student is invited, accepts, and is confirmed', async () => {
  await fay.reload();
  await fay.fill(at('invite-name'), 'bob');
  await fay.click(at('invite'));
  await fay.locator(at('member-bob')).waitFor();
  await comeBack(bob);
  await bob.locator(at('projects-waiting')).waitFor();
  await bob.click(at('to-projects'));
  await bob.click(at(`project-waiting-${projects[course]}`));
  // A page that is open learns nothing of what others do: first the one, then
  // the other.
  await Promise.all([
    bob.waitForResponse(/ProjectService\/AcceptInvitation/),
    bob.click(at(`member-act-${kAccept}-bob`)),
  ]);
  await open(carol, `/projects?project=${projects[course]}`);
  await carol.click(at(`member-act-${kConfirm}-bob`));
  await carol.locator(at('member-bob')).locator('.state', {hasText: 'member'})
      .waitFor();
});

test('the teacher books a node for the class, from now on', async () => {
  await waitFor('a node is idle', () =>
      onHost('head', 'sinfo', '-hN', '-p', 'main', '-t', 'idle', '-o', '%N')
          .trim() !== '');
  await fay.click(at('to-reservations'));
  await fay.click(at('reserve'));
  await fay.fill(at('reserve-title'), lesson);
  await fay.selectOption(at('reserve-project'),
                         {label: `All members of ${course}`});
  await fay.click(at('reserve-now'));
  await fay.fill(at('reserve-duration'), '90 min');
  const [answer] = await Promise.all([
    fay.waitForResponse(/ReservationService\/CreateReservation/),
    fay.click(at('reserve-save')),
  ]);
  assert.equal(answer.status(), 200, await answer.text());
  reservation = (await answer.json()).reservation.name;
  await fay.locator(at(`calendar-block-${reservation}`)).first().waitFor();
  // Pages ask each minute, or when the form is opened.
  await waitFor('the watcher has seen it', async () => {
    const {body} =
        await call(bob, 'ReservationService/ListReservations', {});
    return body.reservations.some(
        ({name, usable}) => name === reservation && usable);
  });
});

test('the student sees the course and its class, not the thesis',
     async () => {
       await bob.click('.brand');
       await comeBack(bob);
       await bob.selectOption(at('field-project'), {label: course});
       assert.ok(!(await offered(bob)).includes(thesis));
       await bob.locator(at('template-allows'), {
         hasText: 'at most 1 GPU per node · at most 1 node · at most 30 min',
       }).waitFor();
       assert.equal(await bob.inputValue(at('field-walltime')), '30 min');
       await bob.selectOption(at('field-reservation'), reservation);
       // Users outside the course see taken nodes.
       const tab = await ada.context().newPage();
       await open(tab, '/reservations');
       const row = tab.locator(at(`reservation-${reservation}`));
       await row.filter({hasText: 'reserved'}).waitFor();
       assert.ok(!(await row.innerText()).includes(lesson));
       await tab.close();
     });

test('his job runs in the class', async () => {
  await bob.fill(at('field-gpusPerNode'), '1');
  await bob.fill(at('field-walltime'), '30 min');
  await bob.check(at('app-shell'));
  await judged(bob);
  const {id} = await start(bob);
  await stateIs(bob, id, 'ready');
  await card(bob, id).filter({hasText: `in reservation ${lesson}`}).waitFor();
  await card(bob, id).filter({hasText: `in ${course}`}).waitFor();
  // As `left`.
  used = keepBusy(bob, id).then(() => undefined, (error) => error);
  const {slurmJobId} = await jobNow(bob, id);
  const record = onHost('head', 'scontrol', 'show', 'job', `${slurmJobId}`);
  assert.ok(record.includes(`Reservation=${reservation}`), record);
});

test('the job is extended up to the limit of its template', async () => {
  const [, id] = jobs.at(-1);
  await card(bob, id).locator(at('job-extend')).click();
  await bob.fill(at('extend-by'), '2 h');
  await bob.locator(at('extend-error'), {hasText: 'At most 30 min more'})
      .waitFor();
  await bob.fill(at('extend-by'), '15 min');
  await bob.click(at('extend-submit'));
  await waitFor('it has 45 minutes in all', async () =>
      minutesOf(await jobNow(bob, id)) === 45);
});

test('the quota is used up: the page shows by how much', async () => {
  // The form is empty after the last start. Its tile fills it in again.
  const complaint = bob.locator(at('violation-walltime'));
  assert.equal(await bob.inputValue(at('field-project')), '');
  assert.equal(await complaint.count(), 0);
  await bob.locator(at('quick-edit')).first().click();
  await bob.fill(at('field-walltime'), '30 min');
  await bob.locator(at('start-problem'), {hasText: 'Walltime: '}).waitFor();
  await complaint.filter({hasText: 'may still use, 0.8 GPU-hours'}).waitFor();
  await complaint.filter({hasText: 'and this one up to 0.5'}).waitFor();
  await complaint
      .filter({hasText: `project ${course} allows at most 1 (max_gpu_hours)`})
      .waitFor();
  const submit = bob.locator(at('start-submit'));
  assert.equal(await submit.getAttribute('aria-disabled'), 'true');
  await open(bob, '/account/limits');
  const own = bob.locator(at(`limits-of-${projects[course]}`));
  await own.locator(at('limit-use'), {hasText: /0\.[78] of 1/}).waitFor();
  await own.filter({hasText: 'for the whole term'}).waitFor();
  await own.filter({hasText: 'set by carol'}).waitFor();
});

test('an array without GPUs runs meanwhile', async () => {
  await bob.click('.brand');
  await bob.check(at('kind-batch'));
  await bob.fill(at('field-command'), 'echo task $SLURM_ARRAY_TASK_ID');
  await bob.fill(at('field-array'), '0-3%2');
  await bob.fill(at('field-gpusPerNode'), '0');
  await bob.fill(at('field-walltime'), '10 min');
  await bob.locator(at('violation-walltime')).waitFor({state: 'detached'});
  await judged(bob);
  const {id} = await start(bob);
  await stateIs(bob, id, 'ended');
  await card(bob, id).locator(at('job-array'), {hasText: '4 of 4 done'})
      .waitFor();
  await card(bob, id).locator(at('job-log')).click();
  await bob.selectOption(at('log-task'), '2');
  await bob.locator(at('log-text'), {hasText: 'task 2'}).waitFor();
  await bob.keyboard.press('Escape');
});

test('the job that was open and left alone was warned about, kept by a ' +
         'click, and stopped', async () => {
  assert.ifError(await left);
  await card(ada, lab)
      .filter({hasText: /stopped: it was not used for \d+ (s|min)/i}).waitFor();
  const {body} =
      await call(ada, 'NotificationService/ListNotifications', {});
  const notices = body.notifications.filter(({subject}) => subject === lab)
      .map(({text}) => text);
  const warnings = notices.filter((text) => /It is stopped in 30 s/.test(text));
  assert.ok(warnings.length >= 2, notices.join('\n'));
  assert.ok(notices.some((text) => /was stopped: it was not used/.test(text)),
            notices.join('\n'));
});

test('the job that was typed at in the class went on', async () => {
  assert.ifError(await used);
});

test('end of the class: its job is stopped, and the reservation cancelled',
     async () => {
       const [, id] = jobs.find(([page]) => page === bob);
       await card(bob, id).locator(at('job-stop')).click();
       await bob.click(at('confirm-stop'));
       await stateIs(bob, id, 'ended');
       await fay.click(at(`cancel-${reservation}`));
       await fay.click(at('confirm'));
       await fay.locator(at(`reservation-${reservation}`))
           .waitFor({state: 'detached'});
     });

test('the browsers reported no error', () => {
  const problems = [carol, fay, ada, bob].flatMap((page) => page.problems);
  assert.equal(problems.join('\n'), '');
});
