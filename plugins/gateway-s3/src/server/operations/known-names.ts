/** Names of operations, for those who tap them. */
import { SrvError, noSuch, tappedKeys } from '@srv/kernel';
import { operations } from './index.js';

const names: readonly string[] = [...new Set(Object.values(operations).flatMap(list => list.map(({ name }) => name)))].sort();

/**
 * A tap of an operation that no request leads to would never be called.
 * @param taps hook map by names of operations.
 * @throws SrvError `plugin` that suggests the nearest name.
 */
export function refuseUnknownOperations(taps: object): void {
  for (const name of tappedKeys(taps))
    if (!names.includes(name)) throw new SrvError('plugin', noSuch('gatewayOperation has no key', name, names));
}
