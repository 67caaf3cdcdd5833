// Environments: written in the page, judged while they are written, and jobs in
// them. A job's apps then run in a step of `srun --environment`.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {at, call, launch, newPerson, open, resumeSession} from './browser.mjs';
import {newNotebook, runCell} from './notebook.mjs';
import {waitFor} from '../support/demo.mjs';

let browser, page, jobId, shell;
const jobs = [];
const jobOf = async (id) =>
    (await call(page, 'JobService/GetJob', {jobId: id})).body.job;

before(async () => {
  browser = await launch();
  page = await newPerson(browser);
  await resumeSession(page, 'ada');
});
after(async () => {
  for (const id of jobs) await call(page, 'JobService/StopJob', {jobId: id});
  await call(page, 'EnvironmentService/DeleteEnvironment', {name: 'e2e'});
  await browser.close();
});

// Replaces the editor's text, key by key: what is inserted at once, over what
// was selected, Chromium's own editing gives a style attribute, and complains
// of the site's content policy.
async function write(text) {
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+A');
  await page.keyboard.press('Delete');
  await page.keyboard.type(text);
}

const screen = () => shell.locator('.xterm-rows').first().innerText();
async function typed(line, shows) {
  await shell.locator('.xterm').first().click();
  await shell.keyboard.type(`${line}\n`);
  let text = '';
  await waitFor(`the terminal shows ${shows}`, async () => {
    text = (await screen()).replaceAll('\u00a0', ' ');
    return shows.test(text);
  }).catch((error) => {
    throw new Error(`${error.message}, it shows:\n${text}`);
  });
}

async function openShell(id, button = 'open-shell') {
  const card = page.locator(at(`job-${id}`));
  const [tab] = await Promise.all([
    page.context().waitForEvent('page'),
    card.locator(at(button)).click(),
  ]);
  const rows = tab.locator('.xterm-rows').first();
  await rows.waitFor({timeout: 60_000});
  // A shell that starts discards what is typed before its prompt.
  await waitFor('the shell has a prompt', async () =>
      /\$\s*$/.test((await rows.innerText()).replaceAll('\u00a0', ' ')));
  return tab;
}

async function submit(environment, more = {}) {
  const {status, body} = await call(page, 'JobService/SubmitJob', {spec: {
    walltime: '600s', app: 'jupyter', gpusPerNode: 1, environment, ...more,
  }});
  assert.equal(status, 200, JSON.stringify(body));
  jobs.push(body.job.id);
  return body.job.id;
}

test('page: a template fills in a new environment', async () => {
  await open(page, '/environments');
  await page.locator(at('template-python')).locator(at('template-use')).click();
  await page.waitForSelector('.cm-content');
  assert.equal(await page.inputValue(at('environment-name')), 'python');
  assert.match(await page.locator('.cm-content').innerText(),
               /image = "store#base:1"/);
});

test('page: options are refused as packages, and no image is built',
     async () => {
       await page.click(at('environment-packages'));
       await page.fill(at('environment-pip'), '--index-url=https://e.example');
       await page.click(at('environment-save'));
       await page.locator(at('environment-failure')).waitFor();
       page.problems.length = 0;  // Chromium logs the refusal
       const {body} = await call(page, 'ImageService/ListImages', {});
       assert.ok(!body.images.some(({id}) => id.startsWith('ada/python:')));
       const {body: list} =
           await call(page, 'EnvironmentService/ListEnvironments', {});
       assert.ok(!list.environments.some(({name, site}) =>
         name === 'python' && !site));
       await page.fill(at('environment-pip'), ''); // the draft stays
     });

test('page: shows errors at their line during editing',
     async () => {
       await open(page, '/environments?new=1');
       await page.waitForSelector('.cm-content');
       await write('image = "store#base"\n\nworkdir = "/scratch/${NOBODY}"\n');
       const problem = page.locator(at('environment-problem'));
       // Errors during editing refer to the text at that moment.
       await problem.filter({hasText: '"NOBODY" is not defined'}).waitFor();
       assert.equal(await problem.count(), 1);
       assert.match(await problem.innerText(), /Line 3/);
       assert.equal(await page.locator('.cm-wrong-error').innerText(), '3');
     });

test('page: the form keeps the last valid settings while the text is invalid',
     async () => {
       const image = page.locator(at('setting-image'));
       await write('image = "store#base"\n');
       await waitFor('the form has the image', async () =>
           await image.inputValue() === 'store#base');
       await write('image = "store#other"\nmounts = [');
       const problem = page.locator(at('environment-form-problem'));
       await problem.filter({hasText: 'Line 2'}).waitFor();
       assert.equal(await image.inputValue(), 'store#base');
       assert.ok(await image.isDisabled());
     });

