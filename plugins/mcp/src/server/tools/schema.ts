/** Arguments of tools: one declaration is the JSON Schema that clients see, and the check of what they send. */
import { isWellFormed } from '@srv/lib-records';

const repositoryPattern = /^[a-z0-9][a-z0-9-]{2,62}$/;
const branchPattern = /^\w[-\w]*$/;
const refPattern = /^\S+$/;
const patterns: ReadonlyMap<string, RegExp> = new Map(
  [repositoryPattern, branchPattern, refPattern].map(pattern => [pattern.source, pattern]),
);

/** A part of JSON Schema 2020-12. */
export type FieldSchema =
  | {
      readonly type: 'string';
      readonly description?: string;
      readonly pattern?: string;
      readonly minLength?: number;
      readonly maxLength?: number;
      readonly enum?: readonly string[];
      readonly default?: string;
    }
  | {
      readonly type: 'integer';
      readonly description?: string;
      readonly minimum: number;
      readonly maximum: number;
      readonly default?: number;
    }
  | { readonly type: 'boolean'; readonly description?: string; readonly default?: boolean }
  | {
      readonly type: 'array';
      readonly description?: string;
      readonly items: { readonly type: 'string'; readonly minLength: number };
      readonly minItems: number;
      readonly maxItems: number;
    }
  | { readonly type: 'object'; readonly description?: string; readonly additionalProperties: { readonly type: 'string' } };

export interface InputSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, FieldSchema>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
}

/** @param fields required ones first. */
export function inputSchema(
  required: Readonly<Record<string, FieldSchema>>,
  optional: Readonly<Record<string, FieldSchema>> = {},
): InputSchema {
  return { type: 'object', properties: { ...required, ...optional }, required: Object.keys(required), additionalProperties: false };
}

/** Arguments that a schema has accepted, defaults filled in. */
export class ToolInput {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values;
  }

  text(name: string): string {
    const value = this.#values[name];
    return typeof value === 'string' ? value : '';
  }

  optionalText(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === 'string' ? value : undefined;
  }

  number(name: string): number {
    const value = this.#values[name];
    return typeof value === 'number' ? value : 0;
  }

  flag(name: string): boolean {
    return this.#values[name] === true;
  }

  texts(name: string): readonly string[] {
    const value = this.#values[name];
    return Array.isArray(value) ? value.filter(item => typeof item === 'string') : [];
  }

  map(name: string): Readonly<Record<string, string>> {
    const value = this.#values[name];
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, string>>) : {};
  }
}

/** @returns the input, or what is wrong with it in words for whom sent it. */
export function checkInput({ properties, required }: InputSchema, given: Readonly<Record<string, unknown>>): ToolInput | string {
  for (const name of required) if (!Object.hasOwn(given, name)) return `the argument ${name} is missing`;
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!schema) return `there is no argument ${name}; known are ${Object.keys(properties).join(', ')}`;
    const problem = problemOf(schema, value) ?? (textsIn(value).every(isWellFormed) ? undefined : 'holds half of a character');
    if (problem !== undefined) return `the argument ${name} ${problem}`;
    values[name] = value;
  }
  for (const [name, schema] of Object.entries(properties))
    if (!Object.hasOwn(values, name) && 'default' in schema) values[name] = schema.default;
  return new ToolInput(values);
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null
    ? Object.entries(value)
        .flat()
        .filter(item => typeof item === 'string')
    : [];
}

function problemOf(schema: FieldSchema, value: unknown): string | undefined {
  switch (schema.type) {
    case 'string':
      return textProblem(schema, value);
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value) && value >= schema.minimum && value <= schema.maximum
        ? undefined
        : `is not an integer from ${schema.minimum} to ${schema.maximum}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'is neither true nor false';
    case 'array':
      return Array.isArray(value) &&
        value.length >= schema.minItems &&
        value.length <= schema.maxItems &&
        value.every(item => typeof item === 'string' && item.length >= schema.items.minLength)
        ? undefined
        : `is not a list of ${schema.minItems} to ${schema.maxItems} texts`;
    case 'object':
      return typeof value === 'object' &&
        value !== null &&
        !Array.isArray(value) &&
        Object.values(value).every(item => typeof item === 'string')
        ? undefined
        : 'is not an object of texts';
  }
}

function textProblem(schema: FieldSchema & { readonly type: 'string' }, value: unknown): string | undefined {
  if (typeof value !== 'string') return 'is not a text';
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, enum: allowed } = schema;
  if (value.length < minLength) return `has fewer than ${minLength} characters`;
  if (value.length > maxLength) return `has more than ${maxLength} characters`;
  if (allowed && !allowed.includes(value)) return `is ${JSON.stringify(value)}; allowed: ${allowed.join(', ')}`;
  if (pattern !== undefined && patterns.get(pattern)?.test(value) !== true)
    return `is ${JSON.stringify(value)}, which is not allowed: ${pattern}`;
  return undefined;
}

/** Fields that several tools have. */
export const fields = {
  repository: { type: 'string', description: 'Name of the repository', pattern: repositoryPattern.source },
  ref: {
    type: 'string',
    description: 'Branch, tag, commit id, or an expression such as main~1',
    pattern: refPattern.source,
    maxLength: 1024,
  },
  branch: { type: 'string', description: 'Branch that start_branch returned', pattern: branchPattern.source, maxLength: 255 },
  path: { type: 'string', description: 'Path of the object, without a slash at its beginning', minLength: 1, maxLength: 1024 },
  prefix: { type: 'string', description: 'Only what begins with this', maxLength: 1024, default: '' },
  after: { type: 'string', description: 'The value of next of the page before', maxLength: 1100, default: '' },
  limit: (maximum: number): FieldSchema => ({ type: 'integer', description: 'Results at most', minimum: 1, maximum, default: 50 }),
} as const;
