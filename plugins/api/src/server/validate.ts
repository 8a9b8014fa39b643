/** Checks the parts of a request against an operation's schemas, before authentication. */

import { SrvError } from '@srv/kernel';
import { decodeName, quickCheckOf, unsure } from '@srv/lib-api';
import Joi from 'joi';
import type { RequestParts } from '@srv/http/contract';
import type { AnyInput, AnyOperation, Fields, QuickCheck } from '@srv/lib-api';

interface Validator {
  /** Parameters of path, query and headers by name. @throws SrvError `invalid`. */
  parts(parts: RequestParts): AnyInput;
  /** The JSON body. @throws SrvError `invalid`. */
  body(payload: unknown): unknown;
}

/** Unknown parameters and fields are dropped: newer clients may send more. */
const lenient: Joi.ValidationOptions = { stripUnknown: { objects: true, arrays: false }, errors: { label: false } };

/** One parameter: where it is, and what it may be. */
interface Parameter {
  readonly name: string;
  readonly place: keyof RequestParts;
  /** As the request spells it. */
  readonly key: string;
  readonly list: boolean;
  readonly check: QuickCheck;
}

/** The schemas of an operation are compiled once, when a value needs them first: most servers never use most operations. */
export function createValidator({ params = {}, query = {}, headers = {}, body }: AnyOperation): Validator {
  const parameters = [...parametersOf('params', params), ...parametersOf('query', query), ...parametersOf('headers', headers)];
  let whole: Joi.Schema | undefined;
  let content: Joi.Schema | undefined;
  return {
    parts(request) {
      const input = checkQuickly(parameters, request);
      if (input !== undefined) return input;
      whole ??= Joi.object({ ...params, ...query, ...headers }).prefs(lenient);
      return check(whole, gather(parameters, request)) as AnyInput;
    },
    body(payload) {
      if (body === undefined || body === 'stream') return undefined;
      content ??= body.prefs({ ...lenient, convert: false });
      return check(content, payload ?? undefined, 'body');
    },
  };
}

function parametersOf(place: keyof RequestParts, fields: Fields): Parameter[] {
  return Object.entries(fields).map(([name, field]) => ({
    name,
    place,
    key: place === 'headers' ? name.toLowerCase() : name,
    list: field.type === 'array',
    check: quickCheckOf(field),
  }));
}

/** `undefined` as soon as one value needs the full check. */
function checkQuickly(parameters: readonly Parameter[], request: RequestParts): AnyInput | undefined {
  const input: AnyInput = {};
  for (const parameter of parameters) {
    const value = parameter.check(sentValue(parameter, request));
    if (value === unsure) return undefined;
    if (value !== undefined) input[parameter.name] = value;
  }
  return input;
}

function gather(parameters: readonly Parameter[], request: RequestParts): AnyInput {
  return Object.fromEntries(
    parameters.map(parameter => [parameter.name, sentValue(parameter, request)]).filter(([, value]) => value !== undefined),
  );
}

/** Repetition makes a list where a list is expected; elsewhere the first value counts, as in most servers. */
function sentValue({ place, key, list }: Parameter, request: RequestParts): unknown {
  const found = Object.hasOwn(request[place], key) ? request[place][key] : undefined;
  if (list) return found === undefined ? undefined : [found].flat();
  if (place === 'params' && typeof found === 'string') return decodeName(found);
  return Array.isArray(found) ? found[0] : found;
}

function check(schema: Joi.Schema, value: unknown, whole = ''): unknown {
  const result = schema.validate(value);
  const [problem] = result.error?.details ?? [];
  if (!problem) return result.value;
  const where = [whole, ...problem.path].filter(part => part !== '').join('.');
  throw new SrvError('invalid', `argument ${where}: ${problem.message}`);
}
