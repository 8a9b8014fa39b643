/** Checks the parts of a request against an operation's schemas, before anybody asks who sent it. */
import Joi from 'joi';
import { SrvError } from '@srv/kernel';
import type { AnyInput, AnyOperation } from '../operation.js';
import type { Fields } from '../schema/field.js';

export interface RequestParts {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, unknown>>;
}

/** Unknown parameters and fields are dropped: newer clients may send more. */
const lenient = { stripUnknown: { objects: true, arrays: false }, errors: { label: false } } as const;

export interface Validator {
  /** Parameters of path, query and headers by name. @throws SrvError `invalid`. */
  parts(parts: RequestParts): AnyInput;
  /** The JSON body. @throws SrvError `invalid`. */
  body(payload: unknown): unknown;
}

/** Compiles the schemas of an operation once. */
export function createValidator({ params = {}, query = {}, headers = {}, body }: AnyOperation): Validator {
  const schemas = { params: schemaOf(params), query: schemaOf(query), headers: schemaOf(headers) };
  const headerNames = Object.keys(headers);
  return {
    parts({ params: path, query: asked, headers: sent }) {
      const named = Object.fromEntries(
        headerNames.flatMap(name => (sent[name.toLowerCase()] === undefined ? [] : [[name, sent[name.toLowerCase()]]])),
      );
      return {
        ...(check(schemas.params, path) as AnyInput),
        ...(check(schemas.query, fitRepetition(asked, query)) as AnyInput),
        ...(check(schemas.headers, named) as AnyInput),
      };
    },
    body(payload) {
      if (body === undefined || body === 'stream') return undefined;
      return check(body, payload ?? undefined, 'body', { convert: false });
    },
  };
}

function schemaOf(fields: Fields): Joi.ObjectSchema {
  return Joi.object({ ...fields });
}

/** Repetition makes a list where a list is expected; elsewhere the first value counts, as in most servers. */
function fitRepetition(query: Readonly<Record<string, unknown>>, fields: Fields): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, fields[name]?.type === 'array' ? [value].flat() : [value].flat()[0]]),
  );
}

function check(schema: Joi.Schema, value: unknown, whole = '', options: Joi.ValidationOptions = {}): unknown {
  const result = schema.validate(value, { ...lenient, ...options });
  const [problem] = result.error?.details ?? [];
  if (!problem) return result.value;
  const where = [whole, ...problem.path].filter(part => part !== '').join('.');
  throw new SrvError('invalid', `argument ${where}: ${problem.message}`);
}
