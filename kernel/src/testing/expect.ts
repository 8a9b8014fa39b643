/** Assertions the conformance suites share. */
import assert from 'node:assert/strict';
import { isSrvError } from '../errors.js';
import type { ErrorCode } from '../errors.js';

/** Asserts that `call` throws or rejects with a SrvError of `code` whose message matches. */
export async function rejectsWith(call: () => unknown, code: ErrorCode, message = /./): Promise<void> {
  try {
    await call();
  } catch (error) {
    assert.ok(isSrvError(error), `a SrvError ${code} was expected, not ${String(error)}`);
    assert.equal(error.code, code, error.message);
    assert.match(error.message, message);
    return;
  }
  assert.fail(`an error ${code} was expected, but the call succeeded`);
}

/** All items of a sequence of pages. */
export async function collect<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  const items: T[] = [];
  for await (const page of pages) items.push(...page);
  return items;
}
