// From the click to Jupyter's first answer through the proxy, against `srun`
// starting the same Jupyter by hand on the same node. Both in turn, medians.
//
// The click is SubmitJob; then, as the page does, WatchJobs until the job is
// ready, OpenApp, and the first GET on the job's own host.
import {spawn} from 'node:child_process';

import {demo, hostCommand} from '../support/demo.mjs';
import {Client, request, streamOf} from '../support/portal.mjs';

const rounds = Number(process.env.ROUNDS ?? 5);
const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];
const line = (subject, metric, value, unit) => console.log(JSON.stringify(
    {bench: 'ready', subject, metric, value: Math.round(value), unit}));

async function throughCarme(client, watch) {
  const start = performance.now();
  const {body} = await client.call('JobService/SubmitJob', {spec: {
    name: 'bench', gpusPerNode: 1, gpuType: 'h200', walltime: '600s',
    app: 'jupyter',
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
  await client.call('JobService/StopJob', {jobId: id});
  await watch(id, 'JOB_STATE_ENDED');
  return {
    submit: submitted - start, allocate: started - submitted,
    start: ready - started, open: end - ready, total: end - start,
  };
}

// The command of the demo's own configuration, from srun to its first answer.
async function byHand() {
  const script = `
d=$(mktemp -d /tmp/by-hand-XXXXXX); cd; export HOME
jupyter-notebook --no-browser --NotebookApp.sock=$d/s --NotebookApp.token= \
  --NotebookApp.password= > $d/log 2>&1 &
until curl -s -o /dev/null --unix-socket $d/s http://localhost/api; do
  sleep 0.02; done
echo answered; kill $!; wait; rm -rf $d`;
  const start = performance.now();
  const child = spawn(...hostCommand('head', 'runuser', '-u', 'ada', '--',
      'srun', '--gres=gpu:h200:1', '--chdir=/home/ada', 'sh', '-c', script),
                      {stdio: ['ignore', 'pipe', 'inherit']});
  await new Promise((done) => child.stdout.on(
      'data', (text) => String(text).includes('answered') && done()));
  const total = performance.now() - start;
  await new Promise((done) => child.on('exit', done));
  return total;
}

const client = new Client();
await client.logIn('ada');
const stream = streamOf(client);
const phases = [], hand = [];
for (let round = 0; round <= rounds; ++round) {
  const mine = await throughCarme(client, stream.until);
  const theirs = await byHand();
  if (round === 0) continue;  // warms the page cache for both
  phases.push(mine);
  hand.push(theirs);
}
stream.close();
for (const phase of Object.keys(phases[0])) {
  line('carme', `${phase}_ms`, median(phases.map((p) => p[phase])), 'ms');
}
line('srun', 'total_ms', median(hand), 'ms');
line('carme', 'extra_ms',
     median(phases.map((p) => p.total)) - median(hand), 'ms');
process.exit(0);
