// What must be nowhere but where it is kept: on no command line, in no
// environment, in no log.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {readdirSync, readFileSync, statSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {before, test} from 'node:test';

import {demo, hostCommand, onHost} from '../support/demo.mjs';
import {Client} from '../support/portal.mjs';

// The files of the four programs that hold a secret, and whose they are.
const kept = [
  ['head', '/etc/carme/backend.key', 'carme'],
  ['head', '/etc/carme/ldap-password', 'carme'],
  ['head', '/run/disk/carme/job_ca.pem', 'carme'],
  ['head', '/run/disk/carme/ticket_seed', 'carme'],
  ['head', '/run/disk/carme/carme.db', 'carme'],
  ['dmz', '/etc/carme/frontend.key', 'carme-frontend'],
  ['dmz', '/etc/carme/proxy.key', 'carme-proxy'],
  ['dmz', '/etc/carme/public.key', 'carme-proxy'],
  ['dmz', '/run/carme-proxy/cookie.key', 'carme-proxy'],
  ['dmz', '/run/carme-proxy/session.keys', 'carme-proxy'],
];

// The part of a PEM text or a line that is not the same in all of its kind.
const heart = (text) => {
  const lines = text.split('\n').filter((line) => line.length >= 8 &&
      !line.startsWith('-----'));
  // In front of a session's key stands when it was made.
  return text.includes('PRIVATE KEY') ? lines[1] : lines[0].split(' ').at(-1);
};

let secrets;
before(async () => {
  const client = new Client();
  await client.resume('ada');
  secrets = [['ada\'s session', client.cookie.split('=')[1]]];
  for (const user of demo().users) {
    secrets.push([`${user.name}'s password`, user.password],
                 [`${user.name}'s second factor`, user.totp_secret]);
  }
  for (const [host, file] of kept) {
    if (file.endsWith('.db')) continue;
    secrets.push([file, heart(onHost(host, 'cat', file))]);
  }
  for (const [name, secret] of secrets) {
    assert.ok(secret?.length >= 8, `${name} is not known here`);
  }
});

const assertFree = (text, place) => {
  for (const [name, secret] of secrets) {
    const forms = [secret, encodeURIComponent(secret),
                   Buffer.from(secret).toString('base64').replace(/=+$/, ''),
                   Buffer.from(secret).toString('hex')];
    assert.ok(!forms.some((form) => text.includes(form)),
              `${name} stands in ${place}`);
  }
};

test('secrets: on no command line and in no environment of Carme', () => {
  // All hosts of the demo share one process table.
  for (const part of ['cmdline', 'environ']) {
    const all = onHost('head', 'sh', '-c', `for p in /proc/[0-9]*; do
      case $(readlink $p/exe) in /opt/carme/*) cat $p/${part} ;; esac
      done 2> /dev/null | tr '\\0' '\\n'`);
    assert.match(all, part === 'cmdline' ? /sbin\/carme-backend/ : /^PATH=/m);
    assertFree(all, `a ${part}`);
  }
});

test('secrets: deploy/demo exec passes none to users and jobs', () => {
  // what a machine's administrator may have set, too
  const run = (...command) => spawnSync(...hostCommand(...command),
      {encoding: 'utf8', env: {...process.env, SECRET_OF_MACHINE: 'x'}});
  for (const words of [[], ['srun', '--quiet', '-w', 'n1']]) {
    const {status, stdout, stderr} =
        run('head', '--user', 'bob', ...words, 'sh', '-c', 'env; pwd; id -un');
    assert.equal(status, 0, stderr);
    assert.doesNotMatch(stdout, /CARME_TEST|CARME_LDAP|SECRET_OF_MACHINE/);
    assertFree(stdout, 'the environment of a user\'s command');
    assert.match(stdout, /^\/home\/bob\nbob$/m);
  }
  assert.doesNotMatch(run('head', 'env').stdout, /CARME_TEST|SECRET_OF_MACHINE/);
  assert.equal(run('head', '--user', 'bob', 'carme', '--help').status, 0);
});

test('secrets: in no log', () => {
  const directory = join(dirname(demo().ca_file), 'log');
  const logs = readdirSync(directory).map((name) => join(directory, name))
      .filter((path) => statSync(path).isFile());
  assert.ok(logs.some((path) => path.endsWith('carme-backend.log')));
  for (const path of logs) assertFree(readFileSync(path, 'latin1'), path);
});

for (const [host, file, owner] of kept) {
  test(`secrets: ${file} is ${owner}'s alone`, () => {
    const [user, mode] =
        onHost(host, 'stat', '--format', '%U %a', file).trim().split(' ');
    assert.equal(user, owner);
    assert.match(mode, /^[46]00$/);
  });
}

test('secrets: a program refuses a key that others may read', () => {
  for (const [host, name, key] of [
    ['head', 'backend', 'backend.key'], ['dmz', 'frontend', 'frontend.key'],
    ['dmz', 'proxy', 'public.key'],
  ]) {
    // A copy of its configuration with a copy of its key that all may read.
    const script = `set -e; d=$(mktemp -d); trap 'rm -rf $d' EXIT
      chmod 755 $d; mkdir -m 700 $d/state; cp /etc/carme/${key} $d/; chmod 644 $d/${key}
      sed 's|/etc/carme/${key}|'$d/${key}'|; s|:9443|:19443|; s|:9444|:19444|
        s|:8080|:18080|; /directory = /s|= .*|= "'$d'/state"|' \
        /etc/carme/${name}.toml > $d/toml
      case ${name} in proxy) sed -i '1i listen = "127.0.0.1:18443"' $d/toml ;; esac
      user=$(stat --format %U /etc/carme/${key}); chown $user $d $d/state
      ! timeout 60 setpriv --reuid $user --regid $user --clear-groups \
        /opt/carme/sbin/carme-${name} --config $d/toml 2>&1`;
    assert.match(onHost(host, 'sh', '-c', script),
                 /secret ".*" has mode 644: expected no permissions for others/);
  }
});
