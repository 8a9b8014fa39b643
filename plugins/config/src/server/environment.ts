/** Configuration from environment variables: `SRV_` and the key in upper case with `.` replaced by `_`. */
import { envName, nearest } from '@srv/kernel';
import { featureKeys, featureOfKey } from './feature-keys.js';
import type { ConfigEntry, SourceContext } from '@srv/kernel';

/** Entries of the declared keys and their aliases; an empty variable counts as unset. */
export function environmentEntries({ names, env }: Pick<SourceContext, 'names' | 'env'>): ConfigEntry[] {
  // Of two spellings of one key the proper name must win, so it comes last.
  const spellings = [...names].sort(([a, keyA], [b, keyB]) => Number(a === keyA) - Number(b === keyB));
  return spellings.flatMap(([spelling, key]) => {
    const variable = envName(spelling);
    const raw = env[variable];
    return raw === undefined || raw === '' ? [] : [{ key, raw, source: variable }];
  });
}

/** Variables of the tests of this project, and those that container platforms set for a service called `srv`. */
const otherNames = /^SRV_(TEST_|FUZZ_|SCHEDULES$)|_SERVICE_(HOST|PORT)(_|$)|_PORT_\d+_(TCP|UDP|SCTP)(_|$)/;
const otherValues = /^(tcp|udp|sctp):\/\//;

/** An entry with a note for each variable `SRV_…` that no declared key reads: it may be a slip of the finger. */
export function unreadVariables({ names, env }: Pick<SourceContext, 'names' | 'env'>): ConfigEntry[] {
  const read = new Set([...names.keys()].map(envName));
  const features = new Map(featureKeys.map(key => [envName(key), key]));
  return Object.entries(env).flatMap(([variable, raw]) => {
    if (!variable.startsWith('SRV_') || raw === undefined || raw === '' || read.has(variable)) return [];
    if (otherNames.test(variable) || otherValues.test(raw)) return [];
    const key = features.get(variable);
    const feature = key === undefined ? undefined : featureOfKey(key);
    const suggestion = nearest(variable, [...read, ...features.keys()]);
    const note =
      feature === undefined
        ? `${variable} has no effect: no key has this name${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}`
        : `${variable} has no effect: the feature ${feature} is not installed`;
    return [{ key: variable, raw, source: variable, note }];
  });
}
