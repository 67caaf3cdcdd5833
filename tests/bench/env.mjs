// What entering an environment costs: Carme's start of a container against
// bare `apptainer exec` of the same image; the click to JupyterLab's first
// answer in it, by phase; Carme's hooks on a node against starting a program
// that does nothing; making an environment of `srun --environment` (EDF) of the
// same image. All in turn, medians.
import {readFileSync} from 'node:fs';

import {clickThrough, figuresOf, median, openShell} from '../support/click.mjs';
import {onHost} from '../support/demo.mjs';
import {Client, streamOf} from '../support/portal.mjs';

const rounds = Number(process.env.ROUNDS ?? 7);
const node = 'n1';
const line = figuresOf('env');
const setting = (text, key) =>
    new RegExp(`^${key} = "(.*)"$`, 'm').exec(text)[1];

const apptainer = setting(onHost(node, 'cat', '/etc/carme/agent.toml'),
                          'apptainer');
const image = setting(onHost('head', 'cat', '/etc/carme/backend.toml'),
                      'path');

async function bareStart(shell) {
  const start = performance.now();
  // --pwd: it has no home in there to begin in.
  await shell.ask(`cd /; ${apptainer} --quiet exec --containall --no-home ` +
                  `--pwd / ${image} echo up < /dev/null`);
  const took = performance.now() - start;
  await shell.ask('echo over');  // its end is not part of the next one
  return took;
}

// Runs `command` on the node; ms by the node's own clock, with no pipe in it.
const timed = async (shell, command) => Number(await shell.ask(
    `t=$EPOCHREALTIME; ${command} > /dev/null 2>&1; u=$EPOCHREALTIME; ` +
    'echo $((${u/./} - ${t/./}))')) / 1000;

const hook = (name) => 'env -i SLURM_JOB_ID=4000000 SLURM_JOB_CONSTRAINTS=' +
    `carme SLURM_JOB_UID=$(id -u ada) /opt/carme/libexec/carme/${name}`;

// The job's own log has a line a step: what happened, and after how long.
async function stepsOf(client, jobId) {
  const {body} = await client.call('JobService/GetLog', {jobId});
  const after = (event) => Number(
      new RegExp(`${event}.* after_ms=(\\d+)`).exec(body.text)[1]);
  return {
    register: after('registered'),
    environment: after('environment entered'),
    app: after('app ready'),
  };
}

async function click(client, watch) {
  const {start, open, total, ...phases} = await clickThrough(
      client, watch, 'jupyter', (id) => stepsOf(client, id));
  const {register, environment, app} = phases;
  // Slurm's start of the agent, and the news' way to the page.
  return {...phases, rest: start - register - environment - app, open, total};
}

const client = new Client();
await client.logIn('ada');
const stream = streamOf(client);
const user = openShell(node, 'runuser', '-u', 'ada', '--');
const root = openShell(node);
const clicks = [], bare = [], nothing = [], prolog = [], epilog = [];
for (let round = 0; round <= rounds; ++round) {
  const mine = await click(client, stream.until);
  const theirs = await bareStart(user);
  const hooks = [
    await timed(root, 'env -i /bin/true'), await timed(root, hook('prolog')),
    await timed(root, hook('epilog')),
  ];
  if (round === 0) continue;  // warms the page cache for all
  clicks.push(mine);
  bare.push(theirs);
  [nothing, prolog, epilog].forEach((list, i) => list.push(hooks[i]));
}
stream.close();
user.close();
root.close();

const environment = median(clicks.map((phases) => phases.environment));
line('carme', 'container_start_ms', environment);
line('apptainer', 'container_start_ms', median(bare));
line('carme', 'ratio:carme/apptainer', environment / median(bare), '1');
for (const phase of Object.keys(clicks[0])) {
  line('jupyterlab', `${phase}_ms`, median(clicks.map((p) => p[phase])));
}
const uid = onHost(node, 'id', '-u', 'ada').trim();
const mounts = onHost(
    node, 'python3', '-c',
    readFileSync(new URL('edf_mount.py', import.meta.url), 'utf8'),
    '/opt/carme/libexec/carme/carme-env-mount', uid, uid,
    onHost('head', 'cat', '/etc/edf/base.toml'), String(rounds + 1));
line('edf', 'edf_mount_ms',
     median(mounts.trim().split('\n').slice(1).map(Number)));
line('prolog', 'hook_ms', median(prolog));
line('epilog', 'hook_ms', median(epilog));
line('true', 'hook_ms', median(nothing));
process.exit(0);
