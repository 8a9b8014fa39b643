/** restic, which keeps backups. */
import { join } from 'node:path';
import { run, versionOf } from './program.js';
import type { S3Program } from './program.js';

export const restic: S3Program = {
  name: 'restic',
  http2: true,
  version: () => versionOf('restic', 'version'),
  steps({ url, bucket, folder, certificate }) {
    const trust = certificate === undefined ? [] : ['--cacert', certificate];
    const env = { HOME: folder, RESTIC_PASSWORD: 'of the tests' };
    const call = (prefix: string, ...args: readonly string[]) =>
      run('restic', ['--no-cache', '--repo', `s3:${url}/${bucket}/${prefix}backups`, ...trust, ...args], env);
    return {
      more: {
        'backup, check with data, restore': async prefix => {
          const [from, to] = [join(folder, 'tree'), join(folder, 'restored')];
          await call(prefix, 'init');
          await call(prefix, 'backup', from);
          await call(prefix, 'check', '--read-data');
          await call(prefix, 'restore', 'latest', '--target', to);
          await run('diff', ['-r', from, join(to, from)]);
        },
      },
    };
  },
};
