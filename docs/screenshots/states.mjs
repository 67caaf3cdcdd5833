// The states of pages that take_all.mjs shows: each route of the application,
// and dialogs, menus and errors. A route without a state is an error.
import {readFileSync} from 'node:fs';

import {at} from '../../tests/e2e/browser.mjs';

const routes = readFileSync(
    new URL('../../frontend/web/src/routes/route.ts', import.meta.url), 'utf8');

// [["dashboard", "/"], …] of kPaths.
export function pathsOfRoutes() {
  const [, body] = /kPaths = \{(.*?)\n\} as const/s.exec(routes);
  return [...body.matchAll(/^ {2}(\w+): "(.*)",$/gm)]
      .map(([, page, path]) => [page, path]);
}

const click = (...names) => async (page) => {
  for (const name of names) await page.locator(at(name)).first().click();
};

// `who`: "user", "admin" or "nobody"; `act`: what leads to the state; `isTall`:
// the whole page, otherwise what is visible without scrolling; `isMissing`: calls
// answer 404.
export function statesOf({failed, session, batch, pending, project}) {
  const state = (name, path, more = {}) =>
      ({name, path, who: 'user', isTall: !more.act, ...more});
  const pages = pathsOfRoutes().map(([page, path]) => {
    const isAdmins = path.startsWith('/admin/');
    const query = page === 'compare' ? `?jobs=${session},${batch}` : '';
    return state(page, path + query, {who: isAdmins ? 'admin' : 'user'});
  });
  const job = (name, id, tab) =>
      state(`job ${name}`, `/jobs/${id}${tab ? `?tab=${tab}` : ''}`);
  const dialog = (name, path, act, more) => state(name, path, {act, ...more});
  const admins = {who: 'admin'};
  return [
    state('login', '/', {who: 'nobody'}),
    ...pages,
    job('ready', session), job('metrics', session, 'metrics'),
    job('log', batch, 'log'), job('events', session, 'events'),
    job('configuration', batch, 'configuration'),
    job('pending', pending), job('array failed', failed),
    job('array log', failed, 'log'),
    state('job not found', '/jobs/a23456789abcdefg', {isMissing: true}),
    state('project', `/projects?project=${project}`),
    state('user', '/admin/users/ada', admins),
    state('user preview', '/admin/preview?user=ada', admins),
    state('node', '/admin/nodes/n1', admins),
    state('files without a job', '/files', admins),
    state('page not found', '/nowhere'),
    dialog('start batch', '/', click('kind-batch')),
    dialog('start more options', '/', click('more-options')),
    dialog('presets', '/', click('presets-open')),
    dialog('stop job', `/jobs/${session}`, click('job-stop')),
    dialog('save preset', `/jobs/${batch}?tab=configuration`,
           click('configuration-preset')),
    dialog('notifications menu', '/', click('bell')),
    dialog('help menu', '/', click('help-menu')),
    dialog('shortcuts', '/', click('help-menu', 'shortcuts')),
    dialog('first steps', '/', click('help-menu', 'first-steps')),
    dialog('user menu', '/', click('user-menu')),
    dialog('commands', '/', click('commands')),
    dialog('cluster grid', '/cluster?view=grid', async (page) => {
      await page.locator(at('nodes')).scrollIntoViewIfNeeded();
    }),
    dialog('cluster node', '/cluster?node=n1', async (page) => {
      await page.waitForSelector(at('node-detail'));
    }),
    dialog('cluster node admin', '/cluster?node=n2', async (page) => {
      await page.waitForSelector(at('node-jobs'));
    }, admins),
    dialog('drain nodes', '/admin/nodes', click('select-n2', 'drain-nodes'),
           admins),
    dialog('new project', '/projects', click('project-new')),
    dialog('join project', '/projects', click('project-join')),
    dialog('reserve', '/reservations', click('reserve')),
    dialog('reservations day', '/reservations', click('calendar-day')),
    dialog('reservations month', '/reservations', click('calendar-month')),
    dialog('new token', '/account/tokens', click('token-new')),
    dialog('change password', '/account/security', click('password-change')),
    dialog('import image', '/account/images', click('import-new')),
    dialog('new environment', '/environments', click('environment-new')),
    dialog('environment', '/environments?name=screens', async (page) => {
      await page.waitForSelector(at('environment-form'));
    }),
    dialog('environment template', '/environments', click('template-use')),
    dialog('environment packages', '/environments',
           click('environment-new', 'environment-packages')),
    dialog('new template', '/admin/templates', click('template-new'), admins),
    dialog('new limit', '/admin/limits', click('limit-new'), admins),
    dialog('stop job as administrator', '/admin/jobs', click('admin-stop'),
           admins),
  ];
}
