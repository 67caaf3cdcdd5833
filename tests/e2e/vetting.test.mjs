// Jobs whose nodes are vetted before anything starts on them.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {at, launch, open, pageOf} from './browser.mjs';
import {onHost, waitFor} from '../support/demo.mjs';
import {Client} from '../support/portal.mjs';

const ada = new Client();
const config = '/etc/carme/vet.yaml';
let browser, page;

// The site's configuration: n2 fails while it is there.
function breakNode() {
  for (const node of ['n1', 'n2']) {
    onHost(node, 'sh', '-c', `printf 'name: site\\nevals:\\n- name: Disk\\n` +
        `  type: command\\n  command: test "$SLURMD_NODENAME" = n1\\n' > ${config}`);
  }
}
function mendNode() {
  for (const node of ['n1', 'n2']) onHost(node, 'rm', '-f', config);
}

async function submit(nodes, requiredNodes, more = {}) {
  const {status, body} = await ada.call('JobService/SubmitJob', {spec: {
    name: 'vetted', walltime: '600s', nodes, gpusPerNode: 0, cpusPerNode: 1,
    batch: {command: 'sleep 600'}, vetting: {requiredNodes, ...more},
  }});
  assert.equal(status, 200, JSON.stringify(body));
  return body.job.id;
}
const jobOf = async (jobId) =>
    (await ada.call('JobService/GetJob', {jobId})).body.job;
async function reaches(id, state) {
  await waitFor(`the job is ${state}`, async () =>
      (await jobOf(id)).state === state);
  return jobOf(id);
}

before(async () => {
  await ada.logIn('ada');
  browser = await launch();
  page = await pageOf(browser, ada);
});
after(async () => {
  mendNode();
  await browser.close();
});

test('vetting: more healthy nodes than the job has are refused', async () => {
  const {status, body} = await ada.call('JobService/SubmitJob', {spec: {
    nodes: 1, vetting: {requiredNodes: 2}, batch: {command: 'true'},
  }});
  assert.equal(status, 400);
  assert.match(JSON.stringify(body), /expected 1 to 1/);
});

test('vetting: with too few healthy nodes the card names node and reason',
     async () => {
       breakNode();
       const id = await submit(2, 2);
       const {end, reason} = await reaches(id, 'JOB_STATE_ENDED');
       assert.equal(end, 'JOB_END_FAILED');
       assert.match(reason, /n2: failed "Disk"/);
       assert.match(reason, /1 of 2 nodes are healthy: expected 2/);
       await open(page, `/jobs/${id}`);
       await page.locator(at('job-page'), {hasText: 'n2: failed "Disk"'})
           .waitFor();
     });

test('vetting: a job that cannot be submitted again says why', async () => {
  const id = await submit(2, 2, {resubmit: true});
  await reaches(id, 'JOB_STATE_ENDED');
  await waitFor('the decision', async () =>
      /Not submitted again: /.test((await jobOf(id)).reason));
  assert.equal((await jobOf(id)).resubmittedAs, undefined);
  await open(page, `/jobs/${id}`);
  await page.locator(at('job-page'), {hasText: 'Not submitted again: '})
      .waitFor();
});

test('vetting: the form submits a job again without the broken node',
     async () => {
       for (const node of ['n1', 'n2']) {
         onHost(node, 'sh', '-c', `sed -i 's/= n1/!= n1/' ${config}`);
       }
       await open(page, '/');
       await page.check(at('kind-batch'));
       await page.fill(at('field-command'), 'sleep 600');
       await page.fill(at('field-gpusPerNode'), '0');
       await page.click(at('more-options'));
       await page.fill(at('field-name'), 'mended');
       await page.selectOption(at('field-vetting'), '0');
       await page.check(at('field-resubmit'));
       await page.waitForSelector(
           `${at('start-estimate')}[data-stale="false"]`, {timeout: 60_000});
       const [answer] = await Promise.all([
         page.waitForResponse(/JobService\/SubmitJob/),
         page.press(at('start-submit'), 'Enter'),
       ]);
       const first = (await answer.json()).job;
       await waitFor('the job was submitted again', async () =>
           Boolean((await jobOf(first.id)).resubmittedAs));
       const id = (await jobOf(first.id)).resubmittedAs;
       const {spec, nodes} = await reaches(id, 'JOB_STATE_READY');
       assert.deepEqual(spec.excludedNodes, ['n1']);
       assert.deepEqual(nodes, ['n2']);
       await open(page, `/jobs/${first.id}`);
       await page.locator(at('job-resubmitted'), {hasText: id}).click();
       await page.waitForURL(`**/jobs/${id}`);
       await ada.call('JobService/StopJob', {jobId: id});
       await reaches(id, 'JOB_STATE_ENDED');
       breakNode();
     });

test('vetting: a broken spare node is returned to Slurm, the job runs',
     async () => {
       const id = await submit(2, 1);
       const {slurmJobId} = await reaches(id, 'JOB_STATE_READY');
       await waitFor('Slurm has the other node back', () => onHost('head',
           'squeue', '-h', '-o', '%N', '-j', String(slurmJobId)).trim() === 'n1');
       await waitFor('the job has one node', async () =>
           (await jobOf(id)).nodes.join() === 'n1');
       const {apps} = await jobOf(id);
       assert.match(apps.find(({app}) => app === 'vetting').detail, /Disk/);
       await ada.call('JobService/StopJob', {jobId: id});
       await reaches(id, 'JOB_STATE_ENDED');
     });
