// Nodes in the administration: an administrator drains one with a reason, and
// resumes it.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {at, call, launch, logIn, newPerson, open, resumeSession} from './browser.mjs';
import {onHost, waitFor} from '../support/demo.mjs';

const reason = `ticket 4711: broken fan ${Date.now()}`;
let browser, ada, carol;
const stateOf = (node) =>
    onHost('head', 'sinfo', '-h', '-n', node, '-o', '%T').split('\n')[0];

before(async () => {
  browser = await launch();
  ada = await newPerson(browser);
  await resumeSession(ada, 'ada');
  carol = await newPerson(browser);
  await logIn(carol, 'carol');
});
after(async () => {
  if (stateOf('n2').startsWith('drain')) {
    onHost('head', 'scontrol', 'update', 'nodename=n2', 'state=resume');
  }
  await browser.close();
});

test('nodes: only administrators see the page and drain nodes', async () => {
  await open(ada, '/admin/nodes');
  await ada.waitForSelector(at('unknown-page'));
  const {status} = await call(
      ada, 'AdminService/DrainNodes', {nodes: ['n2'], reason});
  assert.equal(status, 403);
  assert.doesNotMatch(stateOf('n2'), /drain/);
});

test('nodes: nothing can be drained before a node is selected and a reason ' +
     'given', async () => {
  await open(carol, '/admin/nodes');
  await carol.waitForSelector(at('node-n2'));
  assert.ok(await carol.isDisabled(at('drain-nodes')));
  assert.ok(await carol.isDisabled(at('resume-nodes')));
  await carol.check(at('select-n2'));
  await carol.click(at('drain-nodes'));
  assert.equal(
      await carol.getAttribute(at('confirm'), 'aria-disabled'), 'true');
});

test('nodes: a drained node shows its reason here and in Slurm', async () => {
  await carol.fill(at('reason'), reason);
  await carol.click(at('confirm'));
  await carol.locator(at('node-n2'), {hasText: reason}).waitFor();
  assert.match(stateOf('n2'), /^drain/);
  assert.ok(onHost('head', 'scontrol', 'show', 'node', 'n2').includes(reason));
});

test('overview: names the drained node and leads to the nodes', async () => {
  await carol.click(at('nav-overview'));
  const entry = carol.locator(`${at('admin-attention')} li`, {hasText: reason});
  await entry.locator('a').click();
  await carol.locator(at('node-n2')).waitFor();
});

test('nodes: a resumed node takes jobs again', async () => {
  await carol.check(at('select-n2'));
  assert.ok(await carol.isDisabled(at('drain-nodes')));
  await carol.click(at('resume-nodes'));
  await carol.click(at('confirm'));
  await waitFor('the node is in use again',
                () => !stateOf('n2').startsWith('drain'));
  await carol.locator(`${at('node-n2')} [data-tone="good"], ` +
                      `${at('node-n2')} [data-tone="info"]`).waitFor();
  assert.deepEqual(carol.problems, []);
});

test('cluster: an administrator drains and resumes a node where it is shown',
     async () => {
       await open(carol, '/cluster?node=n2');
       await carol.click(at('node-drain'));
       await carol.fill(at('reason'), reason);
       await carol.click(at('confirm'));
       await carol.locator(at('node-detail'), {hasText: reason}).waitFor();
       await carol.click(at('node-resume'));
       await carol.click(at('confirm'));
       await carol.locator(at('node-drain')).waitFor();
       assert.doesNotMatch(stateOf('n2'), /drain/);
       assert.deepEqual(carol.problems, []);
     });
