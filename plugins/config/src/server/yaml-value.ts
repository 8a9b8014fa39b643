/** Reads and sets single keys in the text of a configuration file: comments and everything else stay. */

import { SrvError } from '@srv/kernel';
import { Scalar, YAMLMap, isAlias, isMap, isScalar } from 'yaml';
import type { Document, Pair } from 'yaml';

/**
 * Sets a key where the file has it, however it is spelled there (`a.b: x`, `a: { b: x }`, in any case), since a second spelling
 * would make the file invalid; else in its section, which is added if it is missing.
 * @param document without errors.
 * @param key in lower case, such as `server.endpoint_url`.
 * @returns whether that changed anything. @throws SrvError `config` when the document is neither a map nor empty.
 */
export function setYamlValue(document: Document, key: string, value: string): boolean {
  const root = rootOf(document);
  const pair = findPair(document, root, key);
  if (pair) {
    const { value: node } = pair;
    if (isScalar(node) && node.value === value) return false;
    // The node has the comment of the line.
    if (isScalar(node)) node.value = value;
    else pair.value = new Scalar(value);
    return true;
  }
  const { map, rest } = sectionFor(document, root, key);
  map.setIn(rest.split('.'), value);
  return true;
}

/** @returns what the file says of a key, however it is spelled there; `undefined` if it says nothing or no plain value. */
export function yamlValue(document: Document, key: string): unknown {
  const { contents } = document;
  const node = isMap(contents) ? findPair(document, contents, key)?.value : undefined;
  const resolved = isAlias(node) ? node.resolve(document) : node;
  return isScalar(resolved) ? resolved.value : undefined;
}

function rootOf(document: Document): YAMLMap {
  const { contents } = document;
  if (isMap(contents)) return contents;
  if (contents !== null && !(isScalar(contents) && contents.value === null))
    throw new SrvError('config', 'a configuration file must be a map of keys, such as "server: { endpoint_url: … }"');
  const root = new YAMLMap(document.schema);
  document.contents = root;
  return root;
}

/** Pairs whose names are the key or a section that holds it, with what the name leaves of the key. */
function* towards(map: YAMLMap, key: string): Generator<{ readonly pair: Pair; readonly rest: string }> {
  for (const pair of map.items) {
    const name = String(isScalar(pair.key) ? pair.key.value : pair.key).toLowerCase();
    if (name === key) yield { pair, rest: '' };
    else if (key.startsWith(`${name}.`)) yield { pair, rest: key.slice(name.length + 1) };
  }
}

function findPair(document: Document, map: YAMLMap, key: string): Pair | undefined {
  for (const { pair, rest } of towards(map, key)) {
    if (rest === '') return pair;
    const section = mapOf(document, pair);
    const found = section && findPair(document, section, rest);
    if (found) return found;
  }
  return undefined;
}

/** The innermost section of the file for a key that it does not have. */
function sectionFor(document: Document, map: YAMLMap, key: string): { readonly map: YAMLMap; readonly rest: string } {
  for (const { pair, rest } of towards(map, key)) {
    const section = mapOf(document, pair) ?? filled(document, pair);
    if (section) return sectionFor(document, section, rest);
  }
  return { map, rest: key };
}

function mapOf(document: Document, { value }: Pair): YAMLMap | undefined {
  const node = isAlias(value) ? value.resolve(document) : value;
  return isMap(node) ? node : undefined;
}

/** Makes a map of a section in which everything is commented out; the comments stay. */
function filled(document: Document, pair: Pair): YAMLMap | undefined {
  const { value } = pair;
  if (value !== null && !(isScalar(value) && value.value === null)) return undefined;
  const map = new YAMLMap(document.schema);
  const comment = [value?.commentBefore, value?.comment].filter(text => text).join('\n');
  if (comment !== '') map.commentBefore = comment;
  pair.value = map;
  return map;
}
