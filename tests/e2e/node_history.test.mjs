// The site vets a node: the third failed run drains it, a passed one, which the
// backend requests, resumes it, and an administrator sees both in the node's
// history.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {at, call, launch, logIn, newPerson, open, resumeSession} from './browser.mjs';
import {onHost, waitFor, waitMs} from '../support/demo.mjs';

const node = 'n2';
const config = '/run/node-history-vet.yaml';
let browser, ada, carol;

const drained = () => onHost('head', 'sinfo', '-R', '-h', '-o', '%E|%N');

// As root on the node; whatever its exit code is.
function vet(path, option = '--report') {
  const text = `name: Test\\nevals:\\n- {name: scratch, type: filesystem, ` +
      `path: ${path}, writable: false}\\n`;
  onHost(node, 'sh', '-c',
         `printf '${text}' > ${config}; /opt/carme/bin/carme vet ${option} ` +
             `--config ${config} || [ $? = 1 ]`);
}

const history = async (page) =>
    (await call(page, 'NodeHistoryService/GetNodeHistory', {node})).body;

before(async () => {
  browser = await launch();
  ada = await newPerson(browser);
  await resumeSession(ada, 'ada');
  carol = await newPerson(browser);
  await logIn(carol, 'carol');
});
after(async () => {
  if (drained().includes(node)) {
    onHost('head', 'scontrol', 'update', `nodename=${node}`, 'state=resume');
  }
  await browser.close();
});

test('node history: is not for users', async () => {
  const {status} = await call(
      ada, 'NodeHistoryService/GetNodeHistory', {node});
  assert.equal(status, 403);
  const recorded = await call(ada, 'NodeHistoryService/RecordVetRun', {
    runId: 'forged',
    nodes: [{node, failures: [{evaluation: 'scratch', reason: 'forged'}]}],
  });
  assert.equal(recorded.status, 403);
});

test('node history: the third failed run drains the node', async () => {
  for (let run = 1; run <= 3; ++run) {
    assert.ok(!drained().includes(`|${node}`), `drained before run ${run}`);
    vet('/nosuchdirectory');
    await waitFor(`run ${run} is recorded`, async () => {
      const {entries = []} = await history(carol);
      return entries.filter(({source}) => source === 'NODE_ENTRY_SOURCE_SITE_VET')
                 .length >= run;
    });
  }
  await waitFor('the drain', () => drained().includes(`|${node}`));
  assert.match(
      drained(), /carme: 3 failed vet runs in 24 h \(scratch\) \[carol\]\|n2/);
});

test('node history: the page of the node says why', async () => {
  await open(carol, '/admin/nodes');
  await carol.click(at(`history-${node}`));
  await carol.locator(at('node-rule-state'), {hasText: 'failed-vet-drain'})
      .waitFor();
  await carol.locator(at('node-entry'), {hasText: 'drained: 3 failed vet runs'})
      .waitFor();
});

const siteRuns = async () => (await history(carol)).entries.filter(
    ({source}) => source === 'NODE_ENTRY_SOURCE_SITE_VET').length;

test('node history: a run that is not requested is not made', async () => {
  const before = await siteRuns();
  assert.throws(() => onHost(node, 'runuser', '-u', 'ada', '--',
                             '/opt/carme/bin/carme', 'vet', '--if-requested'),
                /works as root/);
  vet('/', '--if-requested');  // too soon after the last one
  assert.equal(await siteRuns(), before);
  assert.ok(drained().includes(`|${node}`));
});

test('node history: a requested run passes and resumes the node', async () => {
  await waitFor('the node to be resumed', () => {
    vet('/', '--if-requested');
    return !drained().includes(`|${node}`);
  }, 3 * waitMs);
  await carol.reload();
  await carol.locator(at('node-entry'), {hasText: 'resumed'}).waitFor();
});
