// Breakages of a host's files, certificates, database, disks and processes.
import {spawn} from 'node:child_process';
import {writeFileSync} from 'node:fs';

import {
  authority, certificateByHand, change, cover, install, installPair, issue,
  keep, revoke, sh, stopProgram,
} from '../support/doctor.mjs';
import {hostCommand, onHost, waitFor} from '../support/demo.mjs';

// The remedy's first command, as it is.
const firstCommand = (finding, {host}) =>
    sh(host, finding.remedy.split('; ')[0]);

// `carmectl pki ACT DIR ROLE NAME`, as the remedy says, and the files copied to
// where it says.
function issueAsRemedySays(finding, {host}) {
  const [, act, role, more] = finding.remedy.match(
      /carmectl pki (renew|issue) DIR (\w+) NAME( --dns [\w-]+)?/);
  const name = role === 'backend' ? 'head' : 'dmz';
  const user = role === 'backend' ? 'carme' : `carme-${role}`;
  // An authority issues a program's certificate once.
  installPair(host, issue(act, role, name, {
    dns: more ? [more.split(' ').pop()] : [],
    ...(act === 'issue' && {authority: emptyIndex()}),
  }), user, role);
}

// The demo's authority as if it had issued nothing.
function emptyIndex() {
  const path = authority();
  writeFileSync(`${path}/index`, '');
  return path;
}

const CONFIG = '/etc/carme/backend.toml';
const PROXY = {host: 'dmz', pair: ['/etc/carme/proxy.pem',
                                   '/etc/carme/proxy.key']};

// The proxy's certificate, issued by a copy of the demo's authority.
function withProxyCertificate(options, role = 'proxy') {
  const undo = keep(PROXY.host, ...PROXY.pair);
  installPair(PROXY.host, issue(options.act ?? 'renew', role, 'dmz', {
    authority: authority(), ...options}), 'carme-proxy', 'proxy');
  return undo;
}

// The certificate for browsers.
const NAMES = 'DNS:carme.localhost,DNS:*.jobs.carme.localhost';
function withPublicCertificate(names, options) {
  const undo = keep('dmz', '/etc/carme/public.pem', '/etc/carme/public.key');
  installPair('dmz', certificateByHand('.', 'public', names, options),
              'carme-proxy', 'public');
  return undo;
}
// What the site's tool would do.
const renewPublic = () => installPair(
    'dmz', certificateByHand('.', 'public', NAMES), 'carme-proxy', 'public');

