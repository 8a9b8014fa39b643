/** How values are shown to people. */

/** `12,345`. Takes whole numbers; the first use of the browser's own formats would take longer than drawing a list. */
export const grouped = (value: number): string => String(value).replace(/\B(?=(?:\d{3})+$)/g, ',');

/** Made when first needed, and once. */
let ages: Intl.RelativeTimeFormat | undefined;

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** @param bytes of an object. */
export function sizeText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return unit === 0 ? `${value} B` : `${value.toFixed(value < 10 ? 1 : 0)} ${units[unit] ?? ''}`;
}

const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** @param seconds since 1970. @param now milliseconds since 1970. */
export function agoText(seconds: number, now: number): string {
  const passed = Math.round(now / 1000 - seconds);
  const [unit, length] = steps.find(([, step]) => Math.abs(passed) >= step) ?? ['second', 1];
  if (unit === 'second') return passed < 0 ? 'in a moment' : 'just now';
  ages ??= new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  return ages.format(-Math.trunc(passed / length), unit);
}

export const counted = (count: number, one: string, many = `${one}s`): string => `${grouped(count)} ${count === 1 ? one : many}`;

/** What makes a name look like another: control characters, what turns the direction of writing, is empty, or is as wide as a space. */
const misleading =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u001f\u007f-\u00a0\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u2000-\u200f\u2028-\u202f\u205f-\u2069\u2800\u3164\ufeff\uffa0]|(?<= ) /gu;

/** A name as it is shown: what cannot be seen in it is spelled out. */
export function shownName(name: string): string {
  return name.split('/').map(shownPart).join('/');
}

/** The name of a table's column, which may be empty. */
export function shownColumn(name: string): string {
  return name === '' ? '(no name)' : shownName(name);
}

/** @param part of a path: also white space around it cannot be seen. */
function shownPart(part: string): string {
  const start = part.length - part.trimStart().length;
  const end = Math.max(start, part.trimEnd().length);
  return spelledOut(part.slice(0, start)) + part.slice(start, end).replace(misleading, spelledOut) + spelledOut(part.slice(end));
}

/** What is in no line of a text, but for white space, which has a meaning there. */
const invisible =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\u3164\ufeff\uffa0]/gu;

/** Lines as they are shown, such as those that a program prints: what cannot be seen in them is spelled out, white space stays. */
export function shownText(text: string): string {
  return text.replace(invisible, spelledOut);
}

function spelledOut(text: string): string {
  return Array.from(text, char => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`).join('');
}

const shortLength = 12;
/** Ids of commits are cut; names are not. */
export const shortRef = (ref: string): string => (/^[0-9a-f]{64}$/.test(ref) ? ref.slice(0, shortLength) : ref);
