// Breakages between hosts: clocks, names, ports, the directory, the name
// service, MUNGE, and the firewall of a host.
import assert from 'node:assert/strict';

import {
  allow, authority, block, change, cover, doctor, install, installPair, issue,
  keep, nft, relayPublicPort, sh, stopProgram,
} from '../support/doctor.mjs';
import {demo, kill9, onHost, waitFor} from '../support/demo.mjs';
import {Client, streamOf} from '../support/portal.mjs';

const portalPort = () => new URL(demo().portal).port;
const PORTAL = 'carme.localhost';
const JOBS = 'jobs.carme.localhost';
const DMZ = '10.77.0.2';

// The site's name server, on the dmz.
const dnsmasq = (...records) => sh('dmz', `
    test ! -e /run/dnsmasq.pid || { kill $(cat /run/dnsmasq.pid) || true; }
    until dnsmasq --conf-file=/dev/null --no-hosts --no-resolv \\
      --listen-address=127.0.0.1 --bind-interfaces --user=root \\
      --pid-file=/run/dnsmasq.pid "$@" 2> /run/dnsmasq.log; do sleep 0.1; done`,
    ...records.map(([name, address]) => name.startsWith('*.') ?
        `--address=/${name.slice(2)}/${address}` :
        `--host-record=${name},${address}`));
const RECORDS = [[PORTAL, DMZ], [`*.${JOBS}`, DMZ]];
function withRecords(...records) {
  dnsmasq(...records);
  return () => dnsmasq(...RECORDS);
}

const sharedHosts = () => sh('head', 'cat /etc/hosts');
const PORTAL_LINE = `${DMZ} ${PORTAL}\n`;

// What the demo has outside of its network: names in DNS, and the public port.
// Returns the functions that take it away.
export async function connectSite() {
  const undo = [
    relayPublicPort([443, portalPort()]),
    cover('dmz', '/etc/resolv.conf', 'nameserver 127.0.0.1\n'),
    cover('dmz', '/etc/nsswitch.conf', onHost('dmz', 'sed',
      's/^hosts:.*/hosts: files dns/', '/etc/nsswitch.conf')),
    cover('head', '/etc/hosts', sharedHosts() + PORTAL_LINE),
    allow('head', 'dmz', portalPort()),
    () => sh('dmz', 'kill $(cat /run/dnsmasq.pid)'),
  ];
  dnsmasq(...RECORDS);
  for (const host of ['head', 'n1']) addFirewall(host);
  undo.push(() => ['head', 'n1'].forEach(removeFirewall));
  await waitFor('the relay listens', () => onHost(
      'dmz', 'bash', '-c', `: < /dev/tcp/127.0.0.1/${portalPort()}`) === '');
  return undo;
}

// A host's own firewall, as the remedy of doctor makes it.
const PORTS = {head: ['9443', '9444', '9445', '9446'], n1: ['34000-34999']};
function addFirewall(host) {
  nft(host, 'add', 'table', 'inet', 'filter');
  nft(host, 'add', 'chain', 'inet', 'filter', 'input',
      '{ type filter hook input priority 0; }');
  for (const port of PORTS[host]) {
    nft(host, 'add', 'rule', 'inet', 'filter', 'input', 'ct', 'state', 'new',
        'tcp', 'dport', port, 'ip', 'saddr', '!=', '10.77.0.0/24', 'drop');
  }
}
const removeFirewall = (host) => sh(host, 'nft delete table inet filter || true');
const renewFirewall = (host) => () => {
  removeFirewall(host);
  addFirewall(host);
};
const limitAsRemedySays = (finding, {host}) => sh(
    host, finding.remedy.split('; with a firewall')[0]
        .replace('ADDRESSES', '10.77.0.0/24'));

// Programs that the host starts from now on see another time.
export function shiftClock(host, clock) {
  sh('head', 'touch /etc/ld.so.preload /etc/faketimerc');
  const undo = [
    cover(host, '/etc/faketimerc', `${clock}\n`),
    cover(host, '/etc/ld.so.preload', onHost(
        host, 'sh', '-c', 'echo /usr/lib/*/faketime/libfaketime.so.1')),
  ];
  return () => undo.forEach((each) => each());
}

