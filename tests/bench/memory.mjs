// Resident memory of the demo's four daemons at rest, each and together.
import {readFileSync} from 'node:fs';

import {demo} from '../support/demo.mjs';

const programs =
    ['carme-backend', 'carme-impersonator', 'carme-frontend', 'carme-proxy'];
const line = (subject, metric, value) => console.log(JSON.stringify({
  bench: 'memory', subject, metric, value: Math.round(value * 10) / 10,
  unit: 'MB',
}));

let together = 0;
for (const program of programs) {
  const status =
      readFileSync(`/proc/${demo().pids[program]}/status`, 'utf8');
  const mb = Number(status.match(/^VmRSS:\s+(\d+) kB$/m)[1]) / 1024;
  together += mb;
  line(program, 'rss_mb', mb);
}
line('carme', 'rss_mb', together);
