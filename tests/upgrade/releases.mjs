// The programs of two releases, of which the demo runs one each.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {
  existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync,
} from 'node:fs';
import {dirname, join} from 'node:path';

import {demo, waitFor} from '../support/demo.mjs';
import {origin, request} from '../support/portal.mjs';

// Installed as `cmake --install` and deploy/demo.d/unpack_packages do.
const releases = {
  old: process.env.CARME_UPGRADE_OLD,
  new: process.env.CARME_UPGRADE_NEW,
};
const directory = process.env.CARME_DEMO_DIR;
const installed = join(directory, 'opt');

// The files of each package; a folder stands for all below it.
const paths = {
  frontend: ['sbin/carme-frontend', 'share/carme/web'],
  proxy: ['sbin/carme-proxy'],
  agent: ['bin', 'lib/carme', 'libexec/carme'],
  metrics: ['sbin/carme-metrics'],
  backend: [
    'libexec/carme-backend', 'sbin/carme-backend', 'sbin/carme-impersonator',
    'sbin/carme-storage-reader', 'sbin/carmectl',
  ],
};

// The files at and below `path` of `tree`, relative to `tree`.
function filesOf(tree, path) {
  const whole = join(tree, path);
  if (!existsSync(whole)) return [];
  if (!statSync(whole).isDirectory()) return [path];
  return readdirSync(whole).flatMap((name) => filesOf(tree, join(path, name)));
}

// Renames each file over the installed one, as dpkg does, and then removes those
// that the release does not have.
export function install(part, release) {
  const tree = releases[release];
  const files = paths[part].flatMap((path) => filesOf(tree, path));
  const others = paths[part].flatMap((path) => filesOf(installed, path))
      .filter((file) => !files.includes(file));
  for (const file of files) {
    const to = join(installed, file);
    mkdirSync(dirname(to), {recursive: true});
    execFileSync('cp', ['-a', join(tree, file), `${to}.new`]);
    renameSync(`${to}.new`, to);
  }
  for (const file of others) rmSync(join(installed, file));
}

// Whether the process runs the file that is installed now.
export function runsInstalled(pid, file) {
  const running = statSync(`/proc/${pid}/exe`);
  const {dev, ino} = statSync(join(installed, file));
  return running.dev === dev && running.ino === ino;
}

export const log = (program) =>
    readFileSync(join(directory, 'log', `${program}.log`), 'utf8');
const count = (text, part) => text.split(part).length - 1;

// Ends the program in order; the supervisor starts what is installed.
export async function restart(program) {
  process.kill(demo().pids[program], 'SIGTERM');
  await waitFor(`the installed ${program} runs`,
                () => runsInstalled(demo().pids[program], `sbin/${program}`));
}

// As the package does: the new process takes over, the old one ends with its
// last connection.
let proxy = demo().pids['carme-proxy'];
export async function restartProxy() {
  const handedOver = 'new process took over';
  const before = count(log('carme-proxy'), handedOver);
  process.kill(proxy, 'SIGUSR2');
  await waitFor('the new proxy takes over',
                () => count(log('carme-proxy'), handedOver) > before);
  const [, to] = /.*new process took over.*\bto=(\d+)/s.exec(log('carme-proxy'));
  // The log has the pid of the host's namespace.
  proxy = processesOnDmz().find((pid) => {
    const [, pids] = /^NSpid:\s*(.*)$/m.exec(
        readFileSync(`/proc/${pid}/status`, 'utf8'));
    return pids.split(/\s+/).at(-1) === to;
  });
  assert.ok(runsInstalled(proxy, 'sbin/carme-proxy'));
}

function processesOnDmz() {
  const network = (pid) => statSync(`/proc/${pid}/ns/pid`).ino;
  const dmz = network(proxy);
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
      .filter((pid) => {
        try {
          return network(pid) === dmz;
        } catch {  // it has ended
          return false;
        }
      });
}

// Until the portal calls the backend again.
export const portalServes = () => waitFor('the portal calls the backend',
    async () => {
      const {status} = await request(
          `${origin()}/carme.v1.AuthService/GetSession`, {
            method: 'POST', body: '{}',
            headers: {'Content-Type': 'application/json', 'Origin': origin()},
          });
      return status === 401;
    });
