// What the tests know of the running demo: its demo.json, its command, and the
// codes of its users.
import {execFileSync} from 'node:child_process';
import {randomBytes} from 'node:crypto';
import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const file = process.env.CARME_DEMO_JSON ?? join(root, 'build/demo/demo.json');
// `deploy/demo exec` is to mean the same demo.
process.env.CARME_DEMO_DIR = dirname(file);

export const demo = () => JSON.parse(readFileSync(file, 'utf8'));
export const userNamed = (name) =>
  demo().users.find((user) => user.name === name);

// Where an app is, by its label: "<job>" or "<job>-<app>"; ends with "/". The
// demo may be a site of paths (CARME_DEMO_PATHS).
export function appAddress(label) {
  const {jobs_domain: domain, jobs_host: host} = demo();
  return host ? `https://${host}/${label}/` : `https://${label}.${domain}/`;
}
export const jobCookie = () =>
  demo().jobs_host ? '__Secure-carme-job' : '__Host-carme-job';

// A program of an administrator, as the demo has installed it.
export const program = (name) => join(dirname(file), 'opt/sbin', name);

// The program and arguments that run a command on a host of the demo.
export const hostCommand = (host, ...command) =>
  [join(root, 'deploy/demo'), ['exec', '--host', host, ...command]];

// Runs it; returns what it printed.
export function onHost(host, ...command) {
  return execFileSync(...hostCommand(host, ...command),
                      {encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe']});
}

// Starts or stops slapd, slurmctld and the like on the head.
export function service(name, act) {
  onHost('head', 'sh', '-c', `$CARME_CLUSTER_SERVICE ${name} ${act}`);
}

export function kill9(program) {
  process.kill(demo().pids[program], 'SIGKILL');
}

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

// What is waited for takes several times longer on emulated processors.
export const waitMs = 60_000 * Number(process.env.CARME_TEST_TIME_FACTOR ?? 1);

export async function waitFor(what, predicate, timeoutMs = waitMs) {
  const end = Date.now() + timeoutMs;
  let last;
  while (Date.now() < end) {
    try {
      const value = await predicate();
      if (value) return value;
    } catch (error) {
      last = error;
    }
    await sleep(100);
  }
  throw new Error(`${what} did not happen in ${timeoutMs} ms`, {cause: last});
}

// A code works once. So a user's second log-in has to wait for the next step of
// 30 s; the step of each user's last code is kept beside demo.json, because
// every test file is a process of its own.
const stepsFile = `${file}.steps`;
function lastSteps() {
  try {
    return JSON.parse(readFileSync(stepsFile, 'utf8'));
  } catch {
    return {};
  }
}
export async function nextCode(user, secret) {
  const now = () => Math.floor(Date.now() / 30_000);
  while (lastSteps()[user] === now()) await sleep(200);
  const step = now();
  writeFileSync(stepsFile, JSON.stringify({...lastSteps(), [user]: step}));
  return execFileSync('oathtool',
                      ['--totp', '-b', '--now', `@${step * 30}`, secret],
                      {encoding: 'utf8'}).trim();
}

// A new person in the directory, as the site's administrator would add one.
// Written into slapd's database while slapd is stopped: no user has the
// right to write to its directory. `mustChange`: the password is one to be
// changed at the first log-in.
export function addPerson(name, uid, {allowed = true, mustChange} = {}) {
  const base = onHost('head', 'printenv', 'CARME_LDAP_BASE').trim();
  const password = randomBytes(12).toString('hex');
  const person = `dn: uid=${name},ou=people,${base}
changetype: add
objectClass: inetOrgPerson
objectClass: posixAccount
cn: ${name}
sn: ${name}
uid: ${name}
uidNumber: ${uid}
gidNumber: ${uid}
homeDirectory: /home/${name}
userPassword: ${password}
${mustChange ? 'pwdReset: TRUE\n' : ''}`;
  const member = `
dn: cn=carme-users,ou=groups,${base}
changetype: modify
add: memberUid
memberUid: ${name}
`;
  changeDirectory(allowed ? person + member : person);
  return password;
}

// The entries of an LDIF, who may all use Carme.
export function addPeople(ldif, names) {
  const base = onHost('head', 'printenv', 'CARME_LDAP_BASE').trim();
  changeDirectory(
      ldif.replace(/^dn: .*$/gm, '$&\nchangetype: add') +
      `\ndn: cn=carme-users,ou=groups,${base}
changetype: modify
add: memberUid
${names.map((name) => `memberUid: ${name}`).join('\n')}
`);
}

function changeDirectory(changes) {
  service('slapd', 'stop');
  try {
    execFileSync(
        ...hostCommand('head', 'slapmodify', '-f', '/etc/ldap/slapd.conf'),
        {input: changes, stdio: 'pipe'});
  } finally {
    service('slapd', 'start');
    // It goes to the background before it listens.
    onHost('head', 'timeout', '120', 'sh', '-c',
           'until openssl s_client -connect head:636 < /dev/null ' +
           '> /dev/null 2>&1; do sleep 0.1; done');
  }
}