async function restarted(...programs) {
  const before = demo().pids;
  programs.forEach(kill9);
  await waitFor('the programs run again', () => programs.every(
      (name) => demo().pids[name] && demo().pids[name] !== before[name]));
  await waitFor('the portal responds', () => onHost(
      'head', 'curl', '-skf', '-o', '/dev/null', '--resolve',
      `${PORTAL}:${portalPort()}:${DMZ}`, demo().portal) === '');
}

const clocks = [
  {
    what: 'a node whose clock is five minutes behind', finding: 'clock-wrong',
    host: 'n1', how: {clock: '-300s'}, severity: 'error',
    says: /slurmctld's clock is (5m|4m59s) ahead of this host's/,
  },
  {
    what: 'a node whose clock is 20 seconds ahead', finding: 'clock-skew',
    host: 'n1', how: {clock: '+20s'}, severity: 'warning',
    says: /slurmctld's clock is (20|21|19)s behind this host's/,
  },
  {
    what: 'a DMZ whose clock is five minutes ahead', finding: 'clock-wrong',
    host: 'head', severity: 'error', occurs: 2, // frontend and proxy
    async break() {
      const undo = shiftClock('dmz', '+300s');
      await restarted('carme-frontend', 'carme-proxy');
      return async () => {
        undo();
        await restarted('carme-frontend', 'carme-proxy');
      };
    },
    says: /the clock of the frontend's host is (5m|4m5\ds) ahead of this/,
  },
  {
    what: 'a portal whose name the backend does not resolve',
    finding: 'clock-not-compared', host: 'head', severity: 'note', occurs: 2,
    break: () => cover('head', '/etc/hosts',
                       sharedHosts().replace(PORTAL_LINE, '')),
    says: /frontend's host: the name "carme\.localhost" has no address/,
    remedy: /^compare `date -u` of both hosts/,
  },
].map((row) => ({check: 'clock',
                 remedy: /timedatectl set-ntp true, or start chrony/, ...row}));

const CONFIG = '/etc/carme/agent.toml';
const network = [
  {
    what: 'a node that does not resolve the backend', finding: 'name-unresolved',
    host: 'n1',
    break: () => cover('n1', '/etc/hosts',
                       sharedHosts().replace(/^10.77.0.1 head$/m, '')),
    says: /the backend at head:9444 .*: the name "head" has no address/,
    remedy: /\/etc\/hosts, or correct `backend` in \/etc\/carme\/agent\.toml/,
  },
  {
    what: 'a firewall that drops DMZ to backend', finding: 'port-unreachable',
    host: 'dmz', occurs: 2, // proxy and frontend
    break: () => block('dmz', 'head', 9443),
    says: /the backend at 10\.77\.0\.1:9443 .*timed out/,
    remedy: /allow the connection in the firewall \(docs\/admin\/dmz\.md\)/,
  },
  {
    what: 'a firewall that drops node to backend', finding: 'port-unreachable',
    host: 'n1', break: () => block('n1', 'head', 9444),
    says: /the backend at head:9444 .*timed out/,
    remedy: /allow the connection in the firewall/,
  },
  {
    what: 'a backend that does not run, seen by a node',
    finding: 'port-unreachable', host: 'n1',
    break: () => stopBackend(), says: /head:9444 .*Connection refused/,
    remedy: /^start carme-backend; /,
  },
  {
    what: 'a backend that does not run', finding: 'port-not-listening',
    host: 'head', occurs: 2, also: ['port-unreachable'], // of carme-metrics
    break: () => stopBackend(),
    says: /carme-backend does not accept connections at 10\.77\.0\.1:9443: /,
    remedy: /^systemctl start carme-backend; journalctl -u carme-backend/,
  },
  {
    what: 'a frontend that does not run', finding: 'port-not-listening',
    host: 'dmz',
    break() {
      const start = stopProgram('carme-frontend');
      return async () => {
        start();
        await waitFor('the frontend runs again', () => onHost(
            'dmz', 'bash', '-c', ': < /dev/tcp/127.0.0.1/8080') === '');
      };
    },
    says: /carme-frontend does not accept connections at 127\.0\.0\.1:8080/,
    remedy: /^systemctl start carme-frontend; /,
  },
  {
    what: 'carme-metrics with another port of the database',
    finding: 'metrics-database-unreachable', host: 'head',
    break: () => change('head', '/etc/carme/metrics.toml',
                        "sed -i 's/:8428/:8429/' /etc/carme/metrics.toml"),
    says: /^the time-series database at http:\/\/127\.0\.0\.1:8429 does not/,
    remedy: /^start the database, .* correct `url` of \[database\] in \/etc\/carme\/m/,
  },
  {
    what: 'a node that expects another backend', finding: 'tls-refused',
    host: 'n1',
    break: () => change('n1', CONFIG,
                        `sed -i 's/"carme-backend"/"other-backend"/' ${CONFIG}`),
    says: /head:9444 \(certificate name other-backend\): TLS: hostname mismatch/i,
    remedy: /^openssl s_client -connect head:9444 .*-CAfile \/etc\/carme\/ca\.pem/,
    mend: mendTls,
  },
  {
    what: 'a proxy with a certificate of another authority',
    finding: 'tls-refused', host: 'dmz',
    break() {
      const undo = keep('dmz', '/etc/carme/proxy.pem', '/etc/carme/proxy.key');
      installPair('dmz', issue('issue', 'proxy', 'dmz',
                               {authority: authority(false)}),
                  'carme-proxy', 'proxy');
      return undo;
    },
    says: /10\.77\.0\.1:9443 .*: TLS: /,
    remedy: /-cert \/etc\/carme\/proxy\.pem -key \/etc\/carme\/proxy\.key$/,
  },
].map((row) => ({check: 'network', severity: 'error', ...row}));

