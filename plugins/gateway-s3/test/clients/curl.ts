/** curl, which signs requests itself, and with plain credentials. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { accessKeyId, secretAccessKey } from '../support/server.js';
import { filesBelow, run, versionOf } from './program.js';
import type { S3Program } from './program.js';

export const curl: S3Program = {
  name: 'curl',
  http2: true,
  version: () => versionOf('curl', '--version'),
  steps({ url, host, bucket, folder, certificate }) {
    const trust = certificate === undefined ? [] : ['--cacert', certificate];
    const login = [...trust, '--user', `${accessKeyId}:${secretAccessKey}`];
    const call = (...args: readonly string[]) => run('curl', ['-q', '-sS', '--fail-early', '--fail', ...login, ...args]);
    const signature = ['--aws-sigv4', 'aws:amz:us-east-1:s3', '-H', 'x-amz-content-sha256: UNSIGNED-PAYLOAD'];
    const signed = (...args: readonly string[]) => call(...signature, ...args);
    /** One after the other. */
    const signedAll = ([first = [], ...rest]: readonly (readonly string[])[]) =>
      signed(...first, ...rest.flatMap(args => ['--next', '-sS', '--fail', ...login, ...signature, ...args]));
    const at = (key: string): string => `${url}/${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`;
    const keysBelow = async (prefix: string): Promise<string[]> => {
      const found = await signed(`${url}/${bucket}?encoding-type=url&prefix=${encodeURIComponent(prefix)}`);
      return [...found.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => decodeURIComponent(key));
    };
    const copied = (from: string, to: string): readonly string[] => {
      const source = `x-amz-copy-source: ${at(from).slice(url.length)}`;
      return ['-X', 'PUT', '-H', source, at(to)];
    };
    return {
      buckets: () => signed(`${url}/`),
      put: (file, key) => signed('-T', file, at(key)),
      get: (key, file) => signed('-o', file, at(key)),
      range: (key, first, last) => signed('-r', `${first}-${last}`, at(key)),
      copy: (from, to) => signed(...copied(from, to)),
      remove: key => signed('-X', 'DELETE', at(key)),
      // `-g`, or brackets and braces in the names of files are patterns.
      syncUp: async (from, prefix) =>
        signedAll((await filesBelow(from)).map(file => ['-g', '-T', file, at(prefix + relative(from, file))])),
      syncDown: async (prefix, to) =>
        signedAll((await keysBelow(prefix)).map(key => ['--create-dirs', '-o', join(to, key.slice(prefix.length)), at(key)])),
      copyAll: async (from, to) => signedAll((await keysBelow(from)).map(key => copied(key, to + key.slice(from.length)))),
      removeAll: async prefix => signedAll((await keysBelow(prefix)).map(key => ['-X', 'DELETE', at(key)])),
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
