/** Page parts as they are built. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { it } from 'node:test';
import { buildPart } from '../src/index.js';
import type { TestContext } from 'node:test';
import type { BuiltDescription, PageDescription } from '../src/index.js';

const description = {
  tabs: [{ id: 'owners', title: 'Owners', icon: 'user', view: './owners.tsx' }],
  actions: [
    { id: 'ask', title: 'Ask', icon: 'info', place: 'objects', dialog: './ask.tsx' },
    { id: 'see', title: 'See', icon: 'link', place: 'commit', href: 'owners/{commit}' },
  ],
  guards: ['./guard.ts'],
} satisfies PageDescription;

const sources = {
  'page/shared.ts': "export const everybody = () => 'everybody';",
  'page/owners.tsx': `import { useState } from 'preact/hooks';
import { Button, useAsync as useData } from '@srv/lib-page/page';
import { everybody } from './shared.js';
import './owners.css';
export default function Owners() {
  const [count, setCount] = useState(1);
  useData(async () => everybody(), []);
  return <Button onClick={() => setCount(count + 1)}>{OWNER}</Button>;
}`,
  'page/owners.css': '.owner-row { color: red; }',
  'page/ask.tsx': "import { everybody } from './shared.js';\nexport default () => <p>{everybody()}</p>;",
  'page/guard.ts': 'export default async () => undefined;',
};

function plugin(t: TestContext, files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'page-part-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  // As the compiler leaves it.
  const compiled = { 'package.json': '{"type":"module"}', 'dist/page/index.js': `export default ${JSON.stringify(description)};` };
  for (const [name, content] of Object.entries({ ...compiled, ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

it('makes a file of each view, which takes what it shares from the page', async t => {
  const folder = plugin(t, sources);
  await buildPart(folder, { define: { OWNER: 'Ann' } });
  const built = join(folder, 'dist', 'part', 'page.json');
  const { tabs = [], actions = [], guards = [], styles = {} } = JSON.parse(readFileSync(built, 'utf8')) as BuiltDescription;
  const view = tabs[0]?.view ?? '';
  assert.match(view, /^owners-[\w-]{8}\.js$/);
  assert.deepEqual(tabs, [{ ...description.tabs[0], view }]);
  assert.match(actions[0]?.dialog ?? '', /^ask-.*\.js$/);
  assert.deepEqual(actions[1], description.actions[1]);
  assert.match(guards[0] ?? '', /^guard-.*\.js$/);
  assert.deepEqual(Object.keys(styles), [view]);
  const read = (name: string): string => readFileSync(join(folder, 'dist', 'part', 'assets', name), 'utf8');
  assert.match(read(styles[view]?.[0] ?? ''), /\.owner-row/);
  const text = read(view);
  assert.match(text, /\{useState:\w+\}=globalThis\[Symbol\.for\("srv\.page"\)\]\["preact\/hooks"\]/);
  assert.match(text, /"Ann"/);
  assert.ok(text.length < 1000, `${text.length} characters: nothing else is bundled`);
  for (const form of ['.br', '.gz']) assert.ok(existsSync(join(folder, 'dist', 'part', 'assets', view + form)));
  const { mtimeMs } = statSync(built);
  await buildPart(folder, { define: { OWNER: 'Ann' } });
  assert.equal(statSync(built).mtimeMs, mtimeMs, 'nothing is built again');
});

it('rejects what cannot be taken from the page by name', async t => {
  const folder = plugin(t, {
    ...sources,
    'page/ask.tsx': "import * as page from '@srv/lib-page/page';\nexport default () => <p>{Object.keys(page)}</p>;",
  });
  await assert.rejects(buildPart(folder), /@srv\/lib-page\/page belongs to the page: import what it exports by name/);
});

it('names a module that does not exist', async t => {
  const { 'page/guard.ts': _, ...without } = sources;
  await assert.rejects(buildPart(plugin(t, without)), /guard\.ts/);
});
