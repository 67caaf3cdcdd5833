// What benchmarks against the demo share: a job as a user starts it, a shell
// on one of its hosts, and the lines that are printed.
import {spawn} from 'node:child_process';
import {createInterface} from 'node:readline';

import {demo, hostCommand} from './demo.mjs';
import {request} from './portal.mjs';

export const median =
    (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

// The function that prints a figure of benchmark `bench`.
export const figuresOf = (bench) => (subject, metric, value, unit = 'ms') =>
    console.log(JSON.stringify(
        {bench, subject, metric, value: Math.round(value * 100) / 100, unit}));

// A shell on the host, open before a clock starts. ask() resolves with the
// next line it prints.
export function openShell(host, ...as) {
  const shell = spawn(...hostCommand(host, ...as, 'bash'),
                      {stdio: ['pipe', 'pipe', 'inherit']});
  const lines = createInterface({input: shell.stdout});
  return {
    ask: (command) => new Promise((done) => {
      lines.once('line', done);
      shell.stdin.write(`${command}\n`);
    }),
    close: () => shell.stdin.end(),
  };
}

// From SubmitJob, as the page does it, to the first answer of `app` on the
// job's own host, then StopJob. `watch` is a stream's until(); `look` may ask
// for more about the job before it is stopped. In ms: what each phase took.
export async function clickThrough(client, watch, app,
                                   look = async () => ({})) {
  const start = performance.now();
  const {body} = await client.call('JobService/SubmitJob', {spec: {
    name: 'bench', gpusPerNode: 1, gpuType: 'h200', walltime: '600s', app,
  }});
  if (!body.job) throw new Error(JSON.stringify(body));
  const {id} = body.job;
  const submitted = performance.now();
  await watch(id, 'JOB_STATE_STARTING');
  const started = performance.now();
  await watch(id, 'JOB_STATE_READY');
  const ready = performance.now();
  const opened = await client.call('JobService/OpenApp', {jobId: id});
  const ticket = await request(opened.body.url);
  const cookie = ticket.headers['set-cookie'][0].split(';')[0];
  const answer = await request(`https://${id}.${demo().jobs_domain}/api`,
                               {headers: {Cookie: cookie}});
  if (answer.status !== 200) throw new Error(`HTTP ${answer.status}`);
  const end = performance.now();
  const seen = await look(id);
  await client.call('JobService/StopJob', {jobId: id});
  await watch(id, 'JOB_STATE_ENDED');
  return {
    submit: submitted - start, allocate: started - submitted,
    start: ready - started, open: end - ready, total: end - start, ...seen,
  };
}
