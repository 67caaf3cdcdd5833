// A desktop in the browser, and beside it in the same job a program that knows
// TCP alone.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {after, before, test} from 'node:test';

import {at, call, launch, newPerson, resumeSession} from './browser.mjs';
import {newNotebook, runCell} from './notebook.mjs';
import {
  appAddress, hostCommand, onHost, waitFor,
} from '../support/demo.mjs';

let browser, page, jobId, slurmJob, node, desktop;
const jobCard = () => page.locator(at(`job-${jobId}`));

// In the image: JupyterLab without a configured socket.
// Its traces go with the job: what a later test's JupyterLab found of them it
// would open again.
const webApp = `#!/bin/sh
mkdir -p /tmp/web-app
cd /tmp/web-app
export JUPYTERLAB_WORKSPACES_DIR=/tmp/web-app/.workspaces
exec jupyter-lab --no-browser --ip=127.0.0.1 --port="$1" --port-retries=0 \\
  --IdentityProvider.token= --ServerApp.password= \\
  --ServerApp.allow_remote_access=True
`;

before(async () => {
  browser = await launch();
  page = await newPerson(browser);
  await resumeSession(page, 'ada');
  const {body} = await call(page, 'JobService/SubmitJob', {spec: {
    walltime: '900s', app: 'desktop',
  }});
  jobId = body.job.id;
  await page.waitForSelector(`${at(`job-${jobId}`)}[data-state="ready"]`,
                             {timeout: 60_000});
  const {job} = (await call(page, 'JobService/GetJob', {jobId})).body;
  node = job.nodes[0];
  slurmJob = job.slurmJobId;
});
after(async () => {
  await call(page, 'JobService/StopJob', {jobId});
  await waitFor('the job has ended', async () => {
    const {body} = await call(page, 'JobService/GetJob', {jobId});
    return body.job.state === 'JOB_STATE_ENDED';
  });
  await browser.close();
});

async function open(app, host) {
  const [tab] = await Promise.all([
    page.context().waitForEvent('page'),
    jobCard().locator(at(app)).click(),
  ]);
  await tab.waitForURL(`${appAddress(host)}**`, {timeout: 60_000});
  return tab;
}

// The colour of one point of the desktop, as the page has it.
const colourAt = (x, y) => desktop.evaluate(([left, top]) => {
  const canvas = document.querySelector('canvas');
  const point = canvas.getContext('2d').getImageData(left, top, 1, 1);
  return [...point.data].slice(0, 3);
}, [x, y]);
const isNear = (colour, expected) =>
    colour.every((part, index) => Math.abs(part - expected[index]) < 16);
const background = [13, 64, 56];
const isBackground = async (x, y) => isNear(await colourAt(x, y), background);

test('desktop: its picture appears, in the size of the page', async () => {
  desktop = await open('job-open', jobId);
  await desktop.waitForSelector('canvas', {timeout: 60_000});
  await waitFor('the desktop has the size of the page', () =>
      desktop.evaluate(() => document.querySelector('canvas').width ===
                             window.innerWidth), 60_000);
  await waitFor('the background is there', () => isBackground(900, 700),
                60_000);
  await waitFor('the panel is there', async () =>
      isNear(await colourAt(900, 15), [246, 245, 244]), 60_000);
});

test('desktop: a terminal is opened and typed into', async () => {
  const typed = `/home/ada/typed-${jobId}`;
  const {width, height} = desktop.viewportSize();
  await waitFor('a terminal covers the background', async () => {
    await desktop.mouse.click(121, 15);  // the second thing in the panel
    await desktop.mouse.move(width / 2, height - 20);
    return waitFor('it does now', async () =>
        !await isBackground(300, 250), 8_000);
  }, 60_000);
  await waitFor('what was typed has been done', async () => {
    await desktop.keyboard.type(`echo $(id -un) in $SLURM_JOB_ID > ${typed}\n`);
    return waitFor('it has now', () => onHost(node, 'cat', typed), 4_000);
  }, 60_000);
  assert.equal(onHost(node, 'cat', typed), `ada in ${slurmJob}\n`);
});

test('desktop: listens on nothing that a node\'s users share', () => {
  const sockets = onHost(node, 'ss', '-Hlxtnp').split('\n');
  assert.ok(sockets.some((line) => / \/\S+ .*Xtigervnc/.test(line)));
  const ofDesktop = /"(Xtigervnc|websockify|xf\w+|dbus-daemon)"/;
  const shared = sockets.filter((line) =>
      ofDesktop.test(line) && !/ \/\S+ /.test(line));
  assert.deepEqual(shared, []);
});

test('web app: an app on a TCP port works with websockets',
     async () => {
       execFileSync(
           ...hostCommand(node, 'runuser', '-u', 'ada', '--', 'sh', '-c',
                          'cat > ~/.carme/web-app; chmod 755 ~/.carme/web-app'),
           {input: webApp});
       const notebook = await newNotebook(
           await open('open-web', `${jobId}-web`));
       assert.equal(await runCell(notebook, 'print(6 * 7)'), '42');
       assert.match(await runCell(
           notebook, '!ip -br address | grep -vc "^lo "; id -un'), /^0\s+ada$/);
     });

test('web app: its port is not the node\'s', () => {
  assert.doesNotMatch(onHost(node, 'ss', '-Hltn'), /:8080\s/);
});
