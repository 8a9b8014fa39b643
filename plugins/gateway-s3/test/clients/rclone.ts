/** rclone. */
import assert from 'node:assert/strict';
import { accessKeyId, secretAccessKey } from '../support/server.js';
import { notInXml, run, versionOf } from './program.js';
import type { S3Program } from './program.js';

export const rclone: S3Program = {
  name: 'rclone',
  http2: true,
  version: () => versionOf('rclone', 'version'),
  inexpressible: [notInXml],
  steps({ url, bucket, folder, certificate }) {
    const env = {
      HOME: folder,
      RCLONE_CONFIG: '/dev/null',
      RCLONE_CONFIG_SRV_TYPE: 's3',
      RCLONE_CONFIG_SRV_PROVIDER: 'Other',
      RCLONE_CONFIG_SRV_ACCESS_KEY_ID: accessKeyId,
      RCLONE_CONFIG_SRV_SECRET_ACCESS_KEY: secretAccessKey,
      RCLONE_CONFIG_SRV_ENDPOINT: url,
      RCLONE_CONFIG_SRV_REGION: 'us-east-1',
      RCLONE_S3_NO_CHECK_BUCKET: 'true',
      ...(certificate === undefined ? {} : { RCLONE_CA_CERT: certificate }),
    };
    const call = (...args: readonly string[]) => run('rclone', args, env);
    const remote = (key: string): string => `srv:${bucket}/${key}`;
    return {
      buckets: () => call('lsd', 'srv:'),
      put: (file, key) => call('copyto', file, remote(key)),
      get: (key, file) => call('copyto', remote(key), file),
      range: (key, first, last) => call('cat', '--offset', String(first), '--count', String(last - first + 1), remote(key)),
      putLarge: (file, key) => call('copyto', '--s3-upload-cutoff', '8M', '--s3-chunk-size', '16M', file, remote(key)),
      copy: (from, to) => call('copyto', remote(from), remote(to)),
      remove: key => call('deletefile', remote(key)),
      // Otherwise it takes composed and decomposed names for the same.
      syncUp: (from, prefix) => call('sync', '--no-unicode-normalization', from, remote(prefix)),
      syncDown: (prefix, to) => call('sync', '--no-unicode-normalization', remote(prefix), to),
      copyAll: (from, to) => call('copy', '--no-unicode-normalization', remote(from), remote(to)),
      removeAll: prefix => call('purge', remote(prefix)),
      more: {
        'check with download, move, purge': async prefix => {
          await call('copy', `${folder}/tree`, remote(`${prefix}tree`));
          await call('check', '--download', `${folder}/tree`, remote(`${prefix}tree`));
          await call('moveto', remote(`${prefix}tree/plain.txt`), remote(`${prefix}moved`));
          assert.match(await call('lsf', remote(prefix)), /^moved$/m);
          await call('purge', remote(prefix));
          assert.equal(await call('lsf', '-R', remote(prefix)).catch(() => ''), '');
        },
      },
    };
  },
};
