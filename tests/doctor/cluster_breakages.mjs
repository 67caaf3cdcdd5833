// Breakages of Slurm, its hooks and plugin, what confines jobs, and images.
// "/etc/slurm" is one directory of all hosts, as on a site with a shared one.
import assert from 'node:assert/strict';

import {change, cover, doctor, sh} from '../support/doctor.mjs';
import {onHost, service, waitFor} from '../support/demo.mjs';
import {shiftClock} from './network_breakages.mjs';

const SLURM = '/etc/slurm/slurm.conf';
const CGROUP = '/etc/slurm/cgroup.conf';
const HOOKS = '/opt/carme/libexec/carme';

const reconfigure = () => sh('head', 'scontrol reconfigure');
const nodesIdle = () => waitFor('the nodes are idle', () => onHost(
    'head', 'sinfo', '-hN', '-p', 'main', '-t', 'idle', '-o', '%N')
    .trim().split('\n').length === 2);
async function restartController() {
  service('slurmctld', 'restart');
  await nodesIdle();
}
async function restartSlurm() {
  service('slurmctld', 'restart');
  sh('n1', '/run/carme-site/cluster.d/service slurmd restart');
  sh('head', `scontrol update nodename=n1 state=resume || true`);
  await nodesIdle();
}

// What a line of Slurm's configuration says, until it is undone.
async function slurm(script, apply = reconfigure, files = [SLURM]) {
  const undo = change('head', files, script);
  await apply();
  let undone = false;
  return async () => {
    if (undone) return;
    undone = true;
    undo();
    await apply();
  };
}
const without = (key, file = SLURM) => `sed -i '/^${key}=/d' ${file}`;
const set = (key, value, file = SLURM) =>
    `${without(key, file)}; echo '${key}=${value}' >> ${file}`;

// "set KEY=VALUE in FILE": does so, with the hooks' path of the demo.
const setAsRemedySays = (apply) => async ({remedy}) => {
  const [, key, value, file] =
      remedy.match(/set (\w+)=(\S+) in ((?:slurm|cgroup)\.conf)/);
  sh('head', set(key, value.replace('/usr/libexec/carme', HOOKS),
                 `/etc/slurm/${file}`));
  await apply();
};

