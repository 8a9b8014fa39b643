import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { banner } from '../src/srv/banner.js';

test('without credentials it says how to get some, and shows no commands that need them', () => {
  const folder = scratchFolder();
  const cliFile = join(folder, 'cli.yaml');
  const local = { folder, cliFile, created: true, accessKeyId: '', secretAccessKey: '', setEndpoint: () => undefined };
  const text = banner({ version: '1', url: 'http://x', quickstart: false, local });
  assert.match(text, /If it has none yet,\n {2}open http:\/\/x\/setup, or run srv setup --user-name admin/);
  assert.doesNotMatch(text, /shown once|Access key|Credentials|bin\/cli/);
});

test('a later start does not show the credentials, but names the file that holds them', () => {
  const folder = scratchFolder();
  const cliFile = join(folder, 'cli.yaml');
  const local = { folder, cliFile, accessKeyId: 'the-id', secretAccessKey: 'the-secret', setEndpoint: () => undefined };
  const shown = (created: boolean): string => banner({ version: '1', url: 'http://x', quickstart: false, local: { ...local, created } });
  assert.doesNotMatch(shown(false), /Credentials/, 'a file that does not exist is not named');
  writeFileSync(cliFile, '');
  assert.ok(shown(false).includes(`  Credentials  ${cliFile}\n`));
  assert.doesNotMatch(shown(false), /the-id|the-secret/);
  assert.match(shown(true), /Access key ID {6}the-id\n {4}Secret access key {2}the-secret\n/);
  assert.ok(shown(true).includes(`  Credentials  ${cliFile}\n`));
});
