/** The page names no feature: a feature's page lies in the feature's folder, and goes with it. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { PageDescription } from '@srv/lib-page';

const ui = fileURLToPath(new URL('../../', import.meta.url));
const plugins = join(ui, '..');

/** Names that mean something else in these sources. */
const others: Readonly<Record<string, string>> = {
  local: 'a type of block store',
  notices: 'short notes of the page',
  search: 'an icon, and fields that find a name',
};

interface Manifest {
  readonly srv?: { readonly name?: string; readonly layer?: string; readonly operations?: string; readonly page?: string };
}

/** By folder. */
function features(): ReadonlyMap<string, NonNullable<Manifest['srv']>> {
  const found = readdirSync(plugins).flatMap(folder => {
    const file = join(plugins, folder, 'package.json');
    const { srv } = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Manifest) : {};
    return srv?.name !== undefined && srv.layer === 'features' ? [[folder, srv] as const] : [];
  });
  return new Map(found);
}

async function defaultOf<T>(...path: readonly string[]): Promise<T> {
  return ((await import(pathToFileURL(join(plugins, ...path)).href)) as { readonly default: T }).default;
}

/** Routes of its views, and what it calls. */
async function wordsOf(folder: string, { operations, page }: NonNullable<Manifest['srv']>) {
  const table = operations === undefined ? {} : await defaultOf<Readonly<Record<string, unknown>>>(folder, operations);
  if (page === undefined) return { routes: [], operationIds: Object.keys(table) };
  const { tabs = [], pages = [] } = await defaultOf<PageDescription>(folder, 'dist', 'page', 'index.js');
  return { routes: [...tabs, ...pages].map(({ id }) => id), operationIds: Object.keys(table) };
}

const sources = (folder: string): readonly string[] =>
  (readdirSync(join(ui, folder), { recursive: true }) as string[])
    .filter(file => /\.(?:tsx?|css|html)$/.test(file))
    .map(file => join(ui, folder, file));

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

it('no source of the page mentions the name, a route or an operation of a feature', async () => {
  const texts = ['page', 'src', 'build'].flatMap(sources).map(file => ({ file: relative(ui, file), text: readFileSync(file, 'utf8') }));
  assert.ok(texts.length > 100);
  const mentions: string[] = [];
  let operationCount = 0;
  for (const [folder, srv] of features()) {
    const { routes, operationIds } = await wordsOf(folder, srv);
    operationCount += operationIds.length;
    const names = [...new Set([folder, srv.name ?? folder, ...routes])].filter(name => !Object.hasOwn(others, name));
    const patterns = [
      ...names.map(name => new RegExp(`['"\`/]${escaped(name)}['"\`/?]`)),
      ...operationIds.map(id => new RegExp(`\\b${escaped(id)}\\b`)),
    ];
    for (const { file, text } of texts)
      for (const pattern of patterns) {
        const found = pattern.exec(text);
        if (found) mentions.push(`${file} names ${found[0]} of ${folder}`);
      }
  }
  assert.deepEqual(mentions, []);
  assert.ok(operationCount > 50, 'the operations were read');
});
