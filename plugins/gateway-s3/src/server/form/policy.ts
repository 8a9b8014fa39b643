/** The policy of a form: who signed it says which fields, and which sizes, the form may have. */
import { S3Error } from '../protocol/errors.js';
import type { FormFields } from './read-form.js';

/** Bytes, both included. */
export interface SizeRange {
  readonly min: number;
  readonly max: number;
}

type Condition =
  | { readonly kind: 'eq' | 'starts-with'; readonly field: string; readonly value: string; readonly shown: string }
  | { readonly kind: 'size'; readonly range: SizeRange };

interface FormPolicy {
  readonly expiration: Date;
  readonly conditions: readonly Condition[];
}

/** Fields about the policy itself. */
const exempt = new Set([
  'policy',
  'signature',
  'awsaccesskeyid',
  'x-amz-signature',
  'x-amz-algorithm',
  'x-amz-credential',
  'x-amz-date',
  'x-amz-security-token',
  'file',
]);

const invalid = (why: string): S3Error => new S3Error('InvalidPolicyDocument', { message: `Invalid Policy: ${why}` });
const denied = (why: string): S3Error => new S3Error('AccessDenied', { message: `Invalid according to Policy: ${why}` });

/** @param encoded as in the field: JSON in base64. @throws S3Error `InvalidPolicyDocument`. */
export function parsePolicy(encoded: string): FormPolicy {
  const document = jsonOf(encoded);
  if (!isObject(document)) throw invalid('Invalid JSON.');
  const { expiration, conditions } = document;
  if (expiration === undefined) throw invalid('Policy missing expiration.');
  if (conditions === undefined) throw invalid('Policy missing conditions.');
  if (!Array.isArray(conditions)) throw invalid('Conditions must be a list.');
  return { expiration: dateOf(expiration), conditions: conditions.map(conditionOf) };
}

function jsonOf(encoded: string): unknown {
  try {
    return JSON.parse(Buffer.from(encoded, 'base64').toString('utf8'));
  } catch {
    throw invalid('Invalid JSON.');
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function dateOf(value: unknown): Date {
  const text = typeof value === 'string' ? value : '';
  const date = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(text) ? new Date(text) : new Date(Number.NaN);
  if (Number.isNaN(date.getTime())) throw invalid(`Invalid 'expiration' value: ${JSON.stringify(text)}`);
  return date;
}

function conditionOf(value: unknown): Condition {
  if (Array.isArray(value)) return listCondition(value);
  const pairs = isObject(value) ? Object.entries(value) : [];
  const [pair, ...others] = pairs;
  if (!pair || others.length > 0) throw invalid('Invalid Simple-Condition: Simple-Conditions must have exactly one property specified.');
  const [name, wanted] = pair;
  if (typeof wanted !== 'string') throw invalid(`Invalid Simple-Condition: the value of ${JSON.stringify(name)} must be a text.`);
  return { kind: 'eq', field: name.toLowerCase(), value: wanted, shown: JSON.stringify(['eq', `$${name}`, wanted]) };
}

function listCondition(list: readonly unknown[]): Condition {
  const [operator, field, value] = list;
  const kind = typeof operator === 'string' ? operator.toLowerCase() : '';
  if (kind === 'content-length-range') {
    const [min, max] = [field, value].map(Number);
    if (list.length !== 3 || min === undefined || max === undefined || !Number.isSafeInteger(min) || !Number.isSafeInteger(max) || min < 0)
      throw invalid('Invalid content-length-range: it must have a smallest and a largest size in bytes.');
    return { kind: 'size', range: { min, max } };
  }
  if (kind !== 'eq' && kind !== 'starts-with') throw invalid(`Invalid Condition: unknown operator ${JSON.stringify(operator)}.`);
  if (list.length !== 3 || typeof field !== 'string' || !field.startsWith('$') || typeof value !== 'string')
    throw invalid(`Invalid Condition: ${JSON.stringify(list)}; a condition is an operator, a field with $, and a text.`);
  return { kind, field: field.slice(1).toLowerCase(), value, shown: JSON.stringify(list) };
}

/**
 * Checks a form whose policy is genuine.
 * @param bucket of the request.
 * @returns sizes the file may have.
 * @throws S3Error `AccessDenied` when the policy has expired, a condition does not hold, or a field has none.
 */
export function checkForm({ expiration, conditions }: FormPolicy, fields: FormFields, bucket: string, now: Date): SizeRange {
  if (now.getTime() > expiration.getTime()) throw denied('Policy expired.');
  const range = { min: 0, max: Number.MAX_SAFE_INTEGER };
  const covered = new Set<string>();
  for (const condition of conditions) {
    if (condition.kind === 'size') {
      range.min = Math.max(range.min, condition.range.min);
      range.max = Math.min(range.max, condition.range.max);
      continue;
    }
    const { kind, field, value, shown } = condition;
    const given = field === 'bucket' ? bucket : fields.text(field);
    if (given === undefined || !(kind === 'eq' ? given === value : given.startsWith(value)))
      throw denied(`Policy Condition failed: ${shown}`);
    covered.add(field);
  }
  const extra = ['bucket', ...fields.names()].filter(name => !covered.has(name) && !exempt.has(name) && !name.startsWith('x-ignore-'));
  if (extra.length > 0) throw denied(`Extra input fields: ${extra.join(', ')}`);
  return range;
}
