// The portal as curl sees it: calls with a session, without a browser. The
// demo's authority is checked, and *.localhost needs no resolver.
import {readFileSync, writeFileSync} from 'node:fs';
import https from 'node:https';

import {demo, nextCode, userNamed, waitMs} from './demo.mjs';

const agent = () => new https.Agent({
  ca: readFileSync(demo().ca_file),
  keepAlive: true,
  lookup: (host, options, done) => options.all ?
      done(null, [{address: '127.0.0.1', family: 4}]) :
      done(null, '127.0.0.1', 4),
});
let shared;

// {status, headers, text} of one request. All of 127.0.0.0/8 is this machine:
// `from` makes it come from another address.
export function request(url, {method = 'GET', headers = {}, body, from} = {}) {
  shared ??= agent();
  const options = {method, headers, agent: shared, localAddress: from};
  const ask = () => new Promise((done, fail) => {
    const call = https.request(url, options, (answer) => {
      const parts = [];
      answer.on('data', (part) => parts.push(part));
      answer.on('end', () => done({
        status: answer.statusCode,
        headers: answer.headers,
        text: Buffer.concat(parts).toString(),
      }));
      answer.on('error', fail);
    });
    call.on('error', (error) => {
      error.hadRested = call.reusedSocket &&
          ['ECONNRESET', 'EPIPE'].includes(error.code);
      fail(error);
    });
    call.end(body);
  });
  // While this process waits for a command it does not hear that the proxy has
  // ended a connection that rested for too long.
  return ask().catch((error) => {
    if (error.hadRested) return ask();
    throw error;
  });
}

// An address without failed log-ins, which would slow it down.
export const unknownAddress = () =>
    `127.${1 + Math.floor(Math.random() * 254)}.${
        Math.floor(Math.random() * 256)}.${
        1 + Math.floor(Math.random() * 254)}`;

// A person without a browser.
export class Client {
  cookie = '';
  recoveryCodes = [];  // of an account's first log-in

  constructor({from} = {}) {
    this.from = from;
  }

  async call(method, body, headers = {}) {
    const answer = await request(`${origin()}/carme.v1.${method}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'Origin': origin(),
        ...(this.cookie && {'Cookie': this.cookie}),
        ...headers,
      },
      body: JSON.stringify(body),
      from: this.from,
    });
    const set = answer.headers['set-cookie']?.[0];
    if (set) this.cookie = set.split(';')[0];
    return {status: answer.status, body: JSON.parse(answer.text)};
  }

  // As a user who logged in before, in this or another test file: saves
  // waiting for the next code.
  async resume(name) {
    this.cookie = savedSessions()[name] ?? '';
    const {status} = await this.call('AuthService/GetSession', {});
    if (status === 200) return;
    this.cookie = '';
    await this.logIn(name);
    writeFileSync(sessionsFile, JSON.stringify(
        {...savedSessions(), [name]: this.cookie}), {mode: 0o600});
  }

  async logIn(name) {
    const {password, totp_secret: secret} = userNamed(name);
    const first =
        await this.call('AuthService/Login', {username: name, password});
    if (first.status !== 200) throw new Error(JSON.stringify(first));
    const second = await this.call('AuthService/VerifyFactor', {
      challenge: first.body.challenge,
      totp: await nextCode(name, secret),
    });
    if (second.status !== 200) throw new Error(JSON.stringify(second));
    const {recoveryCodes = [], ...rest} = second.body;
    this.recoveryCodes = recoveryCodes;
    return rest;
  }
}

const sessionsFile = `${process.env.CARME_DEMO_DIR}/demo.json.sessions`;
function savedSessions() {
  try {
    return JSON.parse(readFileSync(sessionsFile, 'utf8'));
  } catch {
    return {};
  }
}

export const origin = () => new URL(demo().portal).origin;

// The WatchJobs stream of `client`: until(id, state) resolves when the job has
// been seen in that state (or a later one). Like the page's it is asked for
// again when it ends, and then it begins with all jobs.
export function streamOf(client, timeoutMs = waitMs) {
  const order = ['SUBMITTING', 'PENDING', 'STARTING', 'READY', 'STOPPING',
                 'ENDED'].map((state) => `JOB_STATE_${state}`);
  const states = new Map();
  const waiting = new Set();
  const empty = Buffer.from('{}');
  let call, closed = false;
  const open = () => {
    if (closed) return;
    call = https.request(`${origin()}/carme.v1.JobService/WatchJobs`, {
      method: 'POST',
      agent: agent(),
      headers: {
        'Content-Type': 'application/connect+json',
        'Connect-Protocol-Version': '1',
        'Origin': origin(),
        'Cookie': client.cookie,
      },
    });
    call.on('error', () => {});
    call.on('close', () => setTimeout(open, 1000).unref());
    call.end(Buffer.concat([Buffer.from([0, 0, 0, 0, empty.length]), empty]));
    call.on('response', (answer) => {
      let held = Buffer.alloc(0);
      answer.on('error', () => {});
      answer.on('data', (part) => {
        held = Buffer.concat([held, part]);
        while (held.length >= 5 && held.length >= 5 + held.readUInt32BE(1)) {
          const end = 5 + held.readUInt32BE(1);
          const message = JSON.parse(held.subarray(5, end));
          for (const job of message.jobs ?? []) states.set(job.id, job.state);
          held = held.subarray(end);
        }
        for (const check of waiting) check();
      });
    });
  };
  open();
  const reached = (id, state) =>
      order.indexOf(states.get(id)) >= order.indexOf(state);
  return {
    until: (id, state) => new Promise((done, fail) => {
      const late = setTimeout(() => {
        waiting.delete(check);
        fail(new Error(`job ${id} is ${states.get(id)} after ${timeoutMs} ` +
                       `ms: expected ${state}`));
      }, timeoutMs);
      const check = () => {
        if (!reached(id, state)) return;
        clearTimeout(late);
        waiting.delete(check);
        done();
      };
      waiting.add(check);
      check();
    }),
    close: () => {
      closed = true;
      call.destroy();
    },
  };
}
