/** What operations of the typed client take: for `help createBranch`, and for calls that are wrong. */
import { nearest } from '@srv/kernel';
import { UsageError, alignedTable, isAnswerError } from '@srv/lib-commands';
import { findOperation } from '../plugins/plugin-operations.js';
import type { AnyOperation } from '@srv/lib-api';
import type { WireShape } from '@srv/lib-api/client';

/** What joi says of a schema. */
interface Described {
  readonly type?: string;
  readonly flags?: { readonly presence?: string; readonly default?: unknown; readonly only?: boolean };
  readonly allow?: readonly unknown[];
  readonly keys?: Readonly<Record<string, Described>>;
  readonly items?: readonly Described[];
  readonly matches?: readonly { readonly schema?: Described }[];
}

type Member = readonly [name: string, schema: Described];

/** @returns the text; `undefined` when no operation has that name. */
export async function operationHelp(operationId: string): Promise<string | undefined> {
  if (!/^[a-z]\w*$/.test(operationId) || operationId === operationId.toLowerCase()) return undefined;
  const operation = await findOperation(operationId);
  if (!operation) return undefined;
  const rows = membersOf(operation).flatMap(member => rowsOf(member, ''));
  return [
    `${operationId}: ${operation.summary}`,
    '',
    rows.length > 0 ? alignedTable(['Member', 'Type', ''], rows) : 'It takes nothing.',
    '',
    `Returns: ${resultOf(operation)}`,
    `Example: await client().${operationId}(${exampleOf(operation)})`,
  ].join('\n');
}

/** Any member that an operation does not take is a mistake. @throws UsageError that names a member it does not take. */
export function checkMembers({ operationId, path, query = {}, headers = {}, body }: WireShape, input: object): void {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const known = [...inPath, ...Object.keys(query), ...Object.keys(headers), ...(body === undefined ? [] : ['body'])];
  for (const name of Object.keys(input)) {
    if (known.includes(name)) continue;
    const guess = nearest(name, known);
    const advice = guess === undefined ? `it takes ${known.length > 0 ? known.join(', ') : 'nothing'}` : `did you mean ${guess}?`;
    throw new UsageError(`${operationId} does not take ${name}; ${advice} (help ${operationId} shows all)`);
  }
}

/** The mistake in the input of a call that failed; the failure itself, if the input has none. */
export async function explained(error: unknown, operationId: string, input: unknown): Promise<unknown> {
  const isRefusal = isAnswerError(error, 400) || (error instanceof Error && 'code' in error && error.code === 'invalid');
  const operation = isRefusal ? await findOperation(operationId) : undefined;
  const problem = operation && mistakeIn(membersOf(operation), Object(input ?? {}) as Input, '');
  return problem === undefined ? error : new UsageError(`${operationId}: ${problem}; help ${operationId} shows all that it takes`);
}

type Input = Readonly<Record<string, unknown>>;

function mistakeIn(members: readonly Member[], input: Input, path: string): string | undefined {
  for (const [name, schema] of members) {
    const value = input[name];
    if (value === undefined && !isOptional(schema)) return `${path}${name} is missing: ${typeOf(schema)}`;
    if (value === undefined) continue;
    const found = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
    const isText = schema.type === 'string' && found !== 'string' && found !== 'number';
    if (isText || (schema.type === 'object' && found !== 'object') || (schema.type === 'array' && found !== 'array'))
      return `${path}${name} is ${found}: give ${typeOf(schema)}`;
    const within = schema.keys && mistakeIn(Object.entries(schema.keys), value as Input, `${path}${name}.`);
    if (within !== undefined) return within;
    const names = Object.keys(schema.keys ?? {});
    const unknown = names.length > 0 ? Object.keys(value as Input).find(each => !names.includes(each)) : undefined;
    if (unknown !== undefined) return `${path}${name}.${unknown} is unknown: it takes ${names.join(', ')}`;
  }
  return undefined;
}

function membersOf({ params = {}, query = {}, headers = {}, body }: AnyOperation): Member[] {
  const described = Object.entries({ ...params, ...query, ...headers }).map(
    ([name, field]): Member => [name, field.describe() as Described],
  );
  if (body === undefined) return described;
  return [
    ...described,
    ['body', body === 'stream' ? { type: 'Buffer, string or stream', flags: { presence: 'required' } } : (body.describe() as Described)],
  ];
}

function isOptional({ flags }: Described): boolean {
  return flags?.presence !== 'required';
}

function rowsOf([name, schema]: Member, indent: string): string[][] {
  const fallback = schema.flags?.default;
  const isKnown = fallback !== undefined && typeof fallback !== 'object' && typeof fallback !== 'function';
  const optional = isOptional(schema) ? `optional${isKnown ? `, default ${JSON.stringify(fallback)}` : ''}` : '';
  const own = [`${indent}${name}`, schema.keys ? 'object' : typeOf(schema), optional];
  return [own, ...Object.entries(schema.keys ?? {}).flatMap(member => rowsOf(member, `${indent}  `))];
}

function typeOf({ type = 'any', flags, allow = [], keys, items = [], matches = [] }: Described): string {
  if (flags?.only)
    return allow
      .filter(value => typeof value !== 'object')
      .map(value => JSON.stringify(value))
      .join(' or ');
  if (keys)
    return `{ ${Object.entries(keys)
      .map(([name, schema]) => `${name}${isOptional(schema) ? '?' : ''}: ${typeOf(schema)}`)
      .join(', ')} }`;
  if (type === 'array') return `list of ${items[0] ? typeOf(items[0]) : 'any'}`;
  if (type === 'alternatives') return matches.map(({ schema }) => typeOf(schema ?? {})).join(' or ');
  return type === 'object' ? 'object with any members' : type;
}

function resultOf({ result }: AnyOperation): string {
  if (result.kind === 'empty') return 'nothing';
  if (result.kind === 'bytes') return 'content as a stream (body), with status and headers';
  return result.kind === 'text' ? 'text' : typeOf(result.schema.describe() as Described);
}

/** A call with what it must have. */
function exampleOf(operation: AnyOperation): string {
  const members = membersOf(operation).filter(([, schema]) => !isOptional(schema));
  return members.length === 0 ? '' : `{ ${members.map(([name, schema]) => `${name}: ${sampleOf(name, schema)}`).join(', ')} }`;
}

const names: Readonly<Record<string, string>> = {
  repository: 'example-repo',
  branch: 'main',
  ref: 'main',
  source: 'main',
  path: 'images/a.png',
  name: 'a-name',
  message: 'a message',
};

function sampleOf(name: string, { type, flags, allow = [], keys, items = [], matches = [] }: Described): string {
  if (flags?.only) return JSON.stringify(allow.find(value => typeof value !== 'object'));
  if (keys) {
    const required = Object.entries(keys).filter(([, schema]) => !isOptional(schema));
    return required.length === 0 ? '{}' : `{ ${required.map(([key, schema]) => `${key}: ${sampleOf(key, schema)}`).join(', ')} }`;
  }
  if (type === 'array') return `[${items[0] ? sampleOf(name, items[0]) : ''}]`;
  if (type === 'alternatives') return sampleOf(name, matches[0]?.schema ?? {});
  if (type === 'number') return '1';
  if (type === 'boolean') return 'true';
  return type === 'object' ? '{}' : `'${names[name] ?? name.replaceAll('_', '-')}'`;
}
