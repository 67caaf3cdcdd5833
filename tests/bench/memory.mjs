// Resident memory of the demo's four daemons, each and together: at rest, then
// after use by three people: log-ins, calls, streams, jobs, Jupyter.
import {readFileSync} from 'node:fs';

import {demo, sleep} from '../support/demo.mjs';
import {Client, request, streamOf} from '../support/portal.mjs';

const rounds = Number(process.env.ROUNDS ?? 2);
const programs =
    ['carme-backend', 'carme-impersonator', 'carme-frontend', 'carme-proxy'];
const line = (subject, metric, value) => console.log(JSON.stringify({
  bench: 'memory', subject, metric, value: Math.round(value * 10) / 10,
  unit: 'MB',
}));

function residentMb(program) {
  const status =
      readFileSync(`/proc/${demo().pids[program]}/status`, 'utf8');
  return Number(status.match(/^VmRSS:\s+(\d+) kB$/m)[1]) / 1024;
}

function report(metric) {
  let together = 0;
  for (const program of programs) {
    const mb = residentMb(program);
    together += mb;
    line(program, metric, mb);
  }
  line('carme', metric, together);
}

// As many at once as a browser's connections to a host.
async function repeat(times, act) {
  for (; times > 0; times -= 6) {
    await Promise.all(Array.from({length: Math.min(times, 6)}, act));
  }
}

async function lookAround(client) {
  await repeat(6, () => request(demo().portal));
  await repeat(30, () => client.call('JobService/ListJobs', {}));
  await repeat(30, () => client.call('ClusterService/GetCluster', {}));
}

async function runJob(client, watch) {
  const {body} = await client.call('JobService/SubmitJob', {spec: {
    name: 'bench', gpusPerNode: 1, gpuType: 'h200', walltime: '600s',
    app: 'jupyter',
  }});
  if (!body.job) throw new Error(JSON.stringify(body));
  const {id} = body.job;
  await watch(id, 'JOB_STATE_READY');
  const opened = await client.call('JobService/OpenApp', {jobId: id});
  const ticket = await request(opened.body.url);
  const cookie = ticket.headers['set-cookie'][0].split(';')[0];
  await repeat(60, () => request(`https://${id}.${demo().jobs_domain}/api`,
                                 {headers: {Cookie: cookie}}));
  await client.call('JobService/StopJob', {jobId: id});
  await watch(id, 'JOB_STATE_ENDED');
}

async function use(name) {
  const client = new Client();
  await client.logIn(name);
  const streams = Array.from({length: 4}, () => streamOf(client));
  for (let round = 0; round < rounds; ++round) {
    await lookAround(client);
    await runJob(client, streams[0].until);
  }
  for (const stream of streams) stream.close();
}

report('rss_mb');
await Promise.all(['ada', 'bob', 'carol'].map(use));
await sleep(5000);
report('used_rss_mb');
process.exit(0);
