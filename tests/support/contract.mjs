// Every rpc of the contract, read from the protos, so that a new one is
// attacked as soon as it exists; and its messages, by protoc.
import {execFileSync} from 'node:child_process';
import {readdirSync, readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const protos = join(dirname(fileURLToPath(import.meta.url)), '../../proto');

function rpcsOf(text) {
  const found = [];
  for (const [, service, body] of
       text.matchAll(/^service (\w+) \{([\s\S]*?)^\}/gm)) {
    for (const [, rpc, options] of
         body.matchAll(/rpc (\w+)\(.*?option \(access\) = \{([\s\S]*?)\};/gs)) {
      found.push({
        method: `${service}/${rpc}`,
        caller: /caller: CALLER_(\w+)/.exec(options)[1],
        browser: /browser: true/.test(options),
        scope: /scope: "([^"]*)"/.exec(options)?.[1] ?? '',
        otherScopes: [...(/other_scopes: \[([^\]]*)\]/.exec(options)?.[1] ?? '')
            .matchAll(/"([^"]*)"/g)].map(([, one]) => one),
        fresh: /\brequires_reauthentication: true/.test(options),
        freshByToken: /reauthentication_at_token_creation: true/.test(options),
      });
    }
  }
  return found;
}

// [{method: "JobService/SubmitJob", caller: "USER", browser, scope,
//   otherScopes, fresh, freshByToken}]
export const rpcs = readdirSync(join(protos, 'carme/v1'))
    .flatMap((file) => rpcsOf(readFileSync(join(protos, 'carme/v1', file),
                                           'utf8')));

// Text format in, bytes out: encode('carme/v1/agent.proto',
// 'carme.v1.RegisterRequest', 'port: 1').
export const encode = (file, message, text) => execFileSync(
    'protoc', ['-I', protos, `--encode=${message}`, file], {input: text});
export const decode = (file, message, bytes) => execFileSync(
    'protoc', ['-I', protos, `--decode=${message}`, file],
    {input: bytes, encoding: 'utf8'});

// The bytes of a length-delimited field; enough of protobuf to take a message
// apart that is signed and must not be written anew.
export function field(bytes, wanted) {
  let at = 0;
  const varint = () => {
    let value = 0, shift = 0, byte;
    do {
      byte = bytes[at++];
      value += (byte & 127) * 2 ** shift;
      shift += 7;
    } while (byte & 128);
    return value;
  };
  while (at < bytes.length) {
    const key = varint();
    if ((key & 7) === 0) {
      varint();
      continue;
    }
    const end = varint() + at;
    if (key >> 3 === wanted) return bytes.subarray(at, end);
    at = end;
  }
  return undefined;
}
