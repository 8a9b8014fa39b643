/** `srv kv scan`: records of a partition, taken apart by the plugins that write them. */
import { messageOf } from '@srv/kernel';
import { withStore } from './store.js';
import type { Kernel, KvEntry } from '@srv/kernel';
import type { ServerCommandContext } from '@srv/lib-commands';

interface ScanOptions {
  readonly prefix: string;
  /** Records at most; 0: all. */
  readonly limit: number;
  /** Shows values as stored, in base64. */
  readonly raw: boolean;
}

/** Prints a line of JSON per record: `key` and what is known of the value. @returns how many. */
export async function scan(context: ServerCommandContext, partition: string, { prefix, limit, raw }: ScanOptions): Promise<number> {
  const first = Buffer.from(prefix);
  return withStore(context, async (kv, kernel) => {
    let count = 0;
    for await (const page of kv.scan(partition, first.length > 0 ? { start: first } : {})) {
      for (const entry of page) {
        if (!entry.key.subarray(0, first.length).equals(first) || (limit > 0 && count === limit)) return count;
        context.print(
          JSON.stringify({ key: entry.key.toString('utf8'), ...(raw ? undescribed(entry) : describe(kernel, partition, entry)) }),
        );
        count++;
      }
    }
    return count;
  });
}

function describe({ hooks }: Kernel, partition: string, entry: KvEntry): object {
  try {
    const record = hooks.describeRecord.call(partition, entry);
    return record === undefined ? undescribed(entry) : { record };
  } catch (error) {
    return { problem: messageOf(error), ...undescribed(entry) };
  }
}

function undescribed({ value }: KvEntry): object {
  return { value: value.toString('base64') };
}
