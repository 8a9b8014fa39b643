/** DELETE: removes a file, or a folder with everything below it. */
import { checkCondition, conditionOf } from '../conditions.js';
import { inRef, mayList, mayObject } from '../context.js';
import { DavError } from '../errors.js';
import { keepParent } from '../folders.js';
import { demandUnlocked } from '../locks/check.js';
import { failureAnswer, remove } from '../removal.js';
import type { DavMethod } from '../context.js';

export const deleteResource: DavMethod = async any => {
  const context = inRef(any);
  const { target, face, engine, header } = context;
  const { repository, ref, path, isFolder } = target;
  if (path === '') throw new DavError(403, 'branches are deleted by the command line, the web page or the HTTP API');
  const depth = header('depth')?.trim().toLowerCase();
  if (depth !== undefined && depth !== 'infinity') throw new DavError(400, 'DELETE has the depth infinity');
  const [deletes, lists] = await Promise.all([face.may(mayObject('fs:DeleteObject', repository, path)), face.may(mayList(repository))]);
  if (!deletes && !lists) await face.demand(mayObject('fs:DeleteObject', repository, path));
  const tree = await context.tree(target);
  await tree.demandBranch();
  const found = lists ? await tree.find(path) : await tree.findFile(path);
  if (!found || (isFolder && found.kind === 'file')) throw new DavError(404, `there is no ${path} at ${ref}`);
  const condition = await conditionOf(context);
  checkCondition(found, condition);
  if (found.kind === 'file') await face.demand(mayObject('fs:DeleteObject', repository, path));
  await engine.checkWrite(tree.repository, ref, path);
  await demandUnlocked(context, tree, { path, membership: true, deep: true });
  const failures = await remove(context, tree, found, condition);
  if (failures.length > 0) return failureAnswer(tree, failures);
  await keepParent(context, tree, path);
  return { status: 204 };
};
