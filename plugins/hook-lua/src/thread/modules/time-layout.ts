/** Layouts of Go: a time is written as the moment Mon Jan 2 15:04:05 2006 -0700 would be. */
import { RE2JS } from 're2js';
import { LuaError } from '../lua-value.js';

export const isoLayout = '2006-01-02T15:04:05-07:00';

const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** Everything a layout can hold, longest first. */
const element =
  /January|Jan|Monday|Mon|MST|2006|Z07:00:00|Z070000|Z07:00|Z0700|Z07|-07:00:00|-070000|-07:00|-0700|-07|002|01|02|03|04|05|06|15|PM|pm|__2|_2006|_2|[.,]0+(?!\d)|[.,]9+(?!\d)|1|2|3|4|5/g;

interface Parts {
  year: number;
  /** From 1. */
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  nanosecond: number;
  /** Seconds east of Greenwich. */
  offset: number;
  zone: string;
  afternoon?: boolean;
}

const pad = (value: number, width: number, filler = '0'): string => String(value).padStart(width, filler);
const startOfYear = (year: number): number => Date.UTC(year, 0, 1);
const dayOfYear = ({ year, month, day }: Parts): number => (Date.UTC(year, month - 1, day) - startOfYear(year)) / 86_400_000 + 1;
const weekday = ({ year, month, day }: Parts): string => days[new Date(Date.UTC(year, month - 1, day)).getUTCDay()] ?? '';

/** @param zone `UTC`, `Local`, or a name such as `Europe/Berlin`. */
export function formatTime(nanoseconds: bigint, layout: string, zone: string): string {
  const parts = partsOf(nanoseconds, zone);
  return layout.replaceAll(element, name => write(name, parts));
}

function partsOf(nanoseconds: bigint, zone: string): Parts {
  const billion = 1_000_000_000n;
  const nanosecond = ((nanoseconds % billion) + billion) % billion;
  const seconds = Number((nanoseconds - nanosecond) / billion);
  const { offset, name } = zoneAt(seconds, zone);
  const local = new Date((seconds + offset) * 1000);
  return {
    year: local.getUTCFullYear(),
    month: local.getUTCMonth() + 1,
    day: local.getUTCDate(),
    hour: local.getUTCHours(),
    minute: local.getUTCMinutes(),
    second: local.getUTCSeconds(),
    nanosecond: Number(nanosecond),
    offset,
    zone: name,
  };
}

function zoneAt(seconds: number, zone: string): { readonly offset: number; readonly name: string } {
  if (zone === 'UTC') return { offset: 0, name: 'UTC' };
  const timeZone = zone === 'Local' ? undefined : zone;
  const shown = (timeZoneName: 'longOffset' | 'short', locale = 'en-US'): string => {
    try {
      const format = new Intl.DateTimeFormat(locale, { timeZoneName, timeZone });
      return format.formatToParts(seconds * 1000).find(part => part.type === 'timeZoneName')?.value ?? '';
    } catch {
      throw new LuaError(`unknown time zone ${zone}`);
    }
  };
  const [, sign = '+', hours = '0', minutes = '0', rest = '0'] = /GMT([+-])(\d+):(\d+)(?::(\d+))?/.exec(shown('longOffset')) ?? [];
  const offset = Number(`${sign}1`) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(rest));
  // Each locale knows the abbreviations of its own part of the world.
  const name = [shown('short'), shown('short', 'en-GB'), shown('short', 'en-AU')].find(text => /^[A-Z]+$/.test(text));
  return { offset, name: name ?? zoneOffset('-07', { offset }) };
}

