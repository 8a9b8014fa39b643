import assert from 'node:assert/strict';
import { lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { parseDocument } from 'yaml';
import { replacePrivateFile } from '../src/server/private-file.js';
import { yamlEntries } from '../src/server/yaml-entries.js';
import { setYamlValue } from '../src/server/yaml-value.js';

const names = ['login.id', 'login.secret', 'server.url'];
const known = { names: new Map(names.map(name => [name, name])), keys: {} };

/** Sets `login.id`, `login.secret` and `server.url`. */
function changed(text: string): string {
  const document = parseDocument(text);
  for (const name of names) setYamlValue(document, name, `new ${name}`);
  return String(document);
}

const server = 'server:\n  url: new server.url\n';
for (const [text, expected] of [
  ['', `login:\n  id: new login.id\n  secret: new login.secret\n${server}`],
  ['# mine\n', `# mine\n\nlogin:\n  id: new login.id\n  secret: new login.secret\n${server}`],
  ['login.id: A # mine\nlogin.secret: B\n', `login.id: new login.id # mine\nlogin.secret: new login.secret\n${server}`],
  ['login.id: A\n', `login.id: new login.id\nlogin:\n  secret: new login.secret\n${server}`],
  ['login:\nserver:\n  url: x\n', `login:\n  id: new login.id\n  secret: new login.secret\n${server}`],
  [
    'login:\n  # id: A\n  # secret: B\n\nserver:\n  url: 5 # mine\n',
    'login:\n  # id: A\n  # secret: B\n  id: new login.id\n  secret: new login.secret\n\nserver:\n  url: new server.url # mine\n',
  ],
  ['login: # mine\nserver.url: x\n', 'login:\n  # mine\n  id: new login.id\n  secret: new login.secret\nserver.url: new server.url\n'],
  ['login: {}\n', `login: { id: new login.id, secret: new login.secret }\n${server}`],
  ['LOGIN:\n  Id: A\n  more: 1\n', `LOGIN:\n  Id: new login.id\n  more: 1\n  secret: new login.secret\n${server}`],
  ['mine: &all\n  id: A\nlogin: *all\n', `mine: &all\n  id: new login.id\n  secret: new login.secret\nlogin: *all\n${server}`],
  ['login:\nlogin.id: A\n', `login:\n  secret: new login.secret\nlogin.id: new login.id\n${server}`],
] as const)
  it(`sets keys where they are: ${JSON.stringify(text)}`, () => {
    const made = changed(text);
    assert.equal(made, expected);
    const read = new Map(yamlEntries(made, 'file', known).map(({ key, raw }) => [key, raw]));
    for (const name of names) assert.equal(read.get(name), `new ${name}`);
    assert.equal(changed(made), made);
  });

it('says whether anything changes, and refuses what is not a map', () => {
  const document = parseDocument('server.url: a\n');
  assert.equal(setYamlValue(document, 'server.url', 'a'), false);
  assert.equal(setYamlValue(document, 'server.url', 'b'), true);
  assert.throws(() => setYamlValue(parseDocument('- a\n'), 'server.url', 'a'), /must be a map of keys/);
});

it('a symbolic link stays when the file that it leads to is replaced', () => {
  const folder = scratchFolder();
  const [file, link] = [join(folder, 'file'), join(folder, 'link')];
  writeFileSync(file, 'old', { mode: 0o644 });
  symlinkSync('file', link);
  replacePrivateFile(link, 'new');
  assert.ok(lstatSync(link).isSymbolicLink());
  assert.equal(readFileSync(file, 'utf8'), 'new');
  assert.equal(statSync(file).mode & 0o777, 0o600);
});
