/** Folders: made by markers, which are empty objects `<path>/`. */
import { mayObject } from './context.js';
import { propertiesKey } from './properties/dead.js';
import { parentOf } from './target.js';
import { folderType } from './tree.js';
import type { DavContext } from './context.js';
import type { Tree } from './tree.js';

/** @param properties stored ones, as the metadata of the marker. */
export async function makeFolder({ engine }: DavContext, tree: Tree, path: string, properties?: string): Promise<void> {
  await engine.putObject(tree.repository, tree.ref, `${path}/`, Buffer.alloc(0), {
    contentType: folderType,
    metadata: properties === undefined ? {} : { [propertiesKey]: properties },
  });
}

/** Keeps the folder of what was removed: otherwise it would vanish with its last member. Callers who may not write lose it. */
export async function keepParent(context: DavContext, tree: Tree, path: string): Promise<void> {
  const parent = parentOf(path);
  if (parent === '' || (await tree.findFolder(parent))) return;
  if (await context.face.may(mayObject('fs:WriteObject', tree.repository.id, `${parent}/`))) await makeFolder(context, tree, parent);
}
