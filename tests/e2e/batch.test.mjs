// Batch jobs: an array, a job that waits for it, output files, failures; in the
// page, and by a script with a token.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {after, before, test} from 'node:test';

import {at, call, launch, logIn, newPerson, open} from './browser.mjs';
import {onHost, waitFor} from '../support/demo.mjs';

let browser, page, arrayId, afterId, failedId, token;
const asCarol = (script) =>
    onHost('head', 'runuser', '-u', 'carol', '--', 'sh', '-c', script).trim();
const row = (id) => page.locator(at(`job-${id}`));
const stateIs = (id, state) => page.waitForSelector(
    `${at(`job-${id}`)}[data-state="${state}"]`, {timeout: 60_000});
const submit = async (batch) => {
  const {status, body} = await call(page, 'JobService/SubmitJob', {
    spec: {batch, walltime: '600s'},
  });
  assert.equal(status, 200, JSON.stringify(body));
  return body.job.id;
};
const jobNow = async (jobId) =>
    (await call(page, 'JobService/GetJob', {jobId})).body.job;

before(async () => {
  asCarol('rm -rf ~/batch; mkdir ~/batch; cd ~/batch; ' +
          'printf "#!/bin/sh\\necho after with \\"\\$1\\"\\n" > after.sh');
  browser = await launch();
  page = await newPerson(browser);
  await logIn(page, 'carol');
});
after(async () => {
  for (const jobId of [arrayId, afterId]) {
    if (jobId) await call(page, 'JobService/StopJob', {jobId});
  }
  if (token) {
    const {body} = await call(page, 'AccountService/ListTokens', {});
    for (const {id, name} of body.tokens ?? []) {
      if (name === 'batch-e2e') {
        await call(page, 'AccountService/RevokeToken', {id});
      }
    }
  }
  asCarol('rm -rf ~/batch');
  await browser.close();
});

test('form: invalid values are refused beside their field', async () => {
  await page.check(at('kind-batch'));
  await page.fill(at('field-command'), 'true');
  await page.fill(at('field-array'), '3-1');
  const array = page.locator(at('violation-array')).first();
  await array.waitFor({timeout: 60_000});
  assert.match(await array.innerText(), /is not a valid list of indices/i);
  await page.fill(at('field-array'), '0-3%2');
  await page.fill(at('field-output'), 'batch/same.out');
  const output = page.locator(at('violation-output')).first();
  await output.waitFor({timeout: 60_000});
  assert.match(await output.innerText(), /same file for all tasks/i);
});

test('form: an array runs, no more tasks at once than wanted', async () => {
  await page.fill(at('field-command'),
                  'echo task $SLURM_ARRAY_TASK_ID; ' +
                  'until [ -e ~/batch/go ]; do sleep 0.2; done');
  await page.fill(at('field-output'), 'batch/%a.out');
  await page.fill(at('field-gpusPerNode'), '0');
  // The answer to what was typed last; and a key, since the complaints that go
  // with it move the button away from under a mouse.
  await page.waitForSelector(`${at('start-estimate')}[data-stale="false"]`,
                             {timeout: 60_000});
  const [answer] = await Promise.all([
    page.waitForResponse(/JobService\/SubmitJob/),
    page.press(at('start-submit'), 'Enter'),
  ]);
  const submitted = await answer.json();
  assert.equal(answer.status(), 200, JSON.stringify(submitted));
  arrayId = submitted.job.id;
  await stateIs(arrayId, 'ready');
  await row(arrayId).locator(at('job-array'))
      .filter({hasText: '2 running · 2 waiting'}).waitFor();
  assert.match(await row(arrayId).innerText(), /4 tasks, at most 2 at once/);
  assert.match(await row(arrayId).innerText(), /Running/);
  // There is nothing to open in it.
  const {status} = await call(page, 'JobService/OpenApp', {jobId: arrayId});
  assert.notEqual(status, 200);
  page.problems.length = 0;  // Chromium logs the refusal
});

test('log: each running task has its own', async () => {
  await row(arrayId).locator(at('job-log')).click();
  await page.selectOption(at('log-task'), '1');
  await page.locator(at('log-text')).filter({hasText: 'task 1'}).waitFor();
  await page.keyboard.press('Escape');
});

test('script: submits by a token a job that depends on the array', async () => {
  const made = await call(page, 'AccountService/CreateToken', {
    name: 'batch-e2e',
    scopes: ['jobs:write', 'jobs:read'],
    expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
  });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  token = made.body.secret;
  // Without the session's cookie, as a script on another machine.
  const {status, body} = await page.evaluate(async ([bearer, text]) => {
    const answer = await fetch('/carme.v1.JobService/SubmitJob', {
      method: 'POST',
      credentials: 'omit',
      headers: {
        'Authorization': `Bearer ${bearer}`,
        'Content-Type': 'application/json',
      },
      body: text,
    });
    return {status: answer.status, body: await answer.json()};
  }, [token, JSON.stringify({idempotencyKey: `after ${Date.now()}`, spec: {
    walltime: '600s',
    batch: {
      script: '~/batch/after.sh',
      arguments: ['two words'],
      workingDirectory: '~/batch',
      output: 'after-%j.out',
      dependencies: [{job: arrayId, kind: 'DEPENDENCY_KIND_AFTER_OK'}],
    },
  }})]);
  assert.equal(status, 200, JSON.stringify(body));
  afterId = body.job.id;
  await stateIs(afterId, 'pending');
  await waitFor('it waits for the array', async () =>
      /job/.test((await jobNow(afterId)).reason));
});

