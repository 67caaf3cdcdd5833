// The end of the guide: a user's first log-in, a second one with password and
// code, a job in the site's image, and a cell of its notebook.
import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';

import {at, enrolApp, launch, logIn, newPerson} from '../e2e/browser.mjs';
import {newNotebook, runCell} from '../e2e/notebook.mjs';
import {demo, userNamed} from '../support/demo.mjs';

const browser = await launch();
try {
  const first = await newPerson(browser);
  const user = userNamed('ada');
  user.totp_secret = await enrolApp(first, 'ada', user.password);
  writeFileSync(process.env.CARME_DEMO_JSON,
                JSON.stringify({...demo(), users: [user]}));
  await first.context().close();
  console.log('ada has a second factor');

  const page = await newPerson(browser);
  await logIn(page, 'ada');
  console.log('ada logged in with password and code');
  await page.click(at('start-submit'));
  const job = page.locator('[data-testid^="job-"][data-state="ready"]').first();
  await job.waitFor({timeout: 120_000});
  console.log('the job is ready');
  const [tab] = await Promise.all([
    page.context().waitForEvent('page'),
    job.locator(at('job-open')).click(),
  ]);
  const notebook = await newNotebook(tab);
  assert.match(new URL(notebook.url()).host,
               new RegExp(`\\.${demo().jobs_domain}$`));
  assert.equal(await runCell(
      notebook, 'import getpass, socket; print(getpass.getuser(), ' +
      'socket.gethostname(), 6 * 7)'), 'ada n1 42');
  console.log('the notebook answers');
  await page.bringToFront();
  assert.deepEqual(page.problems, []);
} catch (error) {
  for (const context of browser.contexts()) {
    for (const page of context.pages()) {
      console.error(page.url(), page.problems);
      console.error((await page.locator('body').innerText()).slice(0, 3000));
    }
  }
  throw error;
} finally {
  await browser.close();
}