const files = [
  {
    what: 'a misspelt key in backend.toml', finding: 'configuration-invalid',
    host: 'head', check: 'configuration', severity: 'error',
    break: () => change('head', CONFIG, `sed -i '1i misspelt = 1' ${CONFIG}`),
    says: /backend\.toml.*misspelt/,
    remedy: /^correct the file; check with: carme-backend --config .* --check-config$/,
    mend(finding) {
      sh('head', `sed -i /misspelt/d ${CONFIG}`);
      sh('head', finding.remedy.split('check with: ')[1]);
    },
  },
  {
    what: 'no carme-agent on a node', finding: 'configuration-not-checked',
    host: 'n1', check: 'configuration', severity: 'note',
    break: () => cover('n1', '/opt/carme/libexec/carme/carme-agent'),
    says: /agent\.toml" was not checked: .*carme-agent is not installed/,
    remedy: /^install the program, then run: carme-agent /,
  },
  {
    what: 'a configuration that users may change',
    finding: 'configuration-writable',
    host: 'head', check: 'configuration', severity: 'error',
    break: () => change('head', CONFIG, `chmod o+w ${CONFIG}`),
    says: /backend\.toml" has mode 446/, remedy: /chmod go-w/,
    mend: firstCommand,
  },
  {
    what: "no key of the frontend", finding: 'secret-missing',
    host: 'dmz', check: 'secrets', severity: 'error',
    break: () => change('dmz', '/etc/carme/frontend.key',
                        'rm /etc/carme/frontend.key'),
    says: /frontend\.key" cannot be found/,
    remedy: /^copy the file to \/etc\/carme\/frontend\.key/,
  },
  {
    what: "the backend's key, readable by users", finding: 'secret-exposed',
    host: 'head', check: 'secrets', severity: 'error',
    break: () => change('head', '/etc/carme/backend.key',
                        'chmod 444 /etc/carme/backend.key'),
    says: /backend\.key" has mode 444/, remedy: /^chown 64101 .* && chmod 0400/,
    mend: firstCommand,
  },
  {
    what: "the proxy's key, which belongs to root",
    finding: 'secret-unreadable',
    host: 'dmz', check: 'secrets', severity: 'error',
    break: () => change('dmz', '/etc/carme/proxy.key',
                        'chown root:root /etc/carme/proxy.key'),
    says: /proxy\.key" belongs to uid 0 .*uid 64103 cannot read it/,
    remedy: /^chown 64103 /, mend: firstCommand,
  },
  {
    what: 'no account carme-proxy', finding: 'account-missing',
    host: 'dmz', check: 'secrets', severity: 'error',
    break: () => change('dmz', '/etc/passwd',
                        "sed -i '/^carme-proxy:/d' /etc/passwd"),
    says: /carme-proxy: the account "carme-proxy" does not exist/,
    remedy: /^systemd-sysusers/,
  },
  {
    what: 'no state directory of the proxy',
    finding: 'state-directory-missing',
    host: 'dmz', check: 'state-directory', severity: 'error',
    break() {
      sh('dmz', 'mv /run/carme-proxy /run/aside');
      return () => sh('dmz', `test ! -d /run/aside || {
        mkdir -p /run/carme-proxy
        cp -a /run/aside/. /run/carme-proxy
        rm -r /run/aside
      }`);
    },
    says: /"\/run\/carme-proxy".*No such file/,
    remedy: /^install -d -m 700 -o 64103 \/run\/carme-proxy$/,
    mend: firstCommand,
  },
  {
    what: "the backend's state, readable by users",
    finding: 'state-directory-not-private',
    host: 'head', check: 'state-directory', severity: 'error',
    break() {
      sh('head', 'chmod 755 /run/disk/carme');
      return () => sh('head', 'chmod 700 /run/disk/carme');
    },
    says: /"\/run\/disk\/carme" belongs to uid 64101 and has mode 755/,
    remedy: /^chown -R 64101 .* && chmod 700/, mend: firstCommand,
  },
  {
    what: 'a database that root restored', finding: 'state-file-owner',
    host: 'head', check: 'state-directory', severity: 'error',
    break() {
      sh('head', 'chown root /run/disk/carme/carme.db');
      return () => sh('head', 'chown carme /run/disk/carme/carme.db');
    },
    says: /carme\.db" belongs to uid 0: expected 64101/,
    remedy: /^chown -R 64101 \/run\/disk\/carme$/, mend: firstCommand,
  },
];

