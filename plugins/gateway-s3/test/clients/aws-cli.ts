/** The AWS CLI. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run, versionOf } from './program.js';
import type { S3Program } from './program.js';

export const awsCli: S3Program = {
  name: 'AWS CLI',
  version: () => versionOf('aws', '--version'),
  steps({ url, bucket, folder, certificate }) {
    const trust: Record<string, string> = certificate === undefined ? {} : { AWS_CA_BUNDLE: certificate };
    const aws = (...args: readonly string[]) => run('aws', ['--endpoint-url', url, ...args], { HOME: folder, ...trust });
    const uri = (key: string): string => `s3://${bucket}/${key}`;
    return {
      buckets: () => aws('s3', 'ls'),
      put: (file, key) => aws('s3', 'cp', file, uri(key)),
      get: (key, file) => aws('s3', 'cp', uri(key), file),
      async range(key, first, last) {
        const file = join(folder, 'range');
        await aws('s3api', 'get-object', '--bucket', bucket, '--key', key, '--range', `bytes=${first}-${last}`, file);
        return run('cat', [file]);
      },
      putLarge: (file, key) => aws('s3', 'cp', file, uri(key)),
      copy: (from, to) => aws('s3', 'cp', uri(from), uri(to)),
      remove: key => aws('s3', 'rm', uri(key)),
      syncUp: (from, prefix) => aws('s3', 'sync', from, uri(prefix)),
      syncDown: (prefix, to) => aws('s3', 'sync', uri(prefix), to),
      copyAll: (from, to) => aws('s3', 'cp', '--recursive', uri(from), uri(to)),
      removeAll: prefix => aws('s3', 'rm', '--recursive', uri(prefix)),
      more: {
        'pre-signed URL': async prefix => {
          const file = join(folder, 'signed');
          await writeFile(file, 'signed');
          await aws('s3', 'cp', file, uri(`${prefix}a b+c`));
          const signed = (await aws('s3', 'presign', uri(`${prefix}a b+c`))).trim();
          const login = certificate === undefined ? [] : ['--cacert', certificate];
          assert.equal(await run('curl', ['-q', '-sS', ...login, signed]), 'signed');
        },
        metadata: async prefix => {
          const place = ['--bucket', bucket, '--key', `${prefix}described`];
          await aws('s3api', 'put-object', ...place, '--metadata', 'Color=blue');
          assert.match(await aws('s3api', 'head-object', ...place), /"color": "blue"/);
        },
        'move, recursive removal': async prefix => {
          await aws('s3', 'mv', uri(`${prefix}a b+c`), uri(`${prefix}moved`));
          assert.match(await aws('s3', 'ls', uri(prefix)), /moved/);
          await aws('s3', 'rm', '--recursive', uri(prefix));
          assert.equal(await aws('s3', 'ls', uri(prefix)).catch(() => ''), '');
        },
      },
    };
  },
};
