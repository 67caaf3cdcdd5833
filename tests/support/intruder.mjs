// What an attacker does after taking over a part of the demo: calls and
// connections made by hand, from that part's host, with what lies there.
import {spawnSync} from 'node:child_process';

import {hostCommand} from './demo.mjs';

// Runs a module on a host, as `user`; it gets `input` and answers JSON.
function runThere(host, user, script, input) {
  const as = user === 'root' ? [] : ['runuser', '-u', user, '--'];
  const run = spawnSync(
      ...hostCommand(host, ...as, 'node', '--input-type=module', '-e',
                     `const input = JSON.parse(await new Promise((done) => {
                        let text = '';
                        process.stdin.on('data', (part) => text += part);
                        process.stdin.on('end', () => done(text));
                      }));\n${script}`),
      {encoding: 'utf8', input: JSON.stringify(input), timeout: 60_000,
       maxBuffer: 1 << 24});
  if (run.status !== 0) throw new Error(`on ${host}: ${run.stderr}`);
  return JSON.parse(run.stdout);
}

// gRPC by hand, over one connection: {code, text, data} for each of `calls`
// ({method, metadata, message}). A connection that is refused gives every call
// the code "tls". A stream is left after its first message.
const grpcScript = `
import http2 from 'node:http2';
import {readFileSync} from 'node:fs';
const own = input.pem ? {cert: readFileSync(input.pem + '.pem'),
                         key: readFileSync(input.pem + '.key')} : {};
const connection = http2.connect('https://' + input.address, {
  ca: readFileSync(input.ca), servername: input.serverName, ...own});
let broken;
connection.on('error', (error) => broken = error);
const call = ({method, metadata, message}) => new Promise((done) => {
  const body = Buffer.from(message ?? '', 'base64');
  const head = Buffer.alloc(5);
  head.writeUInt32BE(body.length, 1);
  let text = '', code, data;
  if (broken || connection.destroyed) return done({code: 'tls'});
  const stream = connection.request({
    ':method': 'POST', ':path': '/carme.v1.' + method,
    'content-type': 'application/grpc', 'te': 'trailers', ...metadata});
  const look = (headers) => {
    if (headers['grpc-status'] === undefined) return;
    code = Number(headers['grpc-status']);
    text = decodeURIComponent(headers['grpc-message'] ?? '');
  };
  stream.on('response', look).on('trailers', look);
  stream.on('data', (part) => {
    data = part.subarray(5).toString('base64');
    code ??= 0;
    setTimeout(() => stream.close(), 200).unref();
  });
  stream.on('error', () => {});
  stream.on('close', () => done({code: code ?? 'tls', text, data}));
  stream.setTimeout(60000, () => stream.close());
  stream.end(Buffer.concat([head, body]));
});
const answers = [];
for (const each of input.calls) answers.push(await call(each));
console.log(JSON.stringify(answers));
process.exit(0);
`;
export const grpcCalls =
    (calls, {host = 'dmz', user = 'root', pem, address = 'head:9443',
             ca = '/etc/carme/ca.pem', serverName = 'carme-backend'}) =>
        runThere(host, user, grpcScript, {
          address, pem, ca, serverName,
          calls: calls.map(({message, ...call}) => ({
            ...call, message: message && Buffer.from(message).toString('base64'),
          })),
        });

// Frames to a root program's socket, each element of `connections` a list of
// buffers written as they are, 0.3 s apart. The answers, decoded to their first frame; ""
// when it hung up, "error: …" when it did not let in.
const socketScript = `
import net from 'node:net';
const talk = (parts) => new Promise((done) => {
  const got = [];
  const socket = net.connect(input.socket);
  const finish = (text) => { socket.destroy(); done(text); };
  socket.setTimeout(20000, () => finish('error: silence'));
  socket.on('error', (error) => finish('error: ' + error.code));
  socket.on('data', (part) => got.push(part));
  socket.on('end', () => finish(Buffer.concat(got).toString('base64')));
  parts.forEach((part, i) => setTimeout(() => {
    if (!socket.destroyed) socket.write(Buffer.from(part, 'base64'));
  }, 300 * i));
});
console.log(JSON.stringify(await Promise.all(input.connections.map(talk))));
process.exit(0);
`;
const askRootProgram = (socket, connections, user) =>
    runThere('head', user, socketScript, {
      socket,
      connections: connections.map(
          (parts) => parts.map((part) => part.toString('base64'))),
    }).map((answer) => answer.startsWith('error') ?
           answer : Buffer.from(answer, 'base64').subarray(4));
export const askImpersonator = (connections, user = 'carme') =>
    askRootProgram('/run/carme-impersonator/socket', connections, user);
export const askStorageReader = (connections, user = 'carme') =>
    askRootProgram('/run/carme-storage-reader/socket', connections, user);

export function frame(bytes) {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

// To an agent's port: TLS with the certificate of `pem`, then `bytes`. Returns the
// response, or why the connection failed.
const agentScript = `
import tls from 'node:tls';
import {readFileSync} from 'node:fs';
const own = input.pem ? {cert: readFileSync(input.pem + '.pem'),
                         key: readFileSync(input.pem + '.key')} : {};
const got = [];
const socket = tls.connect({host: input.host, port: input.port,
                            rejectUnauthorized: false, ...own});
const finish = (end) => {
  console.log(JSON.stringify({end, text: Buffer.concat(got).toString()}));
  process.exit(0);
};
socket.setTimeout(60000, () => finish('silence'));
socket.on('error', (error) => finish(error.code));
socket.on('data', (part) => got.push(part));
socket.on('end', () => finish('closed'));
socket.write(Buffer.from(input.bytes, 'base64'));
`;
export const askAgent = ({from = 'dmz', user = 'root', host, port, pem, bytes}) =>
    runThere(from, user, agentScript,
             {host, port, pem, bytes: bytes.toString('base64')});

// The beginning of a connection to an agent, and a request behind it.
export function opening(grant, path = '/api') {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(grant.length);
  return Buffer.concat([
    Buffer.from('CARME1\0\0'), length, grant,
    Buffer.from(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`),
  ]);
}
