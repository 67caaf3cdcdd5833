// The demo as a site of paths, and as one of hosts again: its backend and its
// proxy are started anew with another line in their configurations.
import {demo, kill9, onHost, waitFor} from './demo.mjs';

const hostOf = {backend: 'head', proxy: 'dmz'};
const pids = () => Object.keys(hostOf).map(
    (program) => demo().pids[`carme-${program}`]);

// The next test must find nothing changed: `client`, of a user who has
// logged in, looks whether the site serves again.
async function siteWith(line, client) {
  const before = pids();
  for (const [program, host] of Object.entries(hostOf)) {
    onHost(host, 'sed', '-i', `s/^jobs_[a-z]* = .*/${line}/`,
           `/etc/carme/${program}.toml`);
    kill9(`carme-${program}`);
  }
  await waitFor('both run again', () => pids().every(
      (pid, i) => pid !== undefined && pid !== before[i]));
  await waitFor('a job would be taken', async () =>
      (await client.call('JobService/PreviewJob', {spec: {
        walltime: '600s', app: 'shell', gpusPerNode: 0, cpusPerNode: 1,
      }})).status === 200);
}

const port = () => new URL(demo().portal).port;
export const siteOfPaths = (client) =>
    siteWith(`jobs_host = "carme-jobs.localhost:${port()}"`, client);
export const siteOfHosts = (client) =>
    siteWith(`jobs_domain = "jobs.carme.localhost:${port()}"`, client);