// The remedy shows the cause until it is gone.
function mendTls(finding, {host}) {
  const shows = (how) => sh(host, `${how} ${finding.remedy} < /dev/null 2>&1`);
  assert.match(shows('!'), /hostname mismatch/i);
  sh(host, `sed -i 's/"other-backend"/"carme-backend"/' ${CONFIG}`);
  sh(host, finding.remedy.replaceAll('other-backend', 'carme-backend') +
      ' < /dev/null');
}

function stopBackend() {
  const start = stopProgram('carme-backend');
  return async () => {
    start();
    await waitFor('the backend runs again', () => onHost(
        'head', 'bash', '-c', ': < /dev/tcp/10.77.0.1/9443') === '');
  };
}

const names = [
  {
    what: "no record of the portal's name", finding: 'portal-name-unresolved',
    break: () => withRecords(RECORDS[1]),
    says: /the name "carme\.localhost" has no address/,
    remedy: /^add an A or AAAA record for carme\.localhost$/,
  },
  {
    what: 'no wildcard record for jobs', finding: 'jobs-name-unresolved',
    // A record for a single name is not enough.
    break: () => withRecords(RECORDS[0], [`one.${JOBS}`, DMZ]),
    says: /the name "doctor-\w+\.jobs\.carme\.localhost" has no address/,
    remedy: /A or AAAA record for \*\.jobs\.carme\.localhost, or use path-based/,
  },
  {
    what: 'a wildcard record of another host', finding: 'jobs-name-elsewhere',
    severity: 'warning',
    break: () => withRecords(RECORDS[0], [`*.${JOBS}`, '10.77.0.9']),
    says: /resolves to 10\.77\.0\.9, "carme\.localhost" to 10\.77\.0\.2/,
    remedy: /^point \*\.jobs\.carme\.localhost to the proxy/,
  },
].map((row) => ({host: 'dmz', check: 'jobs-domain', severity: 'error', ...row}));

const PASSWORD = '/etc/carme/ldap-password';
const service = (host, name, act) =>
    sh(host, '/run/carme-site/cluster.d/service "$@"', name, act);
