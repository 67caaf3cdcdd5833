// A small image as an OCI layout in a tar, from a few programs of this machine.
import {execFileSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

const programs = ['/bin/sh', '/bin/ls', '/bin/cat', '/usr/bin/touch'];

// The libraries that a program is loaded with, and its loader.
const libraries = (program) =>
    execFileSync('ldd', [program], {encoding: 'utf8'}).match(/\/\S+/g) ?? [];

// The bytes of the archive.
export function ociArchive() {
  const dir = mkdtempSync(join(tmpdir(), 'carme-oci-'));
  const blobs = 'blobs/sha256';
  mkdirSync(join(dir, blobs), {recursive: true});
  const blob = (bytes, mediaType) => {
    const hex = createHash('sha256').update(bytes).digest('hex');
    writeFileSync(join(dir, blobs, hex), bytes);
    return {mediaType, digest: `sha256:${hex}`, size: bytes.length};
  };
  const type = (what) => `application/vnd.oci.image.${what}`;
  try {
    const files = new Set([...programs, ...programs.flatMap(libraries)]);
    const layer = blob(execFileSync(
        'tar', ['-chf', '-', '-C', '/', ...[...files].map((f) => f.slice(1))],
        {maxBuffer: 1 << 28}), type('layer.v1.tar'));
    const config = blob(Buffer.from(JSON.stringify({
      architecture: 'amd64',
      os: 'linux',
      config: {Env: ['PATH=/bin:/usr/bin']},
      rootfs: {type: 'layers', diff_ids: [layer.digest]},
    })), type('config.v1+json'));
    const manifest = blob(Buffer.from(JSON.stringify({
      schemaVersion: 2, mediaType: type('manifest.v1+json'), config,
      layers: [layer],
    })), type('manifest.v1+json'));
    writeFileSync(join(dir, 'index.json'),
                  JSON.stringify({schemaVersion: 2, manifests: [manifest]}));
    writeFileSync(join(dir, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
    execFileSync('tar', ['-cf', 'x.tar', 'blobs', 'index.json', 'oci-layout'],
                 {cwd: dir});
    return readFileSync(join(dir, 'x.tar'));
  } finally {
    rmSync(dir, {recursive: true});
  }
}
