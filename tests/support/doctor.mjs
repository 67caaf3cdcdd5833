// `carmectl doctor` on the hosts of the demo, and ways to break a host. What
// breaks something returns the function that undoes it; to undo twice does no
// harm.
import {execFileSync, spawn, spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

import {demo, hostCommand, onHost, program} from './demo.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const pki = join(dirname(demo().ca_file), 'pki');
const CARMECTL = '/opt/carme/sbin/carmectl';
const FAKETIME = '/usr/$LIB/faketime/libfaketime.so.1';

// {code, output, findings} of one check, or of several. `user` runs it;
// `clock` is what that clock shows: "+300s".
export function doctor(host, checks, {user, clock, json = true, options = [],
                                      within = []} = {}) {
  const words = ['env', ...(user ? [`--chdir=/tmp`] : []),
                 ...(clock ? [`LD_PRELOAD=${FAKETIME}`, `FAKETIME=${clock}`] :
                             []),
                 CARMECTL, 'doctor', ...(json ? ['--json'] : []), ...options];
  for (const check of [checks].flat()) words.push('--only', check);
  const [file, entry] = hostCommand(
      host, ...(user ? ['--user', user] : []), ...within, ...words);
  const {status: code, stdout: output, stderr} =
      spawnSync(file, entry, {encoding: 'utf8'});
  if (!json) return {code, output};
  try {
    const findings = JSON.parse(output).checks.flatMap(
        (check) => check.findings.map(
            (finding) => ({check: check.name, ...finding})));
    return {code, output, findings};
  } catch {
    throw new Error(`doctor on ${host} ended with ${code}: ${output}${stderr}`);
  }
}

// The script's "$1"… are `words`.
export const sh = (host, script, ...words) =>
    onHost(host, 'sh', '-ec', script, 'sh', ...words);

// Puts files and directories aside; undoing puts them back as they were.
export function keep(host, ...paths) {
  sh(host, `for path; do
      rm -rf "/run/kept$path"
      mkdir -p "/run/kept\${path%/*}"
      cp -a "$path" "/run/kept$path"
    done`, ...paths);
  return () => sh(host, `for path; do
      rm -rf "$path"
      cp -a "/run/kept$path" "$path"
    done`, ...paths);
}

// Runs a script after `paths` were put aside.
export function change(host, paths, script) {
  const undo = keep(host, ...[paths].flat());
  sh(host, script);
  return undo;
}

// The file has this content on this host; others see the one that is shared.
// Without content, it cannot be executed either.
let covers = 0;
export function cover(host, path, content = '') {
  execFileSync(...hostCommand(host, 'sh', '-ec', `
    mkdir -p /run/covers
    cat > "/run/covers/$2"
    mount --bind "/run/covers/$2" "$1"`, 'sh', path,
    `${process.pid}-${++covers}`), {input: content});
  let covered = true;
  return () => {
    if (covered) sh(host, 'umount "$1"', path);
    covered = false;
  };
}

// A file of this machine, for a host.
export function install(host, source, path, user = 'root', mode = '444') {
  execFileSync(...hostCommand(host, 'sh', '-ec', `
    cat > "$1.new"
    chown "$2": "$1.new"
    chmod "$3" "$1.new"
    mv -f "$1.new" "$1"`, 'sh', path, user, mode),
               {input: readFileSync(source)});
}

// A program's certificate and key become those at STEM.pem and STEM.key.
export function installPair(host, stem, user, name) {
  install(host, `${stem}.pem`, `/etc/carme/${name}.pem`);
  install(host, `${stem}.key`, `/etc/carme/${name}.key`, user, '400');
}

const shifted = (clock) => clock ?
    {env: {...process.env, LD_PRELOAD: FAKETIME, FAKETIME: clock}} : {};
const scratch = mkdtempSync(join(tmpdir(), 'carme-doctor-'));
process.on('exit', () => rmSync(scratch, {recursive: true}));

// `carmectl pki ARGUMENTS` of the demo's authority, or of another; returns the
// stem of the files. `clock`: that of the authority.
export function issue(act, role, name, {clock, days = 90, dns = [], authority,
                                        out = join(scratch, 'issued')} = {}) {
  execFileSync('rm', ['-f', `${out}.pem`, `${out}.key`]);
  execFileSync(program('carmectl'), [
    'pki', act, authority ?? join(pki, 'carme'), role, name,
    ...(act === 'renew' ? [] : dns.flatMap((each) => ['--dns', each])),
    '--days', days, '--out', out,
  ], {stdio: ['ignore', 'pipe', 'inherit'], ...shifted(clock)});
  return out;
}

// A copy of the demo's authority, so that what it issues is in no index of the
// demo; without `copied`, one that the demo does not trust.
export function authority(copied = true) {
  const path = join(scratch, copied ? 'authority' : 'other-authority');
  rmSync(path, {recursive: true, force: true});
  if (copied) execFileSync('cp', ['-a', join(pki, 'carme'), path]);
  else execFileSync(program('carmectl'), ['pki', 'init', path]);
  return path;
}

export const revoke = (path, serial) => execFileSync(
    program('carmectl'), ['pki', 'revoke', path, serial], {stdio: 'pipe'});

// What openssl issues for 30 days with an authority below the demo's pki: "."
// is the site's.
export function certificateByHand(from, name, names, {clock} = {}) {
  const path = join(scratch, 'by-hand');
  rmSync(path, {recursive: true, force: true});
  execFileSync('bash', ['-c', `mkdir "$1" && cp "$2"/ca.* "$1" &&
      . "$3/report.sh" && . "$3/certificates.sh" &&
      certificate_issue "$1" "$4" "$5"`, 'bash', path, join(pki, from),
    join(root, 'deploy/cluster.d'), name, names], shifted(clock));
  return join(path, name);
}

// Kills the program; the demo does not start it again until this is undone.
export function stopProgram(name) {
  const supervisor = Number(readFileSync(
      join(dirname(pki), 'supervisor.pid'), 'utf8'));
  const pid = demo().pids[name];
  process.kill(supervisor, 'SIGSTOP');
  process.kill(pid, 'SIGKILL');
  return () => process.kill(supervisor, 'SIGCONT');
}

// Relays connections to ports of the dmz to the demo's public socket, which is
// outside of its network. Returns the function that ends it.
export function relayPublicPort(ports) {
  const socket = join(scratch, 'relay');
  const relay = `const net = require('node:net');
    const [to, ...listen] = process.argv.slice(1).map(
        (text) => text.startsWith('/') ? {path: text} :
            {host: text.split(':')[0], port: Number(text.split(':')[1])});
    for (const each of listen) net.createServer((from) => {
      const on = net.connect(to);
      from.pipe(on).pipe(from);
      from.on('error', () => on.destroy());
      on.on('error', () => from.destroy());
    }).listen(each);`;
  const node = [process.execPath, '-e', relay, '--'];
  const outside = spawn(node[0], [...node.slice(1), demo().sockets.public,
                                  socket], {stdio: 'inherit'});
  const inside = spawn('nsenter', [
    `--net=/proc/${demo().hosts.dmz.pid}/ns/net`, '--', ...node, socket,
    ...ports.map((port) => `0.0.0.0:${port}`)], {stdio: 'inherit'});
  return () => [outside, inside].forEach((each) => each.kill());
}

// nft in the network of a host; "fabric" is the router.
export const nft = (host, ...words) => onHost(host, 'nft', ...words);

// The router drops new connections between two hosts, to a port.
export function block(from, to, port) {
  const table = ['inet', 'carme', 'forward'];
  nft('fabric', 'insert', 'rule', ...table, 'iifname', from, 'oifname', to,
      'tcp', 'dport', String(port), 'ct', 'state', 'new', 'drop', 'comment',
      '"blocked"');
  return () => removeRules('blocked');
}

// The router accepts them.
export function allow(from, to, port) {
  nft('fabric', 'insert', 'rule', 'inet', 'carme', 'forward', 'iifname', from,
      'oifname', to, 'tcp', 'dport', String(port), 'accept', 'comment',
      '"allowed"');
  return () => removeRules('allowed');
}

function removeRules(comment) {
  const listed = nft('fabric', '-a', 'list', 'chain', 'inet', 'carme',
                     'forward');
  for (const [, found, handle] of
       listed.matchAll(/"(\w+)" # handle (\d+)/g)) {
    if (found !== comment) continue;
    nft('fabric', 'delete', 'rule', 'inet', 'carme', 'forward', 'handle',
        handle);
  }
}
