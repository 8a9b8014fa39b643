/** An installation made by hand: a folder with a configuration file. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder } from '@srv/kernel/testing';

/** @returns its home folder, which holds `srv.yaml`. */
export function installation(rbac = 'none'): string {
  const home = scratchFolder();
  writeFileSync(
    join(home, 'srv.yaml'),
    [
      'listen_address: 127.0.0.1:0',
      `database: {type: local, local: {path: ${home}/kv}}`,
      `blockstore: {type: local, signing: {secret_key: signing}, local: {path: ${home}/block}}`,
      `auth: {encrypt: {secret_key: secret-key-of-this-test}, ui_config: {rbac: ${rbac}}}`,
      `committed: {local_cache: {dir: ${home}/cache}}`,
    ].join('\n'),
  );
  return home;
}
