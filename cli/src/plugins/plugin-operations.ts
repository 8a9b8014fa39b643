/** Operations that plugin packages describe for the client; loaded when one of them is called. */

import { homeFolder } from '@srv/kernel';
import { pluginPlaces } from '../places.js';
import { bundledShapes } from './bundled-modules.js';
import { importModule } from './import-module.js';
import { findManifests } from './plugin-packages.js';
import { readPluginSwitches } from './plugin-switches.js';
import type { AnyOperation, OperationGroup } from '@srv/lib-api';
import type { WireShapes } from '@srv/lib-api/client';

let shapes: Promise<WireShapes> | undefined;
let operations: Promise<OperationGroup> | undefined;

/** Those of every package found, by id, as a client needs them. A package that cannot be loaded is left out, as its commands are. */
export function pluginShapes(): Promise<WireShapes> {
  shapes ??= ofAll(async file => (await bundledShapes(file)) ?? (await importGroup(file)));
  return shapes;
}

/** The same with descriptions, schemas and results. */
export function pluginOperations(): Promise<OperationGroup> {
  operations ??= ofAll(importGroup);
  return operations;
}

/** The description of an operation of the engine or of a plugin; `undefined` when nothing describes it. */
export async function findOperation(operationId: string): Promise<AnyOperation | undefined> {
  const { default: engine }: { default: OperationGroup } = await import('@srv/engine/operations');
  return engine[operationId] ?? (await pluginOperations())[operationId];
}

/** @param load given the module of a package that describes its operations. */
async function ofAll<T extends object>(load: (file: string) => Promise<T>): Promise<T> {
  // What is wrong there was said when the commands were loaded.
  const { paths } = await readPluginSwitches({ env: process.env, home: homeFolder(), warn: () => {} });
  const { manifests } = findManifests({ ...pluginPlaces(), paths });
  const groups = manifests.flatMap(({ entries }) => (entries.operations === undefined ? [] : [load(entries.operations)]));
  return Object.assign({}, ...(await Promise.all(groups))) as T;
}

async function importGroup(file: string): Promise<OperationGroup> {
  const module = (await importModule(file).catch(() => ({}))) as { readonly default?: OperationGroup };
  return module.default ?? {};
}
