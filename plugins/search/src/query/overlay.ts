/** Objects with changes laid over them. Both are in order of keys. */
import type { FoundObject } from '../contract.js';

/** What is at a path instead of what was there. */
export interface Change {
  readonly key: Buffer;
  /** `undefined`: nothing that is wanted. */
  readonly object: FoundObject | undefined;
}

/** Objects with those that are changed replaced, and those that are removed left out. */
export async function* overlay(objects: AsyncIterable<FoundObject>, changes: AsyncIterable<Change>): AsyncGenerator<FoundObject> {
  const walk = changes[Symbol.asyncIterator]();
  try {
    let change = await walk.next();
    for await (const found of objects) {
      const key = Buffer.from(found.path);
      let order = 1;
      for (; !change.done; change = await walk.next()) {
        order = Buffer.compare(change.value.key, key);
        if (order >= 0) break;
        if (change.value.object) yield change.value.object;
      }
      if (change.done || order !== 0) yield found;
    }
    for (; !change.done; change = await walk.next()) if (change.value.object) yield change.value.object;
  } finally {
    await walk.return?.();
  }
}
