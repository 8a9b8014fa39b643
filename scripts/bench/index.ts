/** All benchmarks, in the order in which they run: those of the engine and the faces, then those of features, which lie with them. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repositoryRoot } from '../repository-root.js';
import actions from './actions.js';
import api from './api.js';
import cli from './cli.js';
import committed from './committed.js';
import gateway from './gateway.js';
import growth from './growth.js';
import startUp from './start-up.js';
import storage from './storage.js';
import versioning from './versioning.js';
import workers from './workers.js';
import type { Benchmark } from './benchmark.js';

const plugins = join(repositoryRoot, 'plugins');
const own: readonly Benchmark[] = [startUp, cli, committed, versioning, growth, storage, api, workers, gateway, actions];

export const benchmarks: readonly Benchmark[] = [
  ...own.filter(({ plugin }) => plugin === undefined || existsSync(join(plugins, plugin))),
  ...(await Promise.all(readdirSync(plugins).sort().flatMap(ofFeature))),
];

/** A source without output is of another branch, and so is output without a source. */
function ofFeature(name: string): readonly Promise<Benchmark>[] {
  const folder = join(plugins, name);
  const compiled = join(folder, 'dist', 'test', 'bench.js');
  if (!existsSync(join(folder, 'test', 'bench.ts')) || !existsSync(compiled)) return [];
  return [import(pathToFileURL(compiled).href).then((module: { readonly default: Benchmark }) => module.default)];
}
