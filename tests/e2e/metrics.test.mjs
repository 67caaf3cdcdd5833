// Metrics of a job, from its agent through carme-metrics and the time-series
// database to the API of the portal and to the page of the job.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {after, before, test} from 'node:test';

import {at, launch, open, pageOf} from './browser.mjs';
import {waitFor} from '../support/demo.mjs';
import {Client, origin, request} from '../support/portal.mjs';

const ada = new Client();
const bob = new Client();
let job, idle, browser, page;
const tokens = {};  // id and secret by name of the person

// As Grafana asks: a form, with an access token.
async function prometheus(person, endpoint, form = {}) {
  const {status, text} = await request(
      `${origin()}/prometheus/api/v1/${endpoint}`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${tokens[person].secret}`,
          'Content-Type': 'application/x-www-form-urlencoded',
        },
        body: new URLSearchParams(form).toString(),
      });
  return {status, body: JSON.parse(text)};
}

const metrics = (client, request = {}) =>
    client.call('MetricsService/GetJobMetrics', {jobId: job.id, ...request});
const jobState = async (id = job.id) =>
    (await ada.call('JobService/GetJob', {jobId: id})).body.job.state;

// The newest value of a series, undefined without one.
async function newest(name) {
  const {status, body} = await metrics(ada, {names: [name]});
  assert.equal(status, 200, JSON.stringify(body));
  const values = (body.series ?? []).flatMap(({values}) => values ?? []);
  return values.filter((value) => value !== 'NaN').at(-1);
}

const kUnits = {B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30};
function bytesOf(text) {
  const [number, unit] = text.split(' ');
  return Number(number.replaceAll(',', '')) * kUnits[unit];
}

// The points of a series as the page asks for them.
async function stored(name) {
  const {status, body} = await metrics(ada, {names: [name], stepS: 5});
  assert.equal(status, 200, JSON.stringify(body));
  const from = Number(body.fromMs);
  return (ms) => body.series[0].values[(ms - from) / (body.stepS * 1000)];
}

const openMetrics = (visitor) => open(visitor, `/jobs/${job.id}?tab=metrics`);

before(async () => {
  await ada.logIn('ada');
  await bob.logIn('bob');
  for (const [person, client] of Object.entries({ada, bob})) {
    const {status, body} = await client.call('AccountService/CreateToken', {
      name: 'grafana', scopes: ['jobs:read'],
      expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
    });
    assert.equal(status, 200, JSON.stringify(body));
    tokens[person] = {id: body.token.id, secret: body.secret};
  }
  browser = await launch();
  page = await pageOf(browser, ada);
  const submit = async (command) => {
    const {status, body} = await ada.call('JobService/SubmitJob', {spec: {
      name: 'metrics', walltime: '600s', batch: {command},
    }});
    assert.equal(status, 200, JSON.stringify(body));
    return body.job;
  };
  idle = await submit('echo step=3 loss=0.75; sleep 600');
  // A value that a program reports once is a point; its line ends after it.
  job = await submit('(while :; do echo step=7 loss=0.25; sleep 1; done) & ' +
      'timeout 15 sh -c "while :; do :; done"; sleep 600');
  for (const {id} of [idle, job]) {
    await waitFor('the jobs run', async () =>
        (await jobState(id)) === 'JOB_STATE_READY');
  }
});

test('metrics: other users do not see that the job exists', async () => {
  const mine = await metrics(bob);
  const missing = await bob.call('MetricsService/GetJobMetrics',
                                 {jobId: 'a000000000000000'});
  assert.equal(mine.status, missing.status);
  assert.ok([403, 404].includes(mine.status), String(mine.status));
});

after(async () => {
  for (const each of [idle, job]) {
    if (each) await ada.call('JobService/StopJob', {jobId: each.id});
  }
  for (const [person, client] of Object.entries({ada, bob})) {
    const id = tokens[person]?.id;
    if (id) await client.call('AccountService/RevokeToken', {id});
  }
  await browser.close();
});

test('page: another user\'s job is not found', async () => {
  const visitor = await pageOf(browser, bob);
  await openMetrics(visitor);
  await visitor.waitForSelector(at('job-missing'));
  assert.equal(await visitor.locator(at('job-page')).count(), 0);
  await visitor.context().close();
});

test('metrics: PromQL never leaves the caller\'s jobs', async () => {
  const query = (client, text) => client.call('MetricsService/QueryPromql', {
    query: text, fromMs: String(Date.now() - 600_000),
    toMs: String(Date.now()), stepS: 5,
  });
  await waitFor('ada sees her job', async () => JSON.stringify(
      (await query(ada, 'carme_job_cpu_seconds_total')).body).includes(job.id));
  for (const text of ['carme_job_cpu_seconds_total',
                      `carme_job_cpu_seconds_total{job="${job.id}"}`,
                      'carme_job_cpu_seconds_total{job=~".*"}',
                      '{__name__=~".+"}']) {
    const {body} = await query(bob, text);
    assert.ok(!JSON.stringify(body).includes(job.id), text);
  }
});

test('metrics: Prometheus\' API has the jobs of the token\'s owner', async () => {
  const guess = await request(`${origin()}/prometheus/api/v1/query?query=1`);
  assert.equal(guess.status, 401);
  assert.equal(JSON.parse(guess.text).status, 'error');
  await waitFor('ada sees her job', async () => JSON.stringify(
      (await prometheus('ada', 'query', {query: 'carme_job_cpu_seconds_total'}))
          .body).includes(job.id));
  const selector = '{__name__=~".+"}';
  for (const [endpoint, form] of [
    ['query', {query: selector}], ['series', {'match[]': selector}],
    ['labels', {}],
  ]) {
    const {status, body} = await prometheus('bob', endpoint, form);
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.status, 'success');
    assert.ok(!JSON.stringify(body).includes(job.id), endpoint);
  }
  const {body} = await prometheus('bob', 'query', {query: '1+1'});
  assert.match(JSON.stringify(body.data), /"2"/);
});

test('metrics: CPU time, memory and values of the program are shown while the ' +
     'job runs', async () => {
  await waitFor('seconds of CPU time', async () =>
      (await newest('carme_job_cpu_seconds_total')) > 5);
  assert.ok((await newest('carme_job_memory_bytes')) > 1e6);
  assert.equal(await newest('carme_program_loss'), 0.25);
  assert.equal(await newest('carme_program_step'), 7);
});

test('page: plots continue while the job runs, without a reload', async () => {
  await openMetrics(page);
  const legend = page.locator(`${at('plot-memory')} ${at('plot-legend')}`);
  const newestMs = async () => Number(await legend.getAttribute('data-at-ms'));
  await legend.waitFor();
  await page.locator(`${at('plot-carme_program_loss')} ${at('plot-value')}`,
                     {hasText: '0.25'}).waitFor();
  const first = await newestMs();
  const reads = [];
  page.on('request', (request) => {
    if (/GetJobMetrics/.test(request.url())) reads.push(request);
  });
  await waitFor('a newer value', async () => (await newestMs()) > first + 5000);
  assert.equal(reads.length, 0);
  assert.deepEqual(page.problems, []);
});

test('card: shows what the job uses now, and leads to its page', async () => {
  await open(page, '/');
  const card = page.locator(at(`job-${job.id}`));
  await card.locator(at('spark-memory'), {hasText: /\d [KMG]iB/}).waitFor();
  assert.equal(await card.locator(at('spark-gpu')).count(), 0);
  await card.locator(at('job-link')).click();
  await page.waitForSelector(`${at('step-app')}[data-state="current"]`);
});

test('metrics: they outlive the job', async () => {
  await ada.call('JobService/StopJob', {jobId: job.id});
  await waitFor('the job has ended', async () =>
      (await jobState()) === 'JOB_STATE_ENDED');
  assert.ok((await newest('carme_job_cpu_seconds_total')) > 5);
  const {status, body} = await ada.call('MetricsService/ExportJob',
                                        {jobId: job.id, format: 'FORMAT_CSV'});
  assert.equal(status, 200, JSON.stringify(body));
  assert.match(Buffer.from(body.files[0].content, 'base64').toString(),
               /carme_job_cpu_seconds_total/);
});

test('page: shows the stored values of an ended job, in a table and at the ' +
     'cursor', async () => {
  await openMetrics(page);
  const valueAt = await stored('carme_job_memory_bytes');
  const plot = page.locator(at('plot-memory'));
  await plot.locator('canvas').waitFor();

  // The last value, reached with the keyboard.
  await plot.locator('.plot-canvas').focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('End');
  for (let i = 0; i < 3; ++i) await page.keyboard.press('ArrowLeft');
  const legend = plot.locator(at('plot-legend'));
  const ms = Number(await legend.getAttribute('data-at-ms'));
  const shown = await legend.locator(`${at('plot-value')}[data-line="in use"]`)
      .innerText();
  assertClose(bytesOf(shown), valueAt(ms), 'at the cursor');
  // Another plot has its cursor at the same time.
  assert.equal(
      await page.locator(`${at('plot-cpu')} ${at('plot-legend')}`)
          .getAttribute('data-at-ms'), String(ms));

  const [saved] = await Promise.all([
    page.waitForEvent('download'), page.click(at('export-csv')),
  ]);
  assert.match(readFileSync(await saved.path(), 'utf8'),
               /carme_job_memory_bytes/);

  await page.check(at('show-tables'));
  const rows = await plot.locator('tbody tr').evaluateAll((all) => all.map(
      (row) => ({ms: Number(row.dataset.atMs),
                 text: row.querySelector('td').textContent})));
  const known = rows.filter(({text}) => text !== 'no value');
  assert.ok(known.length > 3, JSON.stringify(rows));
  for (const {ms: rowMs, text} of rows) {
    const value = valueAt(rowMs);
    if (text === 'no value') assert.ok([undefined, 'NaN'].includes(value), text);
    else assertClose(bytesOf(text), value, `at ${rowMs}`);
  }
  assert.deepEqual(page.problems, []);
});

test('page: tells what an ended job asked for and used, and starts the next ' +
     'one with what would have been enough', async () => {
  const {status, body} =
      await ada.call('MetricsService/GetJobReceipt', {jobId: job.id});
  assert.equal(status, 200, JSON.stringify(body));
  const {receipt} = body;
  assert.ok(receipt.ended);
  await open(page, `/jobs/${job.id}`);
  const table = page.locator(at('job-receipt'));
  const memory = receipt.used.find(
      ({series}) => series === 'carme_job_memory_bytes');
  const row = table.locator('tr', {hasText: 'Memory'}).first();
  await row.waitFor();
  const cells = await row.locator('td').allInnerTexts();
  assertClose(bytesOf(cells[0]), memory.mean, 'mean memory');
  assertClose(bytesOf(cells[2]), memory.peak, 'peak of the memory');
  await page.locator(at('job-findings')).waitFor();

  const {asked, enough} = receipt;
  assert.ok(Number(enough.memoryBytesPerNode) < Number(asked.memoryBytesPerNode));
  await page.click(at('start-with-enough'));
  await page.waitForSelector(at('start-form'));
  assert.deepEqual(page.problems, []);
});

test('page: a comparison with another user\'s job is not found', async () => {
  const visitor = await pageOf(browser, bob);
  await open(visitor, `/compare?jobs=${idle.id},${job.id}`);
  await visitor.waitForSelector(at('job-missing'));
  assert.equal(await visitor.locator(at('comparison')).count(), 0);
  await visitor.context().close();
});

test('page: compares a job that worked with an earlier one that was idle',
     async () => {
  await ada.call('JobService/StopJob', {jobId: idle.id});
  await waitFor('the idle job has ended', async () =>
      (await jobState(idle.id)) === 'JOB_STATE_ENDED');
  await open(page, `/jobs/${job.id}`);
  await page.click(at('compare-earlier'));
  await page.click(at(`compare-with-${idle.id}`));
  await page.locator(at('comparison-table')).waitFor();

  const receipts = await Promise.all([idle, job].map(async ({id}) =>
      (await ada.call('MetricsService/GetJobReceipt', {jobId: id})).body.receipt));
  const shown = (row) => page.locator(
      `${at(`row-${row}`)} ${at('comparison-value')}`).allInnerTexts();
  for (const [series, numberOf] of [
    ['carme_job_cpu_seconds_total', parseFloat],
    ['carme_job_memory_bytes', bytesOf],
  ]) {
    const uses = receipts.map(({used}) => used.find((use) => use.series === series));
    for (const statistic of ['mean', 'peak']) {
      const texts = await shown(`${series}-${statistic}`);
      assert.equal(texts.length, 2, `${series} ${statistic}`);
      texts.forEach((text, index) => assertClose(
          numberOf(text), uses[index][statistic], `${series} ${statistic}`));
    }
  }
  assert.deepEqual(await shown('carme_program_loss-last'), ['0.75', '0.25']);
  const loss = page.locator(
      `${at('row-carme_program_loss-last')} ${at('comparison-difference')}`);
  assert.equal(await loss.getAttribute('data-verdict'), 'better');

  // Values at the same time since the start of each job.
  await page.check(at('show-tables'));
  const row = page.locator(`${at('plot-memory')} tbody tr[data-at-ms="20000"]`);
  const cells = await row.locator('td').allInnerTexts();
  for (const [index, {id}] of [idle, job].entries()) {
    const {body} = await ada.call('MetricsService/GetJobMetrics',
        {jobId: id, names: ['carme_job_memory_bytes'], stepS: 5});
    const {values} = body.series.find(({labels}) => !labels?.step);
    assertClose(bytesOf(cells[index]), values[4], `memory of ${id}`);
  }
  assert.deepEqual(page.problems, []);
});

test('page: sums up the jobs of a month, as the API has them', async () => {
  const month = new Date();
  month.setDate(1);
  month.setHours(0, 0, 0, 0);
  const from = month.toISOString();
  const usage = await ada.call('HistoryService/GetUsage',
                               {from, by: 'USAGE_BY_USER'});
  const {body: history} = await ada.call('HistoryService/ListHistory',
                                         {filter: {from}, pageSize: 200});
  const jobIds = history.jobs.filter(({startedAt}) => startedAt)
      .map(({id}) => id);
  // Batch jobs are archived some minutes after their end.
  const archived = async (client) => {
    let count = 0;
    for (let first = 0; first < jobIds.length; first += 100) {
      const {status, body} =
          await client.call('MetricsService/SummarizeJobs',
                            {jobIds: jobIds.slice(first, first + 100)});
      assert.equal(status, 200, JSON.stringify(body));
      count += (body.jobs ?? []).length;
    }
    return count;
  };
  assert.equal(await archived(bob), 0);
  await waitFor('the page has what is archived', async () => {
    await open(page, '/');
    await open(page, '/summary');
    await page.locator(at('summary')).waitFor();
    const text = await page.locator(at('summary-coverage')).innerText();
    return text.includes(`: ${await archived(ada)} of ${jobIds.length} `);
  });
  assert.equal(await page.locator(at('summary-jobs')).innerText(),
               String(usage.body.rows[0].jobs));
  assert.ok(await page.locator(`${at('summary-largest')} tbody tr`).count() >= 2);
  // Nothing but the sheet is printed.
  await page.emulateMedia({media: 'print'});
  assert.equal(await page.locator(at('summary-print')).isVisible(), false);
  assert.equal(await page.locator(at('to-usage')).isVisible(), false);
  assert.ok(await page.locator(at('summary')).isVisible());
  await page.emulateMedia({media: null});
  assert.deepEqual(page.problems, []);
});

// The page shows three digits.
function assertClose(shown, value, where) {
  assert.ok(Math.abs(shown - value) <= 0.01 * value,
            `${where}: the page shows ${shown}, the API has ${value}`);
}
