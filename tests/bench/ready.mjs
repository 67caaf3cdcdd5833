// From the click to Jupyter's first answer through the proxy, against `srun`
// starting the same Jupyter by hand on the same node. Both in turn, medians.
//
// The click is SubmitJob; then, as the page does, WatchJobs until the job is
// ready, OpenApp, and the first GET on the job's own host.
import {clickThrough, figuresOf, median, openShell} from '../support/click.mjs';
import {Client, streamOf} from '../support/portal.mjs';

const rounds = Number(process.env.ROUNDS ?? 5);
const line = figuresOf('ready');

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

async function byHand() {
  const shell = openShell('head', 'runuser', '-u', 'ada', '--');
  await shell.ask('cd /home/ada; export HOME=/home/ada; echo open');
  const start = performance.now();
  await shell.ask('srun --gres=gpu:h200:1 sh -s << \'END\'\n' +
                  `${byHandScript}\nEND`);
  const total = performance.now() - start;
  await shell.ask('echo over');  // its end is not part of the next one
  shell.close();
  return total;
}

const client = new Client();
await client.logIn('ada');
const stream = streamOf(client);
const phases = [], hand = [];
for (let round = 0; round <= rounds; ++round) {
  const mine = await clickThrough(client, stream.until, 'notebook');
  const theirs = await byHand();
  if (round === 0) continue;  // warms the page cache for both
  phases.push(mine);
  hand.push(theirs);
}
stream.close();
for (const phase of Object.keys(phases[0])) {
  line('carme', `${phase}_ms`, median(phases.map((p) => p[phase])));
}
line('srun', 'total_ms', median(hand));
line('carme', 'extra_ms',
     median(phases.map((p) => p.total)) - median(hand));
process.exit(0);