const certificates = [
  {
    what: 'an empty certificate of the proxy',
    finding: 'certificate-unreadable', break: () => change(
        'dmz', PROXY.pair, ': > /etc/carme/proxy.pem'),
    says: /proxy\.pem": /, remedy: /carmectl pki renew DIR proxy NAME, or .* issue /,
  },
  {
    what: 'an expired certificate of the proxy', finding: 'certificate-expired',
    break: () => withProxyCertificate({clock: '-40d', days: 30}),
    says: /proxy\.pem" expired on \d{4}-\d\d-\d\d \d\d:\d\d UTC/,
    remedy: /carmectl pki renew DIR proxy NAME; copy both files/,
  },
  {
    what: "a certificate of the proxy's last week",
    finding: 'certificate-expiring', severity: 'warning',
    break: () => withProxyCertificate({days: 7}),
    says: /proxy\.pem" expires on \d{4}-/, remedy: /pki renew DIR proxy/,
  },
  {
    what: 'a certificate of an authority whose clock is ahead',
    finding: 'certificate-not-yet-valid',
    break: () => withProxyCertificate({clock: '+3d'}),
    says: /proxy\.pem" is valid from .*this host's clock shows/,
    remedy: /date -u.*start a time service/, mend: null,
  },
  {
    what: "another program's key in place of the proxy's",
    finding: 'certificate-key-mismatch',
    break: () => change('dmz', PROXY.pair,
                        'cat /etc/carme/frontend.key > /etc/carme/proxy.key'),
    says: /proxy\.key" is not the key of ".*proxy\.pem"/,
    remedy: /pki renew DIR proxy/,
  },
  {
    what: 'a certificate of another authority',
    finding: 'certificate-untrusted',
    break: () => withProxyCertificate(
        {act: 'issue', authority: authority(false)}),
    says: /proxy\.pem" was not issued by the authority ".*ca\.pem"/,
    remedy: /pki renew DIR proxy/,
  },
  {
    what: "the frontend's certificate in place of the proxy's",
    finding: 'certificate-wrong-role',
    break: () => withProxyCertificate({}, 'frontend'),
    says: /belongs to carme:\/\/frontend\/dmz: expected carme:\/\/proxy\/NAME/,
    remedy: /pki renew DIR proxy/,
  },
  {
    what: "a backend's certificate without a name", host: 'head',
    finding: 'certificate-without-name',
    break() {
      const undo = keep('head', '/etc/carme/backend.pem',
                        '/etc/carme/backend.key');
      installPair('head', certificateByHand(
          'carme', 'backend', 'URI:carme://backend/head'), 'carme', 'backend');
      return undo;
    },
    says: /backend\.pem" has no DNS name/,
    remedy: /^carmectl pki issue DIR backend NAME --dns carme-backend/,
  },
  {
    what: 'a revoked certificate', finding: 'certificate-revoked',
    break() {
      const undo = keep('dmz', '/etc/carme/crl.pem', ...PROXY.pair);
      const copy = authority();
      const serial = onHost('dmz', '/opt/carme/sbin/carmectl', 'pki', 'show',
                            '/etc/carme/proxy.pem')
          .match(/serial +(\S+)/)[1];
      revoke(copy, serial);
      install('dmz', `${copy}/crl.pem`, '/etc/carme/crl.pem');
      return undo;
    },
    says: /proxy\.pem" \(serial \w+\) is revoked/,
    remedy: /pki renew DIR proxy/,
  },
  {
    what: "an authority's file without a certificate",
    finding: 'authority-unreadable', host: 'n1',
    break: () => change('n1', '/etc/carme/ca.pem',
                        'echo nothing > /etc/carme/ca.pem'),
    says: /authority "\/etc\/carme\/ca\.pem": /,
    remedy: /^copy the authority's certificate to \/etc\/carme\/ca\.pem/,
    mend: null,
  },
  {
    what: 'a revocation list of another authority',
    finding: 'revocation-list-unreadable', occurs: 2, // proxy and frontend
    break() {
      const undo = keep('dmz', '/etc/carme/crl.pem');
      install('dmz', `${authority(false)}/crl.pem`, '/etc/carme/crl.pem');
      return undo;
    },
    says: /revocation list "\/etc\/carme\/crl\.pem": /,
    remedy: /^copy crl\.pem of the site's authority to/, mend: null,
  },
].map((row) => ({host: 'dmz', check: 'certificates', severity: 'error',
                 mend: issueAsRemedySays, ...row}));

const publicCertificates = [
  {
    what: 'no certificate for browsers',
    finding: 'public-certificate-unreadable',
    break: () => change('dmz', '/etc/carme/public.pem',
                        'rm /etc/carme/public.pem'),
    says: /public\.pem/, remedy: /^copy the certificate with its chain to/,
    mend: null,
  },
  {
    what: 'an expired certificate for browsers',
    finding: 'public-certificate-expired',
    break: () => withPublicCertificate(NAMES, {clock: '-31d'}),
    says: /public\.pem" is valid from .* to /, remedy: /^renew it/,
  },
  {
    what: 'a certificate for browsers in its last week',
    finding: 'public-certificate-expiring', severity: 'warning',
    break: () => withPublicCertificate(NAMES, {clock: '-23d'}),
    says: /public\.pem" is valid from .* to /, remedy: /^renew it/,
  },
  {
    what: "another key in place of the public certificate's",
    finding: 'public-certificate-key-mismatch',
    break: () => change('dmz', ['/etc/carme/public.pem',
                                '/etc/carme/public.key'],
                        'cat /etc/carme/proxy.key > /etc/carme/public.key'),
    says: /public\.key" is not the key of ".*public\.pem"/,
    remedy: /^copy certificate and key of the same renewal/,
  },
  {
    what: 'a certificate for browsers without the names of jobs',
    finding: 'public-certificate-names',
    break: () => withPublicCertificate('DNS:carme.localhost'),
    says: /valid for "\*\.jobs\.carme\.localhost"; they have: carme\.localhost/,
    remedy: /^request one for /,
  },
].map((row) => ({host: 'dmz', check: 'public-certificate', severity: 'error',
                 mend: renewPublic, ...row}));

