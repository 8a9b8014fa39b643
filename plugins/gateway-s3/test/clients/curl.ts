/** curl, which signs requests by itself, and with plain credentials. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import assert from 'node:assert/strict';
import { accessKeyId, secretAccessKey } from '../support/server.js';
import { run, versionOf } from './program.js';
import type { S3Program } from './program.js';

export const curl: S3Program = {
  name: 'curl',
  version: () => versionOf('curl', '--version'),
  steps({ url, host, bucket, folder }) {
    const login = ['--user', `${accessKeyId}:${secretAccessKey}`];
    const call = (...args: readonly string[]) => run('curl', ['-q', '-sS', '--fail', ...login, ...args]);
    const signed = (...args: readonly string[]) =>
      call('--aws-sigv4', 'aws:amz:us-east-1:s3', '-H', 'x-amz-content-sha256: UNSIGNED-PAYLOAD', ...args);
    const at = (key: string): string => `${url}/${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`;
    return {
      buckets: () => signed(`${url}/`),
      put: (file, key) => signed('-T', file, at(key)),
      get: (key, file) => signed('-o', file, at(key)),
      range: (key, first, last) => signed('-r', `${first}-${last}`, at(key)),
      remove: key => signed('-X', 'DELETE', at(key)),
      more: {
        'plain credentials, body of unknown length': async prefix => {
          const file = join(folder, 'streamed');
          await writeFile(file, 'streamed');
          const s3Host = ['-H', `Host: s3.localhost:${host.split(':')[1]}`];
          await call(...s3Host, '-X', 'PUT', '-H', 'Transfer-Encoding: chunked', '--data-binary', `@${file}`, at(`${prefix}streamed`));
          assert.equal(await call(...s3Host, at(`${prefix}streamed`)), 'streamed');
        },
      },
    };
  },
};
