// The further cluster of a demo with CARME_DEMO_CLUSTERS=2.
import {execFileSync} from 'node:child_process';
import {readFileSync, renameSync} from 'node:fs';
import {join} from 'node:path';

import {hostCommand, kill9, program, waitFor} from '../support/demo.mjs';

const directory = join(process.env.CARME_DEMO_DIR, 'beta');

export const beta = () =>
    JSON.parse(readFileSync(join(directory, 'demo.json'), 'utf8'));

// As onHost() of support/demo.mjs.
export function onBeta(host, ...command) {
  return execFileSync(...hostCommand(host, ...command), {
    encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'],
    env: {...process.env, CARME_DEMO_DIR: directory},
  });
}

// Kills the backend of "alpha" or "beta", and keeps the demo from starting it
// again before `during` has ended.
export async function withoutBackend(cluster, during) {
  const file = cluster === 'beta' ? join(directory, 'opt/sbin/carme-backend') :
                                    program('carme-backend');
  renameSync(file, `${file}.away`);
  try {
    if (cluster === 'beta') {
      process.kill(beta().pids['carme-backend'], 'SIGKILL');
    } else {
      kill9('carme-backend');
    }
    await during();
  } finally {
    renameSync(`${file}.away`, file);
  }
}

// Whether a TCP connection from the host succeeds; `on` is onHost or onBeta.
export function connects(on, host, address, port) {
  try {
    on(host, 'timeout', '3', 'bash', '-c', `: < /dev/tcp/${address}/${port}`);
    return true;
  } catch {
    return false;
  }
}

export const reaches = (client, id, state) => waitFor(
    `job ${id} is ${state}`,
    async () => {
      const {body} = await client.call('JobService/ListJobs', {});
      const job = body.jobs?.find((one) => one.id === id);
      return job?.state === `JOB_STATE_${state}` && job;
    },
    120_000);
