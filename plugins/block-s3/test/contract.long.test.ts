import { test } from 'node:test';
import { testBlockStore } from '@srv/lib-stores/testing';
import { NeedsError } from '@srv/test-servers';
import { s3ServerNames, startS3 } from '@srv/test-servers/s3';
import { openOver } from './opened.js';
import type { S3Server, S3ServerName } from '@srv/test-servers/s3';

/** S3 counts the path of the namespace, and the suite's own folder in it, towards the 1,024 bytes of a key. */
const isTooLong = (key: string): boolean => Buffer.byteLength(`main/suite/00000000-0000-0000-0000-000000000000/${key}`) > 1024;

/** Its objects are files of that path: no empty or long names, and a file cannot be a folder. */
function versitygwRefuses(): (key: string) => boolean {
  const taken: string[] = [];
  return key => {
    const names = key.split('/');
    const isNoPath = names.some(name => name === '' || Buffer.byteLength(name) > 255);
    const refused = isTooLong(key) || isNoPath || taken.some(other => other.startsWith(`${key}/`) || key.startsWith(`${other}/`));
    if (!refused) taken.push(key);
    return refused;
  };
}

const refusesKey: Readonly<Record<S3ServerName, (key: string) => boolean>> = { gateway: isTooLong, versitygw: versitygwRefuses() };

for (const name of s3ServerNames) {
  let server: S3Server;
  try {
    server = await startS3(name);
  } catch (error) {
    if (!(error instanceof NeedsError)) throw error;
    test(`block-s3 on ${name}`, t => t.skip(`needs ${error.message}`));
    continue;
  }
  const open = async () => ({
    // Small pages and batches, so that walks and removals have several.
    store: await openOver(server, {}, { limits: { pageSize: 20, removals: 20 } }),
    namespace: server.namespace,
    cleanup: () => server.close(),
  });
  testBlockStore(`block-s3 on ${name}`, open, { refusesKey: refusesKey[name] });
}