// Doctor looks at a copy of the backend's state: the backend goes on to use its
// own.
const COPY = '/run/doctor/state';
export function copyState() {
  sh('head', `rm -rf /run/doctor
    mkdir -p /run/doctor/etc
    cp -a /etc/carme/. /run/doctor/etc
    install -d -m 700 -o carme -g carme ${COPY}
    sed -i 's|^directory = "/run/disk/carme"|directory = "${COPY}"|' \\
      /run/doctor/etc/backend.toml
    carmectl backup --state-dir /run/disk/carme /run/doctor/backup
    carmectl restore --state-dir ${COPY} /run/doctor/backup`);
}
const database = (script) => change('head', COPY, `cd ${COPY}; ${script}`);
const setVersion = (change) => database(`python3 -c '
import sqlite3
db = sqlite3.connect("carme.db")
version = db.execute("PRAGMA user_version").fetchone()[0]
db.execute(f"PRAGMA user_version = {version ${change}}")'`);

const restoreAsRemedySays = (finding) => sh(
    'head', finding.remedy.match(/carmectl restore .* BACKUP/)[0]
        .replace('BACKUP', '/run/doctor/backup'));

const databases = [
  {
    what: 'no database', finding: 'database-missing', severity: 'note',
    break: () => database('rm carme.db*'),
    says: /state\/carme\.db" does not exist/, remedy: /^on a new site, start carme-backend; otherwise: carmectl restore/,
    mend: restoreAsRemedySays,
  },
  {
    what: 'a damaged database', finding: 'database-damaged', severity: 'error',
    break: () => database('head -c 8192 /dev/urandom |' +
        'dd of=carme.db bs=4096 seek=2 conv=notrunc status=none'),
    says: /state\/carme\.db": /,
    remedy: /^systemctl stop carme-backend; carmectl restore --replace/,
    mend: restoreAsRemedySays,
  },
  {
    what: 'a database of a newer release', finding: 'database-newer',
    severity: 'error', break: () => setVersion('+ 1'),
    says: /has schema version (\d+), this release has \d+/,
    remedy: /^install the release that wrote it; or, with a backup/,
    mend: restoreAsRemedySays,
  },
  {
    what: 'a database of an older release', finding: 'database-older',
    severity: 'note', break: () => setVersion('- 1'),
    says: /has schema version (\d+), this release has \d+/,
    remedy: /^systemctl start carme-backend, which first makes a backup/,
  },
].map((row) => ({host: 'head', check: 'database',
                 options: ['--config-dir', '/run/doctor/etc'], ...row}));

// A small file system in place of a directory of a host.
function tmpfs(host, path, options, script = ':') {
  sh(host, `mkdir -p ${path}; mount -t tmpfs -o ${options} none ${path}
    cd ${path}; ${script}`);
  return () => sh(host, `while mountpoint -q ${path}; do umount ${path}; done`);
}
const SCRATCH = '/run/disk/scratch';

