// Files in the browser: a person who has no job opens the home directory, works
// with files there, and ends the session. Elements of the app are found by role
// and name.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {after, before, test} from 'node:test';

import {kAllRules, kColourRules, violationsOf} from './axe.mjs';
import {at, call, launch, newPerson, open, resumeSession} from './browser.mjs';
import {appAddress, onHost, waitFor, waitMs} from '../support/demo.mjs';
import {Client} from '../support/portal.mjs';

const kFolder = 'files-story';
const kHome = `/home/bob/${kFolder}`;
// Every byte, so that nothing that converts text passes unnoticed.
const kBytes = Buffer.from(Array.from({length: 4096}, (_, at) => at % 256));

let browser, page, tab, jobId;
const asBob = (script) =>
    onHost('n1', 'runuser', '-u', 'bob', '--', 'sh', '-c', script);
const session = () => page.locator(at('file-session'));
const row = (name) => tab.getByRole('row').filter({hasText: name});
// A selection replaces the tools of the folder by those of the selection.
const clearSelection = async () => {
  const clear = tab.getByRole('button', {name: /selected$/});
  if (await clear.count() > 0) await clear.click();
};
const dialog = () => tab.getByRole('dialog');
const jobNow = async () =>
    (await call(page, 'JobService/GetJob', {jobId})).body.job;

before(async () => {
  asBob(`rm -rf ~/${kFolder}; mkdir ~/${kFolder}; ` +
        `echo first line > ~/${kFolder}/notes.txt`);
  browser = await launch();
  page = await newPerson(browser);
  await resumeSession(page, 'bob');
});
after(async () => {
  if (jobId) await call(page, 'JobService/StopJob', {jobId});
  asBob(`rm -rf ~/${kFolder}`);
  await browser.close();
});

async function openedBy(selector) {
  const [opened] = await Promise.all([
    page.context().waitForEvent('page'),
    page.click(selector),
  ]);
  await opened.waitForURL(`${appAddress(jobId)}**`, {timeout: waitMs});
  return opened;
}

test('files: the page is refused without a session', async () => {
  const visitor = await newPerson(browser);
  await open(visitor, '/files');
  await visitor.waitForSelector(at('login-username'));
  assert.equal(await visitor.locator(at('files')).count(), 0);
  await visitor.context().close();
});

test('files: without a job, a small session without GPUs is started',
     async () => {
       await page.click(at('to-files'));
       await page.click(at('file-session-start'));
       await session().waitFor();
       jobId = await session().getAttribute('data-job');
       const {spec} = await jobNow();
       assert.equal(spec.app, 'files');
       assert.equal(spec.gpusPerNode ?? 0, 0);
       assert.equal(spec.cpusPerNode, 1);
       assert.equal(spec.memoryPerNodeMib, '1024');
     });

test('files: no second session can be started beside the first', async () => {
  assert.equal(await page.locator(at('file-session-start')).count(), 0);
  await page.reload();
  await session().waitFor();
  assert.equal(await page.locator(at('file-session-start')).count(), 0);
  assert.equal(await session().count(), 1);
});

test('files: the page shows when the session is ready, and opens the home ' +
     'directory', async () => {
  await page.waitForSelector(
      `${at('file-session')}[data-state="ready"]`, {timeout: waitMs});
  tab = await openedBy(at('open-files'));
  await row(kFolder).waitFor({timeout: waitMs});
});

test('files: another user cannot open them, by job or by address', async () => {
  const ada = new Client();
  await ada.resume('ada');
  const {body} = await ada.call('JobService/OpenApp', {jobId});
  assert.equal(body.code, 'not_found', JSON.stringify(body));
  const visitor = await newPerson(browser);
  const answer = await visitor.goto(tab.url());
  assert.equal(answer.status(), 401);
  assert.doesNotMatch(await visitor.locator('body').innerText(),
                      new RegExp(kFolder));
  await visitor.context().close();
});

test('files: a storage area opens at its own directory', async () => {
  const area = await openedBy(at('open-area-Home'));
  await area.getByRole('row').filter({hasText: kFolder})
      .waitFor({timeout: waitMs});
  assert.equal(new URL(area.url()).hash, '#/home/bob');
  await area.close();
});

test('files: a new folder is made, and refused if its name is taken',
     async () => {
       await row(kFolder).getByRole('link', {name: kFolder}).click();
       await row('notes.txt').waitFor();
       const create = async () => {
         await clearSelection();
         await tab.getByRole('button', {name: 'New', exact: true}).click();
         await tab.getByRole('menuitem', {name: 'New folder'}).click();
         await dialog().getByRole('textbox').fill('data');
         await dialog().getByRole('button', {name: 'Create'}).click();
       };
       await create();
       await row('data').waitFor();
       assert.equal(asBob(`stat -c %F ${kHome}/data`).trim(), 'directory');
       await create();
       await dialog().getByRole('alert').filter({hasText: /\S/}).waitFor();
       await tab.keyboard.press('Escape');
       await dialog().waitFor({state: 'detached'});
     });

