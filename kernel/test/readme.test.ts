import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { key } from '../src/index.js';
import { storeEntries, storesPlugin, testKernel } from './packages.js';
import type { ServiceRegistry } from '../src/index.js';

const kernelFolder = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const readme = readFileSync(join(kernelFolder, 'README.md'), 'utf8');

function block(language: string): string {
  const source = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(readme)?.[1];
  assert.ok(source, `README.md has a ${language} block`);
  return source;
}

/** Compiles the README's plugin where `@srv/kernel` can be found. */
function buildPlugin(): string {
  const folder = join(kernelFolder, 'dist', 'readme-plugin');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'plugin.ts'), block('ts'));
  writeFileSync(join(folder, 'package.json'), block('json'));
  const compilerOptions = { strict: true, module: 'NodeNext', target: 'ES2023', types: ['node'], skipLibCheck: true };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['plugin.ts'] }));
  execFileSync(join(kernelFolder, '..', 'node_modules', '.bin', 'tsc'), ['-p', folder], { stdio: 'pipe', encoding: 'utf8' });
  return folder;
}

test('the plugin of the guide is under 40 lines, compiles and runs', async () => {
  assert.ok(block('ts').trimEnd().split('\n').length < 40);
  const overrides = [...storeEntries, { key: 'heartbeat.interval', raw: '10ms', source: 'test' }];
  const kernel = await testKernel([storesPlugin()], { places: { paths: [buildPlugin()] }, overrides }).load();
  await kernel.configure();
  await kernel.start();
  const services = kernel.services as Pick<ServiceRegistry, 'names'> & { find(name: string): unknown };
  assert.ok(services.names().includes('heartbeat'));
  await sleep(50);
  await kernel.stop();
  const { beats } = services.find('heartbeat') as { beats: number };
  assert.ok(beats > 0, 'it has beaten');
  await sleep(30);
  assert.equal((services.find('heartbeat') as { beats: number }).beats, beats, 'it has stopped');
});

test('the table of keys names every builder and every option of it', () => {
  const table = readme.slice(readme.indexOf('| Builder |'), readme.indexOf('All take `aliases`'));
  const { expandHome: _, splitMap: __, ...builders } = key;
  for (const name of Object.keys(builders)) assert.ok(table.includes(`\`key.${name}\``), `key.${name}`);
  for (const [, name = ''] of table.matchAll(/`key\.(\w+)`/g)) assert.ok(name in builders, `there is no key.${name}`);
  for (const option of ['values', 'min', 'max', 'bareUnit']) assert.ok(table.includes(`\`${option}`), option);
});
