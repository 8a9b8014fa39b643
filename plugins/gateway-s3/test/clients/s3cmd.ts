/** s3cmd, with signatures of version 4, or of version 2. */
import { accessKeyId, secretAccessKey } from '../support/server.js';
import { run, versionOf } from './program.js';
import type { S3Program } from './program.js';

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find
const replaced = { names: /[\0-\x1f\x7f]/, because: 'it uploads a tab as `^I`' };

/** @param options in addition to those that name the server. */
export function s3cmd(name: string, ...options: readonly string[]): S3Program {
  return {
    name,
    version: () => versionOf('s3cmd', '--version'),
    inexpressible: [replaced],
    steps({ host, bucket, folder, certificate }) {
      const keys = ['--access_key', accessKeyId, '--secret_key', secretAccessKey];
      const trust = certificate === undefined ? ['--no-ssl'] : ['--ssl', '--ca-certs', certificate];
      const place = ['--host', host, '--host-bucket', host, ...trust, '--config', '/dev/null'];
      const call = (...args: readonly string[]) =>
        run('s3cmd', [...keys, ...place, '--no-progress', ...options, ...args], { HOME: folder });
      const uri = (key: string): string => `s3://${bucket}/${key}`;
      return {
        buckets: () => call('ls'),
        put: (file, key) => call('put', file, uri(key)),
        get: (key, file) => call('get', '--force', uri(key), file),
        putLarge: (file, key) => call('put', '--multipart-chunk-size-mb', '16', file, uri(key)),
        copy: (from, to) => call('cp', uri(from), uri(to)),
        remove: key => call('del', uri(key)),
        syncUp: (from, prefix) => call('sync', `${from}/`, uri(prefix)),
        syncDown: (prefix, to) => call('sync', uri(prefix), `${to}/`),
        copyAll: (from, to) => call('cp', '--recursive', uri(from), uri(to)),
        removeAll: prefix => call('del', '--recursive', '--force', uri(prefix)),
      };
    },
  };
}