test('array: all is counted when it is done, and then the next runs',
     async () => {
       asCarol('touch ~/batch/go');
       await stateIs(arrayId, 'ended');
       const ended = await jobNow(arrayId);
       assert.equal(ended.end, 'JOB_END_COMPLETED', JSON.stringify(ended));
       assert.deepEqual(ended.array, {total: 4, completed: 4});
       await row(arrayId).locator(at('job-array'))
           .filter({hasText: '4 of 4 done'}).waitFor();
       assert.equal(asCarol('cat ~/batch/[0-3].out'),
                    'task 0\ntask 1\ntask 2\ntask 3');
       await stateIs(afterId, 'ended');
       const next = await jobNow(afterId);
       assert.equal(next.end, 'JOB_END_COMPLETED', JSON.stringify(next));
       assert.equal(asCarol(`cat ~/batch/after-${next.slurmJobId}.out`),
                    'after with two words');
     });

test('array: the log of a task is available after the end', async () => {
  await row(arrayId).locator(at('job-log')).click();
  await page.selectOption(at('log-task'), '3');
  await page.locator(at('log-text')).filter({hasText: 'task 3'}).waitFor();
  await page.keyboard.press('Escape');
});

test('failures: exit code, task and file are shown', async () => {
  const exits = await submit({command: 'echo so; exit 7'});
  failedId = await submit(
      {command: '[ $SLURM_ARRAY_TASK_ID = 0 ] || exit 3', array: '0-1'});
  const lost = await submit({command: 'true', output: '~/batch/none/out'});
  await stateIs(exits, 'ended');
  assert.match(await row(exits).innerText(), /Failed, exit code 7/);
  await stateIs(failedId, 'ended');
  const failed = await jobNow(failedId);
  assert.equal(failed.end, 'JOB_END_FAILED');
  assert.match(failed.reason, /^1 of 2 tasks failed; task 1: .*exit code 3/);
  await stateIs(lost, 'ended');
  assert.match((await jobNow(lost)).reason,
               /open output file "\/home\/carol\/batch\/none\/out"/);
  assert.deepEqual(page.problems, []);
});

test('job page: shows each task with its exit code and log, and starts the ' +
     'job again', async () => {
  await open(page, `/jobs/${failedId}`);
  await page.locator(`${at('task-0')}[data-state="finished"]`).waitFor();
  const task = page.locator(`${at('task-1')}[data-state="failed"]`);
  assert.match(await task.innerText(), /exit 3/);
  await task.click();
  await page.locator(at('log-text')).filter({hasText: 'exit_code=3'}).waitFor();
  await page.fill(at('log-search'), 'EXIT_CODE=3');
  await page.locator(at('log-matches')).filter({hasText: '1 of 1'}).waitFor();
  const [saved] = await Promise.all([
    page.waitForEvent('download'), page.click(at('log-download')),
  ]);
  // As it was written, with times in UTC.
  assert.match(readFileSync(await saved.path(), 'utf8'),
               /T\d\d:\d\d:\d\d\.\d{3}Z info batch job ended exit_code=3/);
  await page.click(at('tasks-failed'));
  assert.equal(await page.locator(at('task-0')).count(), 0);
  await page.click(at('tab-configuration'));
  const preset = `array ${Date.now()}`;
  await page.click(at('configuration-preset'));
  await page.fill(at('preset-name'), preset);
  await page.click(at('confirm'));
  await page.locator(at('success-toast'), {hasText: preset}).waitFor();
  await page.click(at('configuration-again'));
  await page.waitForSelector(at('start-form'));
  assert.match(await page.inputValue(at('field-command')), /exit 3/);
  const {body} = await call(page, 'PresetService/ListPresets', {});
  const {spec} = body.presets.find(({name}) => name === preset);
  assert.match(spec.batch.command, /exit 3/);
  await call(page, 'PresetService/DeletePreset', {name: preset});
  assert.deepEqual(page.problems, []);
});

test('job page: the failed tasks of an array fill in the start form', async () => {
  await open(page, `/jobs/${failedId}`);
  await page.click(at('rerun-failed'));
  await page.waitForSelector(at('start-form'));
  assert.equal(await page.inputValue(at('field-array')), '1');
  assert.match(await page.inputValue(at('field-command')), /exit 3/);
  assert.deepEqual(page.problems, []);
});