test('page: form and text follow each other, and comments stay', async () => {
  const text = page.locator('.cm-content');
  await write('# mine\nimage = "store#base" # here\n');
  const workdir = page.locator(at('setting-workdir'));
  await workdir.fill('/tmp');
  await text.filter({hasText: 'workdir = "/tmp"'}).waitFor();
  await page.click(at('variable-add'));
  await page.fill(at('variable-name'), 'WORD');
  await page.fill(at('variable-value'), 'a "b"');
  await text.filter({hasText: 'WORD = "a \\"b\\""'}).waitFor();
  assert.match(await text.innerText(), /# mine\nimage = "store#base" # here\n/);
  await write('image = "store#base"\nworkdir = "/home"\n');
  await waitFor('the form has the other directory', async () =>
      await workdir.inputValue() === '/home' &&
      await page.locator(at('variable-name')).count() === 0);
  await page.setViewportSize({width: 360, height: 740});
  await page.click(at('tab-text'));
  assert.ok(!await workdir.isVisible());
  await page.click(at('tab-form'));
  assert.ok(await workdir.isVisible());
  await page.setViewportSize({width: 1280, height: 900});
});

test('page: an environment is rendered, saved, and chosen for a job',
     async () => {
       await write('image = "store#base"\nworkdir = "/home/${USER}"\n' +
                   // JupyterLab opens what was open last: nothing of other
                   // tests here, and nothing of this one there.
                   'env.JUPYTERLAB_WORKSPACES_DIR = "/tmp/workspaces"\n' +
                   'env.WORD = "written in the page"\n');
       const rendered = page.locator(at('environment-rendered'));
       await rendered.filter({hasText: 'written in the page'}).waitFor();
       assert.match(await rendered.innerText(), /workdir = "\/home\/ada"/);
       await page.fill(at('environment-name'), 'e2e');
       await page.click(at('environment-save'));
       await page.click(at('environment-start'));
       const field = page.locator(at('field-environment'));
       await field.waitFor();
       assert.equal(await field.inputValue(), 'e2e');
       const [answer] = await Promise.all([
         page.waitForResponse(/JobService\/SubmitJob/),
         page.click(at('start-submit')),
       ]);
       assert.equal(answer.status(), 200, await answer.text());
       jobId = (await answer.json()).job.id;
       jobs.push(jobId);
     });

test('job: JupyterLab opens in the environment', async () => {
  await page.waitForSelector(
      `${at(`job-${jobId}`)}[data-state="ready"]`, {timeout: 60_000});
  const [lab] = await Promise.all([
    page.context().waitForEvent('page'),
    page.locator(at(`job-${jobId}`)).locator(at('job-open')).click(),
  ]);
  await newNotebook(lab);
  assert.equal(await runCell(lab, 'import os; print(os.environ["WORD"])'),
               'written in the page');
});

test('job: the terminal is in the image, with the job\'s GPU and CPUs',
     async () => {
       shell = await openShell(jobId);
       await typed('id -un; . /etc/os-release; echo $VERSION_ID-$SLURM_JOB_ID',
                   /ada\s+13-\d+/);
       await typed('echo gpus=$(ls /dev | grep -c carmegpu)', /gpus=1/);
       const {spec} = await jobOf(jobId);
       await typed('echo cpus=$(nproc)', RegExp(`cpus=${spec.cpusPerNode}`));
     });

test('job: a faulty file of the home ends it with a reason', async () => {
  await typed('echo \'workdir = "/x"\' > ~/e2e.toml; wc -l ~/e2e.toml',
              /1 \/home\/ada\/e2e.toml/);
  const id = await submit('~/e2e.toml');
  await waitFor('the job has ended', async () =>
      (await jobOf(id)).state === 'JOB_STATE_ENDED', 60_000);
  const {reason} = await jobOf(id);
  assert.match(reason, /environment "~\/e2e.toml": Error 007/);
});

test('job: runs in an environment file of the home', async () => {
  await typed('printf \'base_environment = "base"\\nenv.WORD = "home"\\n\' > ' +
              '~/e2e.toml; wc -l ~/e2e.toml', /2 \/home\/ada\/e2e.toml/);
  await call(page, 'JobService/StopJob', {jobId});
  const id = await submit('~/e2e.toml');
  await page.waitForSelector(
      `${at(`job-${id}`)}[data-state="ready"]`, {timeout: 60_000});
  shell = await openShell(id);
  await typed('. /etc/os-release; echo $VERSION_ID-$WORD', /13-home/);
  await typed('rm ~/e2e.toml ~/Untitled*.ipynb; echo tidy=$((6 * 7))',
              /tidy=42/);
  await call(page, 'JobService/StopJob', {jobId: id});
});

test('job on two nodes: its shell lists both, and programs run on both',
     async () => {
       const id = await submit('base', {nodes: 2, cpusPerNode: 1, app: 'shell'});
       await page.waitForSelector(
           `${at(`job-${id}`)}[data-state="ready"]`, {timeout: 60_000});
       shell = await openShell(id, 'job-open');
       // Lists end with a character that their command has not.
       const list = `sort | tr '\\n' ,`;
       await typed(`cat $CARME_HOSTFILE | ${list}`,
                   /n1 slots=1,n2 slots=1,/);
       await typed(`srun -N 2 sh -c '. /etc/os-release; echo $VERSION_ID ` +
                   `$(hostname) $NODE_RANK' | ${list}`, /13 n1 0,13 n2 1,/);
       await typed(`srun -N 2 -n 2 python -c 'from mpi4py.MPI import ` +
                   `COMM_WORLD as c; print("mpi", c.rank, "of", c.size)' | ` +
                   list, /mpi 0 of 2,mpi 1 of 2,/);
       await typed(`carme mpirun --map-by ppr:1:node sh -c 'echo $(hostname) ` +
                   `$OMPI_COMM_WORLD_RANK of $OMPI_COMM_WORLD_SIZE' | ${list}`,
                   /n1 0 of 2,n2 1 of 2,/);
       // Torch prints more where its processes end at the same moment.
       await typed(`carme torchrun --no-python sh -c 'echo $(hostname) ` +
                   `torch $RANK of $WORLD_SIZE' 2> /dev/null | ` +
                   `grep -o 'n[12] torch [01] of 2' | ${list}`,
                   /n1 torch 0 of 2,n2 torch 1 of 2,/);
       await typed(`ssh n2 '. /etc/os-release; echo $VERSION_ID on $(hostname)'`,
                   /13 on n2/);
     });

test('page: the browser had nothing to complain about', () => {
  assert.equal(page.problems.join('\n'), '');
});