const served = (host, name) => {
  let stopped = true;
  service(host, name, 'stop');
  return () => {
    if (stopped) service(host, name, 'start');
    stopped = false;
  };
};
// The remedy shows the cause until it is gone.
const mendDirectory = (mend) => async (finding) => {
  sh('head', `! ${finding.remedy}`);
  mend();
  await waitFor('the directory responds', () => sh('head', finding.remedy));
};
let slapd;

const directory = [
  {
    what: "a wrong password of Carme's account in the directory",
    finding: 'directory-unavailable',
    break: () => change('head', PASSWORD, `printf wrong > ${PASSWORD}`),
    says: /^ldaps:\/\/head: .*invalid credentials/i,
    mend: mendDirectory(() => sh('head', `cp -p /run/kept${PASSWORD} ${PASSWORD}`)),
  },
  {
    what: 'a directory that does not run', finding: 'directory-unavailable',
    break() {
      slapd = served('head', 'slapd');
      return slapd;
    },
    says: /^ldaps:\/\/head: .*can't contact/i, mend: mendDirectory(() => slapd()),
  },
  {
    what: 'a directory with a certificate of an unknown authority',
    finding: 'directory-unavailable',
    break() {
      const undo = keep('head', '/etc/carme/ldap-ca.pem');
      install('head', `${authority(false)}/ca.pem`, '/etc/carme/ldap-ca.pem');
      return undo;
    },
    says: /^ldaps:\/\/head: /,
    mend: mendDirectory(() => sh('head', `
      cp -p /run/kept/etc/carme/ldap-ca.pem /etc/carme/ldap-ca.pem`)),
  },
  {
    what: "no password of Carme's account in the directory",
    finding: 'directory-setup',
    break: () => change('head', PASSWORD, `rm ${PASSWORD}`),
    says: /ldap-password/, remedy: /^correct \[ldap\] of backend\.toml/,
  },
  {
    what: 'a group that the directory does not have',
    finding: 'directory-group-missing',
    break: () => change('head', '/etc/carme/backend.toml',
                        "sed -i 's/carme-admins/carme-chiefs/' " +
                            '/etc/carme/backend.toml'),
    says: /the directory has no group "carme-chiefs"/,
    remedy: /^create the group below group_base, or correct its name/,
  },
  {
    what: 'no program that asks the directory', finding: 'directory-not-checked',
    severity: 'note',
    break: () => cover(
        'head', '/opt/carme/libexec/carme-backend/carme-directory-probe'),
    says: /carme-directory-probe is not installed/,
    remedy: /^install carme-backend/,
  },
].map((row) => ({
  host: 'head', check: 'directory', severity: 'error',
  remedy: /^LDAPTLS_CACERT=\S+ ldapwhoami -x -H ldaps:\/\/head -D "cn=carme,/,
  ...row,
}));

// nscd reads the files of the name service when it starts.
function nameService(path, content) {
  const stopped = served('head', 'nscd');
  const undo = cover('head', path, content);
  stopped();
  return () => {
    undo();
    service('head', 'nscd', 'restart');
  };
}
const switchWith = (text) => onHost('head', 'sed', text, '/etc/nsswitch.conf');

const nss = [
  {
    what: 'a name service without the groups of the directory',
    finding: 'nss-group-missing', also: ['nss-not-compared'],
    break: () => nameService('/etc/nsswitch.conf', switchWith(
        's/^group:.*/group: files/')),
    says: /`getent group carme-users` finds no group/,
    remedy: /sssd or nslcd .* "group" of \/etc\/nsswitch\.conf; then restart/,
  },
  {
    what: 'a name service without the users of the directory',
    finding: 'nss-user-missing', options: ['--user', 'ada'],
    break: () => nameService('/etc/nsswitch.conf', switchWith(
        's/^passwd:.*/passwd: files/')),
    says: /`getent passwd ada` finds no user/,
    remedy: /sssd or nslcd .* "passwd" of \/etc\/nsswitch\.conf; then restart/,
  },
  {
    what: 'a local account with the name of a user',
    finding: 'nss-uid-differs',
    break: () => nameService('/etc/passwd', sh('head', 'cat /etc/passwd') +
        'bob:x:30002:30002::/home/bob:/bin/bash\n'),
    says: /"bob" has uid 20002 in the directory and 30002 in the name service/,
    remedy: /local account in \/etc\/passwd$/,
  },
  {
    what: 'a user whom the directory does not have',
    finding: 'nss-not-compared', severity: 'note',
    how: {options: ['--user', 'stranger']},
    says: /the directory has no usable entry of "stranger"/,
    remedy: /^name another user: --user NAME/,
  },
].map((row) => ({host: 'head', check: 'name-service', severity: 'error', ...row}));

