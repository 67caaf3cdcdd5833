// Resident memory of the demo's five daemons, each, together, and without the
// storage reader: at rest, then after use by three people: log-ins, calls,
// streams, jobs, Jupyter.
import {closeSync, openSync, readFileSync, readSync} from 'node:fs';

import {demo, sleep} from '../support/demo.mjs';
import {Client, request, streamOf} from '../support/portal.mjs';

const rounds = Number(process.env.ROUNDS ?? 2);
const programs =
    ['carme-backend', 'carme-impersonator', 'carme-storage-reader',
     'carme-frontend', 'carme-proxy'];
const line = (subject, metric, value) => console.log(JSON.stringify({
  bench: 'memory', subject, metric, value: Math.round(value * 10) / 10,
  unit: 'MB',
}));

function family(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return [pid, ...children.trim().split(' ').filter(Boolean).flatMap(family)];
}

// The numbers of the page frames that a process has resident, as
// /proc/PID/pagemap gives them: bits 0 to 54, bit 63 set.
function* framesOf(pid) {
  const map = openSync(`/proc/${pid}/pagemap`, 'r');
  for (const line of readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n')) {
    const range = /^([0-9a-f]+)-([0-9a-f]+) /.exec(line);
    if (!range || line.endsWith('[vsyscall]')) continue;
    const [first, end] = [1, 2].map((i) => parseInt(range[i], 16) / 4096);
    const entries = Buffer.alloc((end - first) * 8);
    const got = readSync(map, entries, 0, entries.length, first * 8);
    for (let at = 0; at < got; at += 8) {
      const high = entries.readUInt32LE(at + 4);
      if (high & 0x80000000) {
        yield (high & 0x7fffff) * 2 ** 32 + entries.readUInt32LE(at);
      }
    }
  }
  closeSync(map);
}

// Of all the processes of a daemon; what they share among themselves counts
// once. For a daemon of one process this is its VmRSS.
function residentMb(program) {
  const frames = new Set(
      family(demo().pids[program]).flatMap((pid) => [...framesOf(pid)]));
  return frames.size * 4096 / 2 ** 20;
}

function report(metric) {
  let all = 0;
  let four = 0;
  for (const program of programs) {
    const mb = residentMb(program);
    all += mb;
    if (program !== 'carme-storage-reader') four += mb;
    line(program, metric, mb);
  }
  line('four-daemons', metric, four);
  line('carme', metric, all);
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
    app: 'notebook',
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
