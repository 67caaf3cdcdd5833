// chp_routes.mjs COUNT: with so many routes in configurable-http-proxy, adds a
// thousand more, one after the other; prints the median in microseconds. It
// logs nothing, which favours it.
import {ConfigurableProxy} from 'configurable-http-proxy';

const count = Number(process.argv[2]);
const quiet = () => {};
const log = {debug: quiet, info: quiet, warn: quiet, error: quiet};
const proxy = new ConfigurableProxy({log, hostRouting: true});
const add = (i) => proxy.addRoute(
    `/job${i}.jobs.test`, {target: 'https://localhost:1234'});
for (let i = 0; i < count; ++i) await add(i);
const times = [];
for (let i = count; i < count + 1000; ++i) {
  const start = process.hrtime.bigint();
  await add(i);
  times.push(Number(process.hrtime.bigint() - start) / 1000);
}
times.sort((a, b) => a - b);
console.log(times[times.length / 2]);
process.exit(0);