const disks = [
  {
    what: 'no scratch directory on a node', finding: 'disk-not-checked',
    severity: 'note',
    break: () => change('n1', SCRATCH, `rmdir ${SCRATCH}`),
    says: /"\/run\/disk\/scratch": No such file/, remedy: /^ls -ld /,
  },
  {
    what: 'little space for scratch files', finding: 'disk-space-low',
    severity: 'warning', break: () => tmpfs('n1', SCRATCH, 'size=200m'),
    says: /scratch" has 200 MiB free: expected at least 1024/,
    remedy: /^df -h .*; remove files or enlarge the file system/,
    mend: () => sh('n1', `mount -o remount,size=2g ${SCRATCH}`),
  },
  {
    what: 'a full disk of a node', finding: 'disk-full', severity: 'error',
    break: () => tmpfs('n1', SCRATCH, 'size=1100m',
                       'fallocate -l 1090m old-results'),
    says: /scratch" has 1?\d MiB free/, remedy: /^df -h /,
    mend(finding) {
      sh('n1', finding.remedy.split('; ')[0]);
      sh('n1', `rm ${SCRATCH}/old-results`);
    },
  },
  {
    what: 'a file system without inodes', finding: 'inodes-low',
    severity: 'warning',
    break: () => tmpfs('n1', SCRATCH, 'size=2g,nr_inodes=500'),
    says: /scratch" has 49\d free inodes/, remedy: /^df -i .*; remove files/,
    mend: () => sh('n1', `mount -o remount,nr_inodes=20k ${SCRATCH}`),
  },
].map((row) => ({host: 'n1', check: 'disk', ...row}));

// The machine's own limit may be less than what the configurations need.
export function lowerMaxConnections() {
  sh('dmz', `rm -rf /run/doctor
    mkdir -p /run/doctor
    cp -a /etc/carme /run/doctor/etc
    printf '[limits]\\nmax_connections = 500\\n' >> /run/doctor/etc/proxy.toml`);
}
const limitOpenFiles = (limit) => sh('dmz', `
    runuser -u carme-proxy -- prlimit --pid $(pgrep -x carme-proxy) --nofile=$1:`,
    String(limit));

const processes = [
  {
    what: 'a proxy that may open few files', finding: 'descriptor-limit-low',
    host: 'dmz', check: 'descriptors', severity: 'warning',
    options: ['--config-dir', '/run/doctor/etc'],
    break() {
      limitOpenFiles(1024);
      return () => limitOpenFiles(4096);
    },
    says: /carme-proxy .* may open 1024 files, its configuration needs 2024/,
    remedy: /^systemctl edit carme-proxy: LimitNOFILE=2024; or lower/,
    mend: (finding) => limitOpenFiles(
        finding.remedy.match(/LimitNOFILE=(\d+)/)[1]),
  },
  {
    what: 'a second backend on the database', finding: 'two-backends',
    host: 'head', check: 'processes', severity: 'error',
    async break() {
      // A second one refuses to start; this has its name and its open file.
      sh('head', 'cp /bin/sleep /run/carme-backend');
      const other = spawn(...hostCommand(
          'head', 'sh', '-c',
          'exec /run/carme-backend 600 < /run/disk/carme/carme.db'));
      for (;;) {
        if (onHost('head', 'pgrep', '-c', '-x', 'carme-backend') > 1) break;
      }
      return () => sh('head', 'pkill -f ^/run/carme-backend || true');
    },
    says: /the processes \d+, \d+ use "\/run\/disk\/carme\/carme\.db"/,
    remedy: /kill PID$/,
    mend(finding) {
      const own = onHost('head', 'pgrep', '-f', '^/run/carme-backend').trim();
      sh('head', finding.remedy.split('; ').pop().replace('PID', own));
    },
  },
  {
    what: 'an impersonator that does not run', finding: 'root-program-socket',
    host: 'head', check: 'processes', severity: 'error',
    break() {
      const start = stopProgram('carme-impersonator');
      const socket = '/run/carme-impersonator/socket';
      sh('head', `rm ${socket}`);
      return async () => {
        start();
        await waitFor('the impersonator runs again', () =>
          sh('head', `test -S ${socket}`) === '');
      };
    },
    says: /carme-impersonator has no socket at "\/run\/carme-impersonator\//,
    remedy: /^systemctl start carme-impersonator; journalctl/,
  },
];

export const HOST_BREAKAGES = [
  ...files, ...certificates, ...publicCertificates, ...databases, ...disks,
  ...processes,
];
