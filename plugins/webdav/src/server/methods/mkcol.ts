/** MKCOL: makes a folder. */
import { hasBody } from '../body.js';
import { checkCondition, conditionOf } from '../conditions.js';
import { inRef, mayObject } from '../context.js';
import { DavError } from '../errors.js';
import { makeFolder } from '../folders.js';
import { demandUnlocked } from '../locks/check.js';
import type { DavMethod } from '../context.js';

export const mkcol: DavMethod = async any => {
  const context = inRef(any);
  const { target, face, engine } = context;
  const { repository, path } = target;
  if (path === '')
    throw new DavError(
      (await (await context.tree(target)).isBranch()) ? 405 : 403,
      'branches are made by the command line, the web page or the HTTP API',
    );
  await face.demand(mayObject('fs:WriteObject', repository, `${path}/`));
  if (hasBody(context)) throw new DavError(415, 'MKCOL takes no body');
  const tree = await context.tree(target);
  await tree.demandBranch();
  await engine.checkWrite(tree.repository, target.ref, `${path}/`);
  if (await tree.find(path)) throw new DavError(405, `${path} exists`);
  if (!(await tree.hasParent(path))) throw new DavError(409, `the folder of ${path} does not exist`);
  checkCondition(undefined, await conditionOf(context));
  await demandUnlocked(context, tree, { path, membership: true, deep: false });
  await makeFolder(context, tree, path);
  return { status: 201 };
};