test('files: a file is uploaded with all its bytes', async () => {
  await clearSelection();
  await tab.getByTestId('upload-files').setInputFiles(
      {name: 'bytes.bin', mimeType: 'application/octet-stream',
       buffer: kBytes});
  await row('bytes.bin').waitFor();
  await waitFor('the file is complete', () =>
      asBob(`stat -c %s ${kHome}/bytes.bin`).trim() === '4096');
  const stored = asBob(`base64 -w0 ${kHome}/bytes.bin`).trim();
  assert.equal(stored, kBytes.toString('base64'));
});

test('files: a file is downloaded with the same bytes', async () => {
  await row('bytes.bin').getByRole('checkbox').check();
  const [download] = await Promise.all([
    tab.waitForEvent('download'),
    tab.getByRole('button', {name: 'Download'}).click(),
  ]);
  assert.equal(download.suggestedFilename(), 'bytes.bin');
  assert.deepEqual(readFileSync(await download.path()), kBytes);
});

test('files: a text file is edited and saved', async () => {
  await row('notes.txt').getByRole('link', {name: 'notes.txt'}).click();
  // CodeMirror: the filter of the folder is a text box, too.
  const editor = tab.locator('[role="textbox"][contenteditable="true"]');
  await editor.filter({hasText: 'first line'}).waitFor();
  await editor.click();
  await tab.keyboard.press('Control+A');
  await tab.keyboard.type('second line');
  await tab.getByRole('button', {name: 'Save'}).click();
  await waitFor('the file is saved', () =>
      /second line/.test(asBob(`cat ${kHome}/notes.txt`)));
});

test('files: the page violates no rule of axe: list, editor and dialog, on a ' +
     'laptop and a phone, in light and dark', async () => {
  const found = [];
  const check = async (what) => {
    // Otherwise axe would see colours on their way to others.
    await tab.evaluate(() => {
      const still = new CSSStyleSheet();
      still.replaceSync('*, *::before, *::after {transition: none !important}');
      document.adoptedStyleSheets = [...document.adoptedStyleSheets, still];
    });
    for (const width of [1280, 360]) {
      await tab.setViewportSize({width, height: 740});
      for (const [colorScheme, rules] of
           [['light', kAllRules], ['dark', kColourRules]]) {
        await tab.emulateMedia({colorScheme, reducedMotion: 'reduce'});
        for (const violation of await violationsOf(tab, rules)) {
          found.push(`${what}, ${width} px, ${colorScheme}: ${violation}`);
        }
      }
    }
    await tab.setViewportSize({width: 1280, height: 900});
    await tab.emulateMedia({colorScheme: 'light'});
  };
  await check('editor');
  await tab.goto(`${appAddress(jobId)}#${kHome}`);
  await tab.reload();
  await row('bytes.bin').waitFor();
  await check('list');
  await row('bytes.bin').getByRole('checkbox').check();
  await check('selection');
  await clearSelection();
  await tab.getByRole('button', {name: 'New', exact: true}).click();
  await tab.getByRole('menuitem', {name: 'New folder'}).click();
  await dialog().getByRole('textbox').waitFor();
  await check('dialog');
  await tab.keyboard.press('Escape');
  assert.deepEqual(found, []);
});

test('files: a job that runs for something else opens them, too; with two ' +
     'one chooses', async () => {
  const {status, body} = await call(page, 'JobService/SubmitJob', {spec: {
    walltime: '600s', app: 'shell', gpusPerNode: 0, cpusPerNode: 1,
    name: 'other',
  }});
  assert.equal(status, 200, JSON.stringify(body));
  const other = body.job.id;
  try {
    // Once both are ready, the button is a menu.
    await waitFor('the other job is ready', async () => {
      const answer = await call(page, 'JobService/GetJob', {jobId: other});
      return answer.body.job.state === 'JOB_STATE_READY';
    });
    await page.locator(`${at('open-files')}[aria-expanded]`).waitFor();
    await page.click(at('open-files'));
    const choice = page.locator(at(`open-files-${other}`));
    assert.match(await choice.innerText(), /other · n\d/);
    const [opened] = await Promise.all([
      page.context().waitForEvent('page'),
      choice.click(),
    ]);
    await opened.waitForURL(`${appAddress(`${other}-files`)}**`,
                            {timeout: waitMs});
    await opened.getByRole('row').filter({hasText: kFolder})
        .waitFor({timeout: waitMs});
    await opened.close();
  } finally {
    await call(page, 'JobService/StopJob', {jobId: other});
  }
});

test('files: the session is stopped on the page, and the files stay',
     async () => {
       await session().locator(at('job-stop')).click();
       await page.click(at('confirm-stop'));
       await page.waitForSelector(at('file-session-start'), {timeout: waitMs});
       await waitFor('the job has ended', async () =>
           (await jobNow()).state === 'JOB_STATE_ENDED');
       assert.match(asBob(`cat ${kHome}/notes.txt`), /second line/);
       assert.deepEqual(page.problems, []);
     });
