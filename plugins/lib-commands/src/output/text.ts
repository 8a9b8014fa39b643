/** Dates, sizes and padding as people read them. */

/** `2006-01-02 15:04:05 -0700 MST` in local time. @param seconds Unix time. */
export function formatDate(seconds: number): string {
  const date = new Date(seconds * 1000);
  const two = (value: number): string => String(Math.abs(value)).padStart(2, '0');
  const offset = -date.getTimezoneOffset();
  const zone = `${offset < 0 ? '-' : '+'}${two(Math.trunc(offset / 60))}${two(offset % 60)}`;
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())} ${zone} ${zoneName(date, zone)}`;
}

/** Short names by long ones: asking for the first one loads the tables of all zones, which takes longer than a request. */
const zoneNames = new Map([['Coordinated Universal Time', 'UTC']]);

function zoneName(date: Date, zone: string): string {
  const long = /\(([^(]*)\)$/.exec(date.toString())?.[1] ?? '';
  let name = zoneNames.get(long);
  if (name === undefined) {
    const parts = new Intl.DateTimeFormat('en-US', { timeZoneName: 'short' }).formatToParts(date);
    name = parts.find(part => part.type === 'timeZoneName')?.value ?? '';
    zoneNames.set(long, name);
  }
  return /^[A-Z]{1,4}$/.test(name) ? name : zone.slice(1);
}

const units = 'kMGTPE';

/** Base 1000, one decimal: `999 B`, `1.0 kB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  let value = bytes;
  let unit = -1;
  do {
    value /= 1000;
    unit++;
  } while (Math.round(value * 10) >= 10_000 && unit < units.length - 1);
  return `${value.toFixed(1)} ${units.charAt(unit)}B`;
}

/** Lines `label value`, values below one another; absent values are left out. */
export function labelled(pairs: readonly (readonly [label: string, value: string | number | undefined])[]): string {
  const present = pairs.filter(([, value]) => value !== undefined);
  const width = Math.max(0, ...present.map(([label]) => label.length)) + 2;
  return present.map(([label, value]) => `${`${label}:`.padEnd(width)}${value}`.trimEnd()).join('\n');
}

/** Control characters as JSON escapes them: a terminal does not obey them, and a value stays in its line. */
export function inOneLine(text: string): string {
  return text.replace(/\p{Cc}/gu, escaped);
}

/**
 * A value as one word to be pasted into a shell, which runs nothing that a name may hold: in double quotes, or in single ones where
 * double quotes would not keep it as it is. Control characters are escaped.
 */
export function pastedWord(text: string): string {
  const line = inOneLine(text);
  return /["$`\\!]/.test(line) ? `'${line.replaceAll("'", "'\\''")}'` : `"${line}"`;
}

/** Lines that a terminal shows without obeying them, but for colours: names may hold anything. */
export function forTerminal(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
  return text.replace(/\x1b\[[\d;]*m|[^\P{Cc}\n\t]/gu, found => (found.length > 1 ? found : escaped(found)));
}

function escaped(character: string): string {
  const text = JSON.stringify(character).slice(1, -1);
  return text === character ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}` : text;
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
