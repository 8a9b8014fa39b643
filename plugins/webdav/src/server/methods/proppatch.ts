/** PROPPATCH: sets and removes properties, all of them or none. */
import { readXmlBody } from '../body.js';
import { checkCondition, conditionOf } from '../conditions.js';
import { inRef, mayObject } from '../context.js';
import { DavError } from '../errors.js';
import { makeFolder } from '../folders.js';
import { demandUnlocked } from '../locks/check.js';
import { keyOf, readProperties, withProperties } from '../properties/dead.js';
import { protectedKeys } from '../properties/live.js';
import { hrefOf } from '../target.js';
import { childElements, davChild, isDav, languageOf, toXml } from '../xml/read.js';
import { dav, davNamespace, element, href, multistatusBegin, multistatusEnd, statusLine, xmlType } from '../xml/write.js';
import type { Condition } from '../conditions.js';
import type { DavMethod, ResourceContext } from '../context.js';
import type { Resource, Tree } from '../tree.js';
import type { XmlElement } from '../xml/read.js';
import type { QName } from '../xml/write.js';

/** Times and attributes that Windows sets after every write: accepted, but not kept, as each would change the object. */
const windowsNamespace = 'urn:schemas-microsoft-com:';

interface PropertyChange {
  readonly name: QName;
  /** The property as XML; absent: it is removed. */
  readonly xml?: string | undefined;
}

export const proppatch: DavMethod = async any => {
  const context = inRef(any);
  const { target, face, engine } = context;
  const { repository, ref, path, isFolder } = target;
  const object = path === '' || isFolder ? `${path}/` : path;
  await face.demand(mayObject('fs:WriteObject', repository, object));
  const changes = changesOf(await readXmlBody(context));
  if (path === '') throw new DavError(403, 'a branch has no properties that can be set');
  const tree = await context.tree(target);
  await tree.demandBranch();
  const found = await tree.find(path);
  if (!found || (isFolder && found.kind === 'file')) throw new DavError(404, `there is no ${path} at ${ref}`);
  const condition = await conditionOf(context);
  checkCondition(found, condition);
  if (found.kind === 'folder') await face.demand(mayObject('fs:WriteObject', repository, `${path}/`));
  await engine.checkWrite(tree.repository, ref, found.kind === 'folder' ? `${path}/` : path);
  await demandUnlocked(context, tree, { path, membership: false, deep: false });
  const refused = changes.filter(({ name }) => protectedKeys.has(keyOf(name)));
  if (refused.length === 0) await apply(context, tree, found, changes, condition);
  const own = `${hrefOf(repository, ref, path)}${found.kind === 'folder' ? '/' : ''}`;
  return { status: 207, headers: { 'Content-Type': xmlType }, body: answer(own, changes, refused) };
};

/** @throws DavError 400. */
function changesOf(root: XmlElement | undefined): readonly PropertyChange[] {
  if (!root || root.namespace !== davNamespace || root.name !== 'propertyupdate')
    throw new DavError(400, 'the body is not a propertyupdate element');
  const changes = childElements(root).flatMap(instruction => {
    const sets = isDav(instruction, 'set');
    if (!sets && !isDav(instruction, 'remove')) return [];
    const prop = davChild(instruction, 'prop');
    if (!prop) throw new DavError(400, `the element ${instruction.name} has no element prop`);
    const language = languageOf(prop) ?? languageOf(instruction) ?? languageOf(root);
    return childElements(prop).map((property): PropertyChange => {
      const { namespace, name } = property;
      return { name: { namespace, name }, xml: sets ? toXml(inLanguage(property, language)) : undefined };
    });
  });
  if (changes.length === 0) throw new DavError(400, 'the propertyupdate element changes no property');
  return changes;
}

/** The language is part of the value, also where an element around it says it. */
function inLanguage(property: XmlElement, language: string | undefined): XmlElement {
  if (language === undefined || languageOf(property) !== undefined) return property;
  const attribute = { namespace: 'http://www.w3.org/XML/1998/namespace', name: 'lang', value: language };
  return { ...property, attributes: [...property.attributes, attribute] };
}

/** The condition was met by what was found; a file may be another one by now. */
async function apply(
  context: ResourceContext,
  tree: Tree,
  found: Resource,
  changes: readonly PropertyChange[],
  condition: Condition | undefined,
): Promise<void> {
  const kept = changes.filter(({ name }) => name.namespace !== windowsNamespace);
  if (kept.length === 0 || (found.kind === 'file' && 'scratch' in found.source)) return;
  const change = (metadata: Readonly<Record<string, string>>): Readonly<Record<string, string>> => {
    const properties = new Map(readProperties(metadata));
    for (const { name, xml } of kept) {
      if (xml === undefined) properties.delete(keyOf(name));
      else properties.set(keyOf(name), xml);
    }
    return withProperties(metadata, properties);
  };
  const { engine } = context;
  if (found.kind === 'file') return engine.setObjectMetadata(tree.repository, tree.ref, found.path, change, { condition });
  if (!found.marker) await makeFolder(context, tree, found.path);
  await engine.setObjectMetadata(tree.repository, tree.ref, `${found.path}/`, change);
}

function answer(own: string, changes: readonly PropertyChange[], refused: readonly PropertyChange[]): string {
  const propstat = (some: readonly PropertyChange[], status: number, error = ''): string =>
    some.length === 0 ? '' : dav('propstat', dav('prop', some.map(({ name }) => element(name, '')).join('')) + statusLine(status) + error);
  const others = changes.filter(change => !refused.includes(change));
  const parts =
    refused.length === 0
      ? propstat(changes, 200)
      : propstat(refused, 403, dav('error', dav('cannot-modify-protected-property'))) + propstat(others, 424);
  return multistatusBegin + dav('response', href(own) + parts) + multistatusEnd;
}
