/** `time`: moments in nanoseconds since 1970, as numbers, and their text in layouts of Go. */
import { LuaError, bytesOf } from '../lua-value.js';
import { formatTime, isoLayout, parseTime } from './time-layout.js';
import type { Arguments, LuaModules } from '../arguments.js';
import type { ServerLink } from '../server-link.js';

const millisecond = 1e6;
const units = { hour: 3600e9, minute: 60e9, second: 1e9 };

export function timeModules(link: Pick<ServerLink, 'sleep'>): LuaModules {
  const now = (): number => Math.round((performance.timeOrigin + performance.now()) * 1000) * 1000;
  return {
    time: {
      now: () => [now()],
      format: args => [bytesOf(formatTime(nanoseconds(args, 1), args.short(2), args.optionalText(3) || 'UTC'))],
      format_iso: args => [bytesOf(formatTime(nanoseconds(args, 1), isoLayout, args.optionalText(2) || 'UTC'))],
      sleep: args => {
        link.sleep(Math.max(0, args.number(1) / millisecond));
        return [];
      },
      since: args => [now() - args.number(1)],
      add: args => {
        const added = args.table(2);
        const parts = Object.entries(units).map(([name, unit]) => Number(added.get(name) ?? 0) * unit);
        return [parts.reduce((sum, part) => sum + part, args.number(1))];
      },
      parse: args => [Number(parseTime(args.short(1), args.short(2)))],
      parse_iso: args => [Number(parseTime(isoLayout, args.short(1)))],
    },
  };
}

function nanoseconds(args: Arguments, at: number): bigint {
  const value = args.number(at);
  if (!Number.isFinite(value) || Math.abs(value) > 8.64e21) throw new LuaError(`bad argument #${at} (${value} is not a time)`);
  return BigInt(Math.trunc(value));
}
