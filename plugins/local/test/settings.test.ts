import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Config } from '@srv/kernel';
import { localConfig } from '../src/cli/settings.js';

/** Key, type and default as specified, and one key known from other clients. */
const specified = [
  ['local.skip_non_regular_files', 'bool', false],
  ['local.symlink_support', 'bool', false],
  ['experimental.local.posix_permissions.enabled', 'bool', false],
  ['experimental.local.posix_permissions.include_uid', 'bool', false],
  ['experimental.local.posix_permissions.include_gid', 'bool', false],
];

test('keys, types and defaults are those of the specification', () => {
  const { keys } = localConfig;
  const values: Readonly<Record<string, unknown>> = Config.create([localConfig], []).values(keys);
  assert.deepEqual(
    Object.entries(keys).map(([name, { type }]) => [name, type, values[name]]),
    specified,
  );
});
