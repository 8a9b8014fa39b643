/** The sizes that DynamoDB allows, in bytes; what exceeds them is refused before it is sent. */
import { SrvError } from '@srv/kernel';

const maxPartitionBytes = 2048;
export const maxKeyBytes = 1024;
const maxItemBytes = 400 * 1024;
/** Names count as part of an item. */
const attributeNameBytes = 'PartitionKeyItemKeyItemValue'.length;

/** @throws SrvError `invalid` with the size and the limit. */
export function checkSizes(partition: Buffer, key: Buffer, value?: Buffer): void {
  check('partition', partition.length, maxPartitionBytes);
  check('key', key.length, maxKeyBytes);
  if (value) check('item', attributeNameBytes + partition.length + key.length + value.length, maxItemBytes);
}

function check(what: string, size: number, limit: number): void {
  if (size > limit) throw new SrvError('invalid', `${what} of ${size} bytes: DynamoDB holds at most ${limit}`);
}
