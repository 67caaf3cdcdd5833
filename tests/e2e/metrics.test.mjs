// Metrics of a job, from its agent through carme-metrics and the time-series
// database to the API of the portal.
import assert from 'node:assert/strict';
import {before, test} from 'node:test';

import {waitFor} from '../support/demo.mjs';
import {Client} from '../support/portal.mjs';

const ada = new Client();
const bob = new Client();
let job;

const metrics = (client, request = {}) =>
    client.call('MetricsService/GetJobMetrics', {jobId: job.id, ...request});
const jobState = async () =>
    (await ada.call('JobService/GetJob', {jobId: job.id})).body.job.state;

// The newest value of a series, undefined without one.
async function newest(name) {
  const {status, body} = await metrics(ada, {names: [name]});
  assert.equal(status, 200, JSON.stringify(body));
  const values = (body.series ?? []).flatMap(({values}) => values ?? []);
  return values.filter((value) => value !== 'NaN').at(-1);
}

before(async () => {
  await ada.logIn('ada');
  await bob.logIn('bob');
  const {status, body} = await ada.call('JobService/SubmitJob', {spec: {
    name: 'metrics', walltime: '600s', batch: {
      command: 'echo step=7 loss=0.25; timeout 15 sh -c "while :; do :; done"; ' +
          'sleep 600',
    },
  }});
  assert.equal(status, 200, JSON.stringify(body));
  job = body.job;
  await waitFor('the job runs', async () =>
      (await jobState()) === 'JOB_STATE_READY');
});

test('metrics: other users do not see that the job exists', async () => {
  const mine = await metrics(bob);
  const missing = await bob.call('MetricsService/GetJobMetrics',
                                 {jobId: 'a000000000000000'});
  assert.equal(mine.status, missing.status);
  assert.ok([403, 404].includes(mine.status), String(mine.status));
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

test('metrics: CPU time, memory and values of the program are shown while the ' +
     'job runs', async () => {
  await waitFor('seconds of CPU time', async () =>
      (await newest('carme_job_cpu_seconds_total')) > 5);
  assert.ok((await newest('carme_job_memory_bytes')) > 1e6);
  assert.equal(await newest('carme_program_loss'), 0.25);
  assert.equal(await newest('carme_program_step'), 7);
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
