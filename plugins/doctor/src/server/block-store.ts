/** Examines the block store: permissions, clock, consistency and latency, tried with objects of its own. */
import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { formatDuration, isSrvError, messageOf } from '@srv/kernel';
import { identifierType, inStoreOf, isMissingContainer } from '@srv/lib-stores/block';
import { Findings } from './finding.js';
import { Latency } from './latency.js';
import type { BlockStore, ObjectPointer } from '@srv/lib-stores/block';

/** Milliseconds: a longer step is slow; clocks that differ by more than the second are a warning, by more than the third a failure. */
const slow = 500;
const skewWarning = 5_000;
const skewFailure = 5 * 60_000;

/** What a step needs; the remedy names it. */
type Permission = 'read' | 'write' | 'list' | 'delete';

class Refused extends Error {
  readonly permission: Permission;

  constructor(permission: Permission, cause: unknown) {
    super(messageOf(cause), { cause });
    this.permission = permission;
  }
}

/** Examines one storage namespace. It is left as it was. */
export async function examineNamespace(block: BlockStore, namespace: string): Promise<Findings> {
  const findings = new Findings('block store');
  const latency = new Latency();
  const name = `doctor-${randomUUID()}`;
  const pointer: ObjectPointer = { namespace, identifier: name, identifierType: identifierType.relative };
  const step = <T>(permission: Permission, work: Promise<T>): Promise<T> =>
    latency.of(work).catch((error: unknown) => {
      throw new Refused(permission, error);
    });
  const read = async (): Promise<string> => (await buffer(await block.get(pointer))).toString();
  try {
    const began = Date.now();
    await step('write', block.put(pointer, Buffer.from('one')));
    const ended = Date.now();
    const first = await step('read', read());
    const { lastModified } = await step('read', block.properties(pointer));
    judgeClock(findings, lastModified.getTime(), began, ended);
    await step('write', block.put(pointer, Buffer.from('two')));
    const second = await step('read', read());
    const listed = await step('list', lists(block, inStoreOf(namespace, block.resolve(pointer)), name));
    await step('delete', block.remove(pointer));
    const gone = !(await step('read', block.exists(pointer)));
    if (first !== 'one' || second !== 'two' || !listed || !gone) {
      const what =
        first !== 'one'
          ? 'a new object'
          : second !== 'two'
            ? 'a replaced object'
            : listed
              ? 'a removed object'
              : 'a new object in a listing';
      findings.fail(
        `${namespace}: ${what} is not seen at once`,
        'The store must be strongly consistent: turn off caches between it and the server.',
      );
    }
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    findings.fail(`${namespace}: an object cannot be ${pastOf(error.permission)}: ${error.message}`, remedyOf(error, namespace));
  } finally {
    await block.remove(pointer).catch(() => undefined);
  }
  if (!findings.failed && latency.median > slow)
    findings.warning(
      `${namespace}: a step takes ${latency.text}`,
      `More than ${slow} ms is slow: choose a store in the region of the server.`,
    );
  else if (!findings.failed) findings.ok(`${namespace}: objects are written, read, listed and deleted, ${latency.text} each`);
  return findings;
}

/** @param stamp what the store's clock said at a moment between `began` and `ended` of this machine's, all in milliseconds. */
export function judgeClock(findings: Findings, stamp: number, began: number, ended: number): void {
  const skew = stamp > ended ? stamp - ended : Math.min(stamp - began, 0);
  const off = formatDuration(Math.round(Math.abs(skew) / 1000) * 1000);
  const text = `the clock of the store is ${off} ${skew > 0 ? 'ahead of' : 'behind'} this machine's`;
  const remedy = 'Set the clock of this machine by NTP: signed URLs and requests depend on it.';
  if (Math.abs(skew) > skewFailure) findings.fail(text, remedy);
  else if (Math.abs(skew) > skewWarning) findings.warning(text, remedy);
}

/** @param address of an object that ends with `name`. */
async function lists(block: BlockStore, address: string, name: string): Promise<boolean> {
  const root = address.slice(0, -name.length);
  for await (const page of block.walk(root, { after: name.slice(0, -1), etags: false })) {
    if (page.some(({ relativeKey }) => relativeKey === name)) return true;
    if (page.some(({ relativeKey }) => relativeKey > name)) return false;
  }
  return false;
}

function remedyOf({ permission, cause }: Refused, namespace: string): string {
  if (isMissingContainer(cause) || isSrvError(cause, 'not_found', 'no_data'))
    return 'Create the bucket or container, or correct the storage namespace.';
  if (isSrvError(cause, 'unavailable', 'timeout', 'slow_down'))
    return 'Start the store, or make it reachable from this machine; permissions were not asked.';
  if (isSrvError(cause, 'config', 'invalid')) return 'Correct section blockstore of the configuration.';
  return `Allow these credentials to ${permission} objects below ${namespace}, or set others in section blockstore.`;
}

function pastOf(permission: Permission): string {
  return { read: 'read', write: 'written', list: 'listed', delete: 'deleted' }[permission];
}