const settings = [
  {
    what: 'a slurmctld that does not run', finding: 'slurm-unavailable',
    check: 'slurm',
    break() {
      service('slurmctld', 'stop');
      let stopped = true;
      return async () => {
        if (stopped) service('slurmctld', 'start');
        stopped = false;
        await nodesIdle();
      };
    },
    says: /Unable to contact slurm controller/, mend: null,
    remedy: /^scontrol ping; check slurm\.conf, MUNGE and the firewall/,
  },
  {
    what: "nodes without Carme's feature", finding: 'slurm-feature-missing',
    check: 'slurm',
    break: () => slurm(`sed -i 's/ Feature=carme//' ${SLURM}`),
    says: /no node has the feature "carme"/,
    remedy: /^add Feature=carme to NodeName lines of slurm\.conf; scontrol rec/,
    async mend(finding) {
      // the job's check refers to this one
      const {findings: [job], code} = doctor('head', 'confinement-job',
                                             {user: 'ada'});
      assert.equal(job.id, 'confinement-job-not-run');
      assert.equal(code, 5);
      assert.match(job.problem, /no node has Carme's feature/);
      assert.match(sh('head', `${job.remedy} || true`), /slurm-feature-missing/);
      const [, feature] = finding.remedy.match(/add (\S+) to NodeName/);
      sh('head', `sed -i 's/^NodeName=.*/& ${feature}/' ${SLURM}`);
      sh('head', finding.remedy.split('; ')[1]);
    },
  },
  {
    what: 'no PrologFlags', finding: 'slurm-prolog-flags', check: 'slurm',
    break: () => slurm(without('PrologFlags')),
    says: /PrologFlags is "": expected Alloc/,
  },
  {
    what: 'no SrunPortRange', finding: 'slurm-srun-port-range',
    check: 'slurm', severity: 'warning',
    break: () => slurm(without('SrunPortRange')),
    says: /SrunPortRange is not set/, mend: null,
    remedy: /^set SrunPortRange in slurm\.conf, and allow it/,
  },
  {
    what: 'no Prolog', finding: 'hook-not-configured', check: 'slurm-hooks',
    break: () => slurm(without('Prolog')),
    says: /^Prolog of slurm\.conf is not set$/,
    remedy: /^set Prolog=\/usr\/libexec\/carme\/prolog in slurm\.conf; scontrol/,
  },
  {
    what: 'jobs without control groups', finding: 'cgroup-task-plugin-missing',
    check: 'confinement', apply: restartSlurm,
    break: () => slurm(set('TaskPlugin', 'task/affinity'), restartSlurm),
    says: /TaskPlugin is "task\/affinity"/,
  },
  {
    what: 'processes that Slurm does not track by control group',
    finding: 'cgroup-proctrack-missing', check: 'confinement',
    apply: restartSlurm,
    break: () => slurm(set('ProctrackType', 'proctrack/linuxproc'),
                       restartSlurm),
    says: /ProctrackType is "proctrack\/linuxproc"/,
  },
  {
    what: 'memory that Slurm does not constrain',
    finding: 'cgroup-memory-unconstrained', check: 'confinement',
    severity: 'warning', apply: restartSlurm,
    break: () => slurm(set('ConstrainRAMSpace', 'no', CGROUP), restartSlurm,
                       [CGROUP]),
    says: /ConstrainRAMSpace is "no"/,
  },
  {
    what: 'the plugin of the other version of control groups', host: 'n1',
    finding: 'cgroup-version-differs', check: 'confinement',
    apply: restartController,
    break: () => slurm(`sed -i 's|cgroup/v1|cgroup/other|
      s|cgroup/v2|cgroup/v1|; s|cgroup/other|cgroup/v2|' ${CGROUP}`,
                       restartController, [CGROUP]),
    says: /CgroupPlugin is "cgroup\/v[12]", this node has version [12]/,
    remedy: /^set CgroupPlugin=autodetect in cgroup\.conf; restart slurmd/,
  },
  {
    what: 'a node with another key of MUNGE', finding: 'slurm-unavailable',
    host: 'n1', check: 'slurm',
    async break() {
      sh('n1', 'mkdir -p /run/munge-key && head -c 1024 /dev/urandom > ' +
          '/run/munge-key/munge.key && chmod 700 /run/munge-key && ' +
          'chmod 400 /run/munge-key/munge.key && chown -R munge: /run/munge-key' +
          ' && mount --bind /run/munge-key /etc/munge');
      sh('n1', `/run/carme-site/cluster.d/service munged restart`);
      let broken = true;
      return async () => {
        if (broken) sh('n1', 'umount /etc/munge');
        broken = false;
        sh('n1', '/run/carme-site/cluster.d/service munged restart');
      };
    },
    // slurmctld closes a connection that it cannot authenticate.
    says: /Zero Bytes were transmitted or received/, mend: null,
    remedy: /^scontrol ping; check slurm\.conf, MUNGE and the firewall/,
  },
].map((row) => ({host: 'head', severity: 'error',
                 remedy: /^set \w+=\S+ in (slurm|cgroup)\.conf; (restart|scontrol)/,
                 mend: setAsRemedySays(row.apply ?? reconfigure), ...row}));

const hooks = [
  {
    what: 'a node without the Prolog', finding: 'hook-missing',
    break: () => cover('n1', `${HOOKS}/prolog`),
    says: /Prolog "\S+\/prolog" does not exist or is not executable/,
    remedy: /^install Carme's hooks on this node, or correct slurm\.conf/,
  },
  {
    what: 'an Epilog that may not be executed', finding: 'hook-missing',
    break() {
      sh('n1', `chmod 644 ${HOOKS}/epilog`);
      return () => sh('n1', `chmod 755 ${HOOKS}/epilog`);
    },
    says: /Epilog "\S+\/epilog" does not exist or is not executable/,
    remedy: /^install Carme's hooks on this node/,
  },
  {
    what: 'a Prolog that a group may change', finding: 'hook-writable',
    break() {
      sh('n1', `chmod 775 ${HOOKS}/prolog`);
      return () => sh('n1', `chmod 755 ${HOOKS}/prolog`);
    },
    says: /prolog" has mode 775/, remedy: /^chown root: \S+ && chmod 755 /,
    mend: ({remedy}) => sh('n1', remedy.split('; ')[0]),
  },
  {
    what: "a site's Prolog that does not call Carme's",
    finding: 'hook-of-site', severity: 'warning',
    break: () => slurm(`
      printf '#!/bin/sh\\nexit 0\\n' > /etc/slurm/prolog
      chmod 755 /etc/slurm/prolog
      ${set('Prolog', '/etc/slurm/prolog')}`),
    says: /Prolog "\/etc\/slurm\/prolog" does not mention carme\/prolog/,
    remedy: /^call libexec\/carme\/prolog from it$/,
    mend: ({remedy}) => sh('n1', `sed -i 's|^exit 0|/opt/carme/${
        remedy.split(' ')[1]}|' /etc/slurm/prolog`),
  },
].map((row) => ({host: 'n1', check: 'slurm-hooks', severity: 'error', ...row}));

const PLUGSTACK = '/etc/slurm/plugstack.conf';
const plugin = [
  {
    what: 'no line of the plugin', finding: 'spank-plugin-missing',
    break: () => change('n1', PLUGSTACK, `sed -i 's/^/# /' ${PLUGSTACK}`),
    says: /plugstack\.conf" has no line with spank_carme_env\.so/,
    remedy: /^add the line: required .*spank_carme_env\.so/,
    mend: () => sh('n1', `sed -i 's/^# //' ${PLUGSTACK}`),
  },
  {
    what: 'an optional plugin', finding: 'spank-plugin-optional',
    break: () => change('n1', PLUGSTACK,
                        `sed -i 's/^required/optional/' ${PLUGSTACK}`),
    says: /plugstack\.conf" has: optional /,
    remedy: /^replace "optional" by "required"$/,
    mend({remedy}) {
      const [from, to] = [...remedy.matchAll(/"(\w+)"/g)].map(([, word]) => word);
      sh('n1', `sed -i 's/^${from}/${to}/' ${PLUGSTACK}`);
    },
  },
  {
    what: 'a plugin that is not installed', finding: 'spank-plugin-file',
    break: () => change('n1', PLUGSTACK,
                        `sed -i 's|/lib/carme/|/lib/none/|' ${PLUGSTACK}`),
    says: /"\/opt\/carme\/lib\/none\/spank_carme_env\.so" of .* does not exist/,
    remedy: /^install Carme on this host, or correct the line/,
  },
].map((row) => ({host: 'n1', check: 'spank-plugin', severity: 'error', ...row}));

// Services of the node that start with what shiftClock and others changed.
const restartNode = () => {
  for (const name of ['slurmd', 'munged']) {
    sh('n1', `/run/carme-site/cluster.d/service ${name} stop`);
  }
  for (const name of ['munged', 'slurmd']) {
    sh('n1', `/run/carme-site/cluster.d/service ${name} start`);
  }
  sh('head', 'scontrol update nodename=n1 state=resume || true');
  return nodesIdle();
};
const slowHook = (hook) => `
    printf '#!/bin/sh\\nsleep 11\\nexec ${HOOKS}/${hook}\\n' > /etc/slurm/${hook}
    chmod 755 /etc/slurm/${hook}
    ${set(hook === 'prolog' ? 'Prolog' : 'Epilog', `/etc/slurm/${hook}`)}`;

const jobs = [
  {
    what: 'GPUs that Slurm does not constrain', finding: 'job-opens-foreign-gpu',
    async break() {
      // another name of the first stand-in for a GPU
      sh('n1', 'mknod -m 666 /dev/nvidia0 c 4 60');
      const undo = await slurm(set('ConstrainDevices', 'no', CGROUP),
                               restartSlurm, [CGROUP]);
      return async () => {
        await undo();
        sh('n1', 'rm -f /dev/nvidia0');
      };
    },
    says: /a job on n1 without GPUs can open \/dev\/nvidia0/,
    remedy: /^set ConstrainDevices=yes in cgroup\.conf and list all GPUs/,
    async mend(finding) {
      const {findings} = doctor('head', 'confinement');
      assert.deepEqual(findings.map(({id, severity}) => [id, severity]),
                       [['cgroup-devices-unconstrained', 'error']]);
      assert.match(findings[0].problem, /ConstrainDevices is "no"/);
      assert.match(findings[0].remedy, /^set ConstrainDevices=yes in cgroup/);
      await setAsRemedySays(restartSlurm)(finding);
      // The node is there still, and cannot be opened.
      sh('n1', 'test -e /dev/nvidia0');
    },
  },
  {
    what: 'a Slurm without control groups', finding: 'job-outside-control-group',
    break: () => slurm(`${set('TaskPlugin', 'task/affinity')}
      ${set('ProctrackType', 'proctrack/linuxproc')}`, restartSlurm),
    says: /a job on n1 runs outside of a control group of Slurm/,
    remedy: /^set ProctrackType=proctrack\/cgroup and TaskPlugin=task\/cgroup in/,
    async mend({remedy}) {
      for (const [, key, value] of remedy.matchAll(/(\w+)=(\S+)/g)) {
        sh('head', set(key, value));
      }
      await restartSlurm();
    },
  },
  {
    what: 'a node whose clock is 90 seconds ahead', finding: 'node-clock-wrong',
    // A credential for a minute is refused; Slurm's are valid for two.
    also: ['node-munge-refused', 'node-munge-refused'],
    async break() {
      const undo = shiftClock('n1', '+90s');
      await restartNode();
      return async () => {
        undo();
        await restartNode();
      };
    },
    says: /the clock of n1 is 1m(29|30)\S*s ahead of this host's/,
    remedy: /^on n1 and on this host: timedatectl set-ntp true, or start chrony/,
  },
  {
    what: 'a local account of the node with a user\'s name',
    finding: 'node-uid-differs',
    async break() {
      const nscd = (act) => sh('n1', `/run/carme-site/cluster.d/service nscd ${act}`);
      nscd('stop');
      const undo = cover('n1', '/etc/passwd', sh('n1', 'cat /etc/passwd') +
          'ada:x:30001:30001::/home/ada:/bin/bash\n');
      nscd('start');
      return () => {
        undo();
        nscd('restart');
      };
    },
    says: /"ada" has uid 20001 on this host and 30001 on n1/,
    remedy: /^on n1: getent passwd ada; look for a local account in \/etc\/passwd/,
  },
  {
    what: 'a Prolog and an Epilog that are slow', finding: 'hook-slow',
    severity: 'warning', occurs: 2,
    break: () => slurm(slowHook('prolog') + slowHook('epilog'), async () => {
      reconfigure();
      await nodesIdle();
    }),
    says: /the Prolog on n1 takes 1\d\S*s or longer/,
    remedy: /^on n1: journalctl -u slurmd; measure each program of Prolog in/,
  },
].map((row) => ({host: 'head', check: 'confinement-job', severity: 'error',
                 user: 'ada', ...row}));

const apptainer = () =>
    sh('n1', `sed -n 's/^apptainer = "\\(.*\\)"/\\1/p' /etc/carme/agent.toml`).trim();
const AGENT = '/etc/carme/agent.toml';
const images = [
  {
    what: 'a node without Apptainer', finding: 'apptainer-missing',
    break: () => cover('n1', apptainer()),
    says: /apptainer" does not exist or is not executable/,
    remedy: /^install Apptainer, correct `apptainer` of agent\.toml, or set it/,
  },
  {
    what: 'a node where Apptainer is elsewhere', finding: 'apptainer-missing',
    break: () => change('n1', AGENT,
                        `sed -i 's|^apptainer = .*|apptainer = "/opt/a"|' ${AGENT}`),
    says: /"\/opt\/a" does not exist/, remedy: /correct `apptainer` of agent/,
  },
  {
    what: 'a /dev/fuse that users may not open', finding: 'fuse-unusable',
    break() {
      sh('n1', 'chmod 600 /dev/fuse');
      return () => sh('n1', 'chmod 666 /dev/fuse');
    },
    says: /"\/dev\/fuse" has mode 600: expected 666/,
    remedy: /^chmod 666 \/dev\/fuse, and a udev rule that keeps it/,
    mend: ({remedy}) => sh('n1', remedy.split(',')[0]),
  },
  {
    what: 'a node without /dev/fuse', finding: 'fuse-unusable',
    break() {
      sh('n1', 'mv /dev/fuse /dev/aside');
      return () => sh('n1', 'test ! -e /dev/aside || mv /dev/aside /dev/fuse');
    },
    says: /"\/dev\/fuse" does not exist/, remedy: /^modprobe fuse$/,
  },
  {
    what: 'a node without user namespaces', finding: 'user-namespaces-denied',
    // The machine's own setting would stop other programs.
    how: {within: ['unshare', '--user', '--map-root-user', 'sh', '-ec',
                   'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"',
                   'sh']},
    says: /max_user_namespaces is 0/,
    remedy: /^sysctl user\.max_user_namespaces=65536; keep it in \/etc\/sysctl\.d/,
  },
].map((row) => ({host: 'n1', check: 'images', severity: 'error', ...row}));

const STORE = '/home/carme-images/shared';
const IMAGE = '/etc/carme-site/images/doctor.sif';
// Doctor sees a small file in place of the base image. Returns the function
// that undoes it.
export function replaceImage() {
  const file = '/etc/carme/backend.toml';
  sh('head', `install -m 644 /etc/hostname ${IMAGE}
    cp -p ${file} /run/backend.toml
    sed -i 's|^path = ".*/base.sif"|path = "${IMAGE}"|' ${file}`);
  return () => sh('head', `cp -p /run/backend.toml ${file}; rm ${IMAGE}`);
}
const store = [
  {
    what: 'no directory of shared images', finding: 'image-store-missing',
    severity: 'warning',
    break: () => change('head', `${STORE}/store`, `rmdir ${STORE}/store`),
    says: /shared\/store" does not exist/,
    remedy: /^install -d -m 711 -o carme-images /,
    mend: ({remedy}) => sh('head', remedy),
  },
  {
    what: 'shared images that belong to root', finding: 'image-store-owner',
    break: () => change('head', `${STORE}/store`, `chown root ${STORE}/store`),
    says: /store" belongs to uid 0 with mode 0711: expected carme-images with/,
    remedy: /^install -d -m 711 -o carme-images /,
    mend: ({remedy}) => sh('head', remedy),
  },
  {
    what: 'a directory that users cannot give images to',
    finding: 'image-store-owner',
    break: () => change('head', `${STORE}/incoming`,
                        `chmod 755 ${STORE}/incoming`),
    says: /incoming" belongs to uid 20090 with mode 0755/,
    remedy: /install -d -m 1733 -o carme-images /,
    mend: ({remedy}) => sh('head', remedy),
  },
  {
    what: 'an image that is not on the host', finding: 'image-missing',
    severity: 'warning', break: () => change('head', IMAGE, `rm ${IMAGE}`),
    says: /doctor\.sif" does not exist on this host/,
    remedy: /^build or copy the image, or mount its file system/,
  },
  {
    what: 'an image that users may change', finding: 'image-writable',
    break: () => change('head', IMAGE, `chmod 666 ${IMAGE}`),
    says: /doctor\.sif" has mode 666/, remedy: /^chmod go-w /,
    mend: ({remedy}) => sh('head', remedy),
  },
].map((row) => ({host: 'head', check: 'image-store', severity: 'error', ...row}));

export const CLUSTER_BREAKAGES =
    [...settings, ...hooks, ...plugin, ...jobs, ...images, ...store];
