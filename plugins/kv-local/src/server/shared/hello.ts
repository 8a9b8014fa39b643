/** The first frames of a connection: the sibling names its group, the owner says whether that is its own. */
import { timingSafeEqual } from 'node:crypto';

const version = 'srv kv-local 1';
const [welcome, refusal] = ['welcome', 'another group'];

export function greeting(group: string): Buffer {
  return Buffer.from(`${version} ${group}`);
}

export function isGreeting(payload: Buffer, group: string): boolean {
  const expected = greeting(group);
  return payload.length === expected.length && timingSafeEqual(payload, expected);
}

export function answerTo(isOfGroup: boolean): Buffer {
  return Buffer.from(isOfGroup ? welcome : refusal);
}

export function isWelcome(payload: Buffer): boolean {
  return payload.toString('utf8') === welcome;
}
