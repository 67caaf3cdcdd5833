// From the click to Jupyter's first answer through the proxy, against `srun`
// starting the same Jupyter by hand on the same node. Both in turn, medians.
//
// The click is SubmitJob; then, as the page does, WatchJobs until the job is
// ready, OpenApp, and the first GET on the job's own host.
import {spawn} from 'node:child_process';
import {createInterface} from 'node:readline';

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
    app: 'notebook',
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

// Asks until Jupyter answers, as cheaply as the agent does, so that asking
// takes no time from Jupyter's own CPU.
const untilAnswered = `
import socket, sys, time
while True:
    try:
        s = socket.socket(socket.AF_UNIX)
        s.connect(sys.argv[1])
        s.send(b"GET /api HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")
        if s.recv(12): break
    except OSError:
        time.sleep(0.02)
print("answered", flush=True)
`;
const byHandScript = `
d=$(mktemp -d /tmp/by-hand-XXXXXX)
jupyter-notebook --no-browser --NotebookApp.sock=$d/s --NotebookApp.token= \
  --NotebookApp.password= > $d/log 2>&1 &
python3 -c '${untilAnswered}' $d/s
kill $!; wait; rm -rf $d`;

// A shell of ada's on the head, open before the clock starts.
function openShell() {
  const shell = spawn(...hostCommand('head', 'runuser', '-u', 'ada', '--',
                                     'bash'),
                      {stdio: ['pipe', 'pipe', 'inherit']});
  const lines = createInterface({input: shell.stdout});
  const said = (word) => new Promise((done) => lines.on(
      'line', (line) => line.includes(word) && done()));
  return {shell, said};
}

async function byHand() {
  const {shell, said} = openShell();
  const ready = said('shell-is-open');
  shell.stdin.write('cd /home/ada; export HOME=/home/ada; ' +
                    'echo shell-is-open\n');
  await ready;
  const answered = said('answered');
  const start = performance.now();
  shell.stdin.end(`srun --gres=gpu:h200:1 sh -s << 'END'\n${byHandScript}\nEND\n`);
  await answered;
  const total = performance.now() - start;
  await new Promise((done) => shell.on('exit', done));
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