function write(name: string, parts: Parts): string {
  const month = months[parts.month - 1] ?? '';
  const hour = parts.hour % 12 === 0 ? 12 : parts.hour % 12;
  switch (name) {
    case 'January':
      return month;
    case 'Jan':
      return month.slice(0, 3);
    case '01':
      return pad(parts.month, 2);
    case '1':
      return String(parts.month);
    case 'Monday':
      return weekday(parts);
    case 'Mon':
      return weekday(parts).slice(0, 3);
    case 'MST':
      return parts.zone;
    case '2006':
      return pad(parts.year, 4);
    case '_2006':
      return `_${pad(parts.year, 4)}`;
    case '06':
      return pad(parts.year % 100, 2);
    case '02':
      return pad(parts.day, 2);
    case '_2':
      return pad(parts.day, 2, ' ');
    case '2':
      return String(parts.day);
    case '002':
      return pad(dayOfYear(parts), 3);
    case '__2':
      return pad(dayOfYear(parts), 3, ' ');
    case '15':
      return pad(parts.hour, 2);
    case '03':
      return pad(hour, 2);
    case '3':
      return String(hour);
    case '04':
      return pad(parts.minute, 2);
    case '4':
      return String(parts.minute);
    case '05':
      return pad(parts.second, 2);
    case '5':
      return String(parts.second);
    case 'PM':
      return parts.hour >= 12 ? 'PM' : 'AM';
    case 'pm':
      return parts.hour >= 12 ? 'pm' : 'am';
    default:
      return name.startsWith('.') || name.startsWith(',') ? fraction(name, parts) : zoneOffset(name, parts);
  }
}

/** `.000` writes three digits, `.999` at most three, without zeros at the end. */
function fraction(name: string, { nanosecond }: Parts): string {
  const digits = pad(nanosecond, 9)
    .slice(0, name.length - 1)
    .padEnd(name.length - 1, '0');
  if (name[1] === '0') return `${name[0]}${digits}`;
  const trimmed = digits.replace(/(?<!0)0+$/, '');
  return trimmed === '' ? '' : `${name[0]}${trimmed}`;
}

function zoneOffset(name: string, { offset }: Pick<Parts, 'offset'>): string {
  if (name.startsWith('Z') && offset === 0) return 'Z';
  const all = Math.abs(offset);
  const numbers = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60].map(value => pad(value, 2));
  const colon = name.includes(':') ? ':' : '';
  const count = name.replaceAll(/[^0-9]/g, '').length / 2;
  return `${offset < 0 ? '-' : '+'}${numbers.slice(0, count).join(colon)}`;
}

/** What a text means. */
type Reader = (text: string) => Partial<Parts>;

/** What each element reads, as an expression, and what it means. */
const readers: Readonly<Record<string, readonly [form: string, read: Reader]>> = {
  '2006': ['\\d{4}', t => ({ year: Number(t) })],
  '06': ['\\d{2}', t => ({ year: Number(t) >= 69 ? 1900 + Number(t) : 2000 + Number(t) })],
  January: [months.join('|'), t => ({ month: monthOf(t) })],
  Jan: [months.map(name => name.slice(0, 3)).join('|'), t => ({ month: monthOf(t) })],
  '01': ['\\d{2}', t => ({ month: Number(t) })],
  '1': ['\\d{1,2}', t => ({ month: Number(t) })],
  Monday: [days.join('|'), () => ({})],
  Mon: [days.map(name => name.slice(0, 3)).join('|'), () => ({})],
  '02': ['\\d{2}', t => ({ day: Number(t) })],
  _2: [' ?\\d{1,2}', t => ({ day: Number(t) })],
  '2': ['\\d{1,2}', t => ({ day: Number(t) })],
  '15': ['\\d{2}', t => ({ hour: Number(t) })],
  '03': ['\\d{2}', t => ({ hour: Number(t) })],
  '3': ['\\d{1,2}', t => ({ hour: Number(t) })],
  '04': ['\\d{2}', t => ({ minute: Number(t) })],
  '4': ['\\d{1,2}', t => ({ minute: Number(t) })],
  '05': ['\\d{2}', t => ({ second: Number(t) })],
  '5': ['\\d{1,2}', t => ({ second: Number(t) })],
  PM: ['AM|PM', t => ({ afternoon: t.toUpperCase() === 'PM' })],
  pm: ['am|pm', t => ({ afternoon: t.toUpperCase() === 'PM' })],
  MST: ['[A-Z]{3,4}', () => ({})],
};

