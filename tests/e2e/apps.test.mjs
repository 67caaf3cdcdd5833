// Several apps in one job, in the base image: VS Code and a terminal beside
// JupyterLab, each at an address of its own, through the proxy in a browser. The
// demo may be a site of hosts or of paths (CARME_DEMO_PATHS).
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {at, call, launch, newPerson, resumeSession} from './browser.mjs';
import {
  appAddress, jobCookie, kill9, onHost, waitFor,
} from '../support/demo.mjs';

let browser, page, jobId, shell, code;
const jobCard = () => page.locator(at(`job-${jobId}`));
const stateIs = (state) => page.waitForSelector(
    `${at(`job-${jobId}`)}[data-state="${state}"]`, {timeout: 60_000});

before(async () => {
  browser = await launch();
  page = await newPerson(browser);
  await resumeSession(page, 'bob');
  const {body} = await call(page, 'JobService/SubmitJob', {spec: {
    walltime: '600s', app: 'jupyter', gpusPerNode: 1,
  }});
  jobId = body.job.id;
  await stateIs('ready');
});
after(async () => {
  await call(page, 'JobService/StopJob', {jobId});
  await waitFor('the job has ended', async () => {
    const {body} = await call(page, 'JobService/GetJob', {jobId});
    return body.job.state === 'JOB_STATE_ENDED';
  });
  await browser.close();
});

async function open(app) {
  const [tab] = await Promise.all([
    page.context().waitForEvent('page'),
    jobCard().locator(at(`open-${app}`)).click(),
  ]);
  await tab.waitForURL(`${appAddress(`${jobId}-${app}`)}**`,
                       {timeout: 60_000});
  return tab;
}

// What the terminal shows, which xterm.js draws as rows of text.
const screen = () => shell.locator('.xterm-rows').first().innerText();
async function typed(line, shows) {
  await shell.locator('.xterm').first().click();
  await shell.keyboard.type(`${line}\n`);
  await waitFor(`the terminal shows ${shows}`, async () =>
      shows.test((await screen()).replaceAll('\u00a0', ' ')), 60_000);
}

test('terminal: a shell in the image, as the user, in the job', async () => {
  shell = await open('shell');
  await shell.waitForSelector('.xterm-rows');
  await waitFor('the prompt names user, host and directory', async () =>
      /^bob@n\d:~\$/m.test((await screen()).replaceAll('\u00a0', ' ')), 60_000);
  await typed('id -un; . /etc/os-release; echo $VERSION_ID-$SLURM_JOB_ID',
              /bob\s+13-\d+/);
});

test('terminal: sees the GPUs of its job and no other', async () => {
  const {body} = await call(page, 'JobService/GetJob', {jobId});
  const onNode = onHost(body.job.nodes[0], 'sh', '-c', 'ls /dev | grep -c carmegpu');
  assert.equal(onNode.trim(), '2');
  await typed('echo gpus=$(ls /dev | grep -c carmegpu)', /gpus=1/);
});

test('terminal: sees no process but the job\'s', async () => {
  await typed('echo others=$(ps -eo user= | grep -vc bob)', /others=0/);
});

test('terminal: a lost connection resumes with the missed output',
     async () => {
       await shell.locator('.xterm').first().click();
       await shell.keyboard.type('sleep 3; echo missed=$((6 * 7))\n');
       await waitFor('the line has arrived', async () =>
           /missed=\$/.test(await screen()));
       kill9('carme-proxy');
       await waitFor('the terminal shows what was missed', async () =>
           /missed=42/.test(await screen()), 60_000);
     });

test('VS Code: a file is edited, saved, and seen by the terminal',
     async () => {
       await typed('echo before > ~/edited.txt; echo made=$(cat ~/edited.txt)',
                   /made=before/);
       code = await open('code');
       await code.waitForURL(/\?folder=\/home\/bob$/, {timeout: 60_000});
       await code.waitForSelector('.monaco-workbench', {timeout: 60_000});
       // It asks once a folder, a while after the page is there.
       await code.locator('.monaco-dialog-box .monaco-button', {hasText: 'Yes'})
           .first().click({timeout: 60_000});
       await code.locator('.explorer-viewlet .monaco-list-row',
                          {hasText: 'edited.txt'})
           .first().dblclick({timeout: 60_000});
       await code.locator('.monaco-editor .view-line', {hasText: 'before'})
           .first().waitFor({state: 'attached', timeout: 60_000});
       // Its cursor blinks, so it never stands still.
       await code.locator('.monaco-editor .view-lines').first()
           .click({force: true});
       await code.keyboard.press('Control+A');
       await code.keyboard.type('after');
       await waitFor('the file is saved', async () => {
         await code.keyboard.press('Control+S');
         return /after/.test(onHost('head', 'cat', '/home/bob/edited.txt'));
       });
       await typed('cat ~/edited.txt', /after/);
     });

test('apps: one app\'s cookie opens no other', async () => {
  const cookies = await page.context().cookies(appAddress(`${jobId}-shell`));
  const {value} = cookies.find(({name}) => name === jobCookie());
  const visitor = await browser.newContext({ignoreHTTPSErrors: true});
  const url = appAddress(`${jobId}-code`);
  await visitor.addCookies([{name: jobCookie(), value, url,
                              secure: true, httpOnly: true}]);
  const tab = await visitor.newPage();
  assert.equal((await tab.goto(url)).status(), 401);
  await visitor.close();
});

test('terminal: shows an ended session, and continues with another',
     async () => {
       await page.context().clearCookies(
           {domain: new URL(shell.url()).hostname});
       kill9('carme-proxy');
       const notice = shell.locator('#notice');
       await notice.filter({hasText: 'has expired'})
           .waitFor({timeout: 60_000});
       // As the words say; this page tries again by itself.
       await (await open('shell')).close();
       await notice.waitFor({state: 'hidden', timeout: 60_000});
       await typed('echo back=$((6 * 7))', /back=42/);
     });

test('log: the output of an app is shown to its owner', async () => {
  const {status, body} = await call(
      page, 'JobService/GetLog', {jobId, app: 'jupyter', offsetBytes: '-2000'});
  assert.equal(status, 200);
  assert.match(body.text, /ServerApp/);
});

test('terminal: shows that the job has ended', async () => {
  await call(page, 'JobService/StopJob', {jobId});
  await shell.locator('#notice').filter({hasText: 'job has ended'})
      .waitFor({timeout: 60_000});
  assert.equal(await shell.locator('#notice button').count(), 0);
});
