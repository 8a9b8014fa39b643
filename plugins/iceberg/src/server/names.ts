/** Names of namespaces and tables: on the wire, and as objects of a repository. */
import { isWellFormed } from '@srv/lib-records';
import { CatalogError } from './errors.js';

/** Of the whole catalog: path elements after `v1` that clients may have learned from the configuration, and may leave out. */
export const catalogNames: ReadonlySet<string> = new Set(['srv', 'lakefs']);

/** Where the request's names begin: nowhere, or within a ref, perhaps within a namespace there. */
export interface Scope {
  readonly repository?: string;
  readonly ref?: string;
  readonly namespace: readonly string[];
}

/** A namespace of a ref. */
export interface NamespacePlace {
  readonly repository: string;
  readonly ref: string;
  /** At least one part. */
  readonly namespace: readonly string[];
}

export interface TablePlace extends NamespacePlace {
  readonly table: string;
}

export interface ViewPlace extends NamespacePlace {
  readonly view: string;
}

/** Between the parts of a namespace. */
const separator = '\u001f';
/** UTF-8 bytes of all parts together. */
const maxBytes = 255;

const root = '_lakefs_tables/iceberg/namespaces/';

/** @param segment of the path, still encoded. @throws CatalogError 400. */
export function partsOf(segment: string): string[] {
  const parts = decoded(segment).split(separator);
  checkParts(parts);
  return parts;
}

export function checkParts(parts: readonly string[]): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (parts.length === 0 || parts.some(part => part === '' || /[\u0000-\u001f\u007f]/.test(part)))
    throw new CatalogError(
      400,
      'BadRequestException',
      `${JSON.stringify(parts)} is not a name: parts must not be empty or hold control characters`,
    );
  if (parts.some(part => !isWellFormed(part))) throw new CatalogError(400, 'BadRequestException', 'a name holds half of a character');
  if (Buffer.byteLength(parts.join('.')) > maxBytes)
    throw new CatalogError(400, 'BadRequestException', `a name has at most ${maxBytes} bytes, all parts together`);
}

export function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    throw new CatalogError(400, 'BadRequestException', `${segment} is not well encoded`, { cause: error });
  }
}

/** @param text `<repository>.<ref>[.<namespace> …]`, decoded. @throws CatalogError 404. */
export function scopeOf(text: string): Scope {
  const [repository = '', ref = '', ...namespace] = text.split('.');
  if (repository === '' || ref === '' || namespace.includes(''))
    throw new CatalogError(404, 'NoSuchWarehouseException', `${text} is not <repository>.<branch or other ref>`);
  return { repository, ref, namespace };
}

/** All parts, repository and ref in front. */
export function fullName({ repository, ref, namespace }: Scope, parts: readonly string[]): readonly string[] {
  return [...(repository === undefined ? [] : [repository]), ...(ref === undefined ? [] : [ref]), ...namespace, ...parts];
}

/** Without what the scope says already. */
export function relativeName(scope: Scope, full: readonly string[]): readonly string[] {
  return full.slice(fullName(scope, []).length);
}

/** Characters that keep their meaning in names of objects; all others are written `%XX`, so that dots separate the parts. */
const plain = /[A-Za-z0-9_-]/;

function encodedPart(part: string): string {
  let text = '';
  for (const byte of Buffer.from(part)) {
    const character = String.fromCharCode(byte);
    text += plain.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return text;
}

function encodedName(parts: readonly string[]): string {
  return parts.map(encodedPart).join('.');
}

/** `undefined` for what no name is written as: people can put any objects next to those of the catalog. */
export function decodedName(text: string): string[] | undefined {
  try {
    return text.split('.').map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

/** Full names of the tables or views of a namespace, by the names of their objects. */
export function namesIn(namespace: readonly string[], objects: readonly string[]): string[][] {
  return objects.flatMap(object => {
    const name = decodedName(object);
    return name ? [[...namespace, ...name]] : [];
  });
}

/** Of namespaces inside of another. */
export const childrenPrefix = (namespace: readonly string[]): string =>
  namespace.length === 0 ? root : `${root}${encodedName(namespace)}.`;
/** Of the record and the tables of a namespace. */
export const contentPrefix = (namespace: readonly string[]): string => `${root}${encodedName(namespace)}/`;
export const namespacePath = (namespace: readonly string[]): string => `${contentPrefix(namespace)}namespace.json`;
export const tablesPrefix = (namespace: readonly string[]): string => `${contentPrefix(namespace)}tables/`;
export const tablePath = ({ namespace, table }: Pick<TablePlace, 'namespace' | 'table'>): string =>
  tablesPrefix(namespace) + encodedPart(table);

export const viewsPrefix = (namespace: readonly string[]): string => `${contentPrefix(namespace)}views/`;
export const viewPath = ({ namespace, view }: Pick<ViewPlace, 'namespace' | 'view'>): string => viewsPrefix(namespace) + encodedPart(view);

/** The table whose object a path names; `undefined` for any other path. */
export function tableAt(path: string): Pick<TablePlace, 'namespace' | 'table'> | undefined {
  const [namespace = '', folder, table, ...more] = path.startsWith(root) ? path.slice(root.length).split('/') : [];
  if (folder !== 'tables' || !table || more.length > 0) return undefined;
  const [inside, name] = [decodedName(namespace), decodedName(table)];
  return inside && name && { namespace: inside, table: name.join('.') };
}

export const catalogPrefix = root;

export const shownName = ({ namespace, table }: Pick<TablePlace, 'namespace' | 'table'>): string => [...namespace, table].join('.');

export const shownView = ({ namespace, view }: Pick<ViewPlace, 'namespace' | 'view'>): string => [...namespace, view].join('.');