const monthOf = (text: string): number => months.findIndex(name => name.slice(0, 3).toLowerCase() === text.slice(0, 3).toLowerCase()) + 1;

/** @returns nanoseconds since 1970. @throws LuaError when the text does not follow the layout. */
export function parseTime(layout: string, text: string): bigint {
  const actions: Reader[] = [];
  const add = (form: string, read: Reader): string => {
    actions.push(read);
    return `(${form})`;
  };
  let form = '';
  let at = 0;
  for (const { 0: name, index } of layout.matchAll(element)) {
    form += literal(layout.slice(at, index));
    at = index + name.length;
    const reader = Object.hasOwn(readers, name) ? readers[name] : undefined;
    if (reader) form += add(...reader);
    else if (/^[.,]/.test(name)) form += add(name[1] === '0' ? `[.,]\\d{${name.length - 1}}` : '(?:[.,]\\d+)?', readFraction);
    else if (/^[Z-]/.test(name)) form += add(offsetForm(name), readOffset);
    else form += literal(name);
    // Seconds may have a fraction that the layout does not show.
    if ((name === '05' || name === '5') && !/^[.,][09]/.test(layout.slice(at))) form += add('(?:[.,]\\d+)?', readFraction);
  }
  const found = RE2JS.compile(`${form}${literal(layout.slice(at))}`, RE2JS.CASE_INSENSITIVE).matcher(text);
  const refused = `parsing time ${JSON.stringify(text)} as ${JSON.stringify(layout)}`;
  if (!found.matches()) throw new LuaError(`${refused}: the text does not follow the layout`);
  const parts: Parts = { year: 0, month: 1, day: 1, hour: 0, minute: 0, second: 0, nanosecond: 0, offset: 0, zone: 'UTC' };
  for (const [i, read] of actions.entries()) Object.assign(parts, read(found.group(i + 1) ?? ''));
  if (parts.afternoon !== undefined) parts.hour = (parts.hour % 12) + (parts.afternoon ? 12 : 0);
  const problem = outOfRange(parts);
  if (problem) throw new LuaError(`${refused}: ${problem} out of range`);
  const date = new Date(0);
  date.setUTCFullYear(parts.year, parts.month - 1, parts.day);
  date.setUTCHours(parts.hour, parts.minute, parts.second);
  return BigInt(date.getTime() / 1000 - parts.offset) * 1_000_000_000n + BigInt(parts.nanosecond);
}

const literal = (text: string): string => text.replaceAll(/[\\.+*?()|[\]{}^$/-]/g, String.raw`\$&`);

function readFraction(text: string): Partial<Parts> {
  return text === '' ? {} : { nanosecond: Number(text.slice(1, 10).padEnd(9, '0')) };
}

function offsetForm(name: string): string {
  const colon = name.includes(':') ? ':' : '';
  const numbers = `[+-]${Array.from({ length: name.replaceAll(/[^0-9]/g, '').length / 2 }, () => '\\d{2}').join(colon)}`;
  return name.startsWith('Z') ? `Z|${numbers}` : numbers;
}

function readOffset(text: string): Partial<Parts> {
  if (text.toUpperCase() === 'Z') return {};
  const [hours = 0, minutes = 0, seconds = 0] = [...text.matchAll(/\d{2}/g)].map(([number]) => Number(number));
  return { offset: (text.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60 + seconds) };
}

function outOfRange({ year, month, day, hour, minute, second }: Parts): string | undefined {
  if (month < 1 || month > 12) return 'month';
  const date = new Date(0);
  date.setUTCFullYear(year, month, 0);
  if (day < 1 || day > date.getUTCDate()) return 'day';
  if (hour > 23) return 'hour';
  if (minute > 59) return 'minute';
  return second > 59 ? 'second' : undefined;
}