const munge = ['head', 'n1'].map((host) => ({
  what: `no munged on ${host}`, finding: 'munge-unavailable', host,
  check: 'munge', severity: 'error', break: () => served(host, 'munged'),
  says: /munged/i, remedy: /^systemctl start munge; journalctl -u munge/,
}));

const firewall = [
  {
    what: 'a host without the rule for a port', host: 'head',
    break() {
      const [, handle] = nft('head', '-a', 'list', 'ruleset')
          .match(/dport 9443 .*# handle (\d+)/);
      nft('head', 'delete', 'rule', 'inet', 'filter', 'input', 'handle', handle);
      return renewFirewall('head');
    },
    says: /no rule of nftables .* port 9443 \(for frontend and proxy\)/,
  },
  {
    what: 'a node without its table', host: 'n1',
    break() {
      removeFirewall('n1');
      return renewFirewall('n1');
    },
    says: /no rule of nftables .* port 34000-34999 \(for the proxy\)/,
  },
  {
    what: 'a user who may not see the firewall', host: 'n1',
    finding: 'firewall-not-checked', severity: 'note', how: {user: 'ada'},
    says: /not permitted/i, remedy: /^run as root; or/, mend: null,
  },
].map((row) => ({
  finding: 'firewall-port-unlimited', check: 'firewall', severity: 'warning',
  // Without "ct state new" the rule would drop responses to the host's own
  // connections, which may be from such a port.
  remedy: /^nft add table inet filter && .* ct state new tcp dport \d.* --skip/,
  mend: limitAsRemedySays, ...row,
}));

// A job of ada that is ready, until the returned function ends it.
async function startJob() {
  const ada = new Client();
  await ada.resume('ada');
  const stream = streamOf(ada);
  const {body: {job: {id}}} = await ada.call('JobService/SubmitJob', {
    spec: {walltime: '600s', app: 'shell', image: 'none'}});
  await stream.until(id, 'JOB_STATE_READY');
  let running = true;
  return async () => {
    if (!running) return;
    running = false;
    await ada.call('JobService/StopJob', {jobId: id});
    await stream.until(id, 'JOB_STATE_ENDED');
    stream.close();
  };
}

const agents = [
  {
    what: 'a firewall that drops the proxy to a node that runs a job',
    finding: 'agent-unreachable', severity: 'error',
    async break() {
      const end = await startJob();
      const unblock = ['n1', 'n2'].map(
          (node) => block('dmz', node, '34000-34999'));
      await waitFor('the proxy has saved the route',
                    () => doctor('dmz', 'agents').findings.length > 0);
      return async () => {
        unblock.forEach((each) => each());
        await end();
      };
    },
    says: /does not reach the agent of job [a-z0-9]+: 10\.77\.0\.\d+:34\d{3}: .*timed out/,
    remedy: /^allow this host to connect to the node's ports from port_first/,
  },
  {
    what: 'a file of routes that is damaged', finding: 'routes-not-read',
    severity: 'note',
    break: () => change('dmz', '/run/carme-proxy/routes',
                        'echo damaged >> /run/carme-proxy/routes'),
    says: /^"\/run\/carme-proxy\/routes" cannot be read: digest mismatch$/,
    remedy: /^run as root; remove a damaged file: carme-proxy writes it again/,
    mend: () => sh('dmz', 'rm /run/carme-proxy/routes'),
  },
].map((row) => ({host: 'dmz', check: 'agents', ...row}));

export const NETWORK_BREAKAGES = [
  ...clocks, ...network, ...names, ...directory, ...nss, ...munge, ...firewall,
  ...agents,
];
