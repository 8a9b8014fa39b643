/** Texts of values that several formats store: numbers, times and bytes, exactly. */

/** A value that is not nested. */
export interface Leaf {
  readonly text: string;
  /** To be quoted among other values. */
  readonly isText: boolean;
}

export const plain = (text: string): Leaf => ({ text, isText: false });
export const quoted = (text: string): Leaf => ({ text, isText: true });

export const integer = (value: unknown): bigint => (typeof value === 'bigint' ? value : BigInt(Math.trunc(Number(value))));

export function decimal(unscaled: bigint, scale: number): string {
  const sign = unscaled < 0n ? '-' : '';
  const digits = String(unscaled < 0n ? -unscaled : unscaled);
  if (scale <= 0) return sign + digits + '0'.repeat(digits === '0' ? 0 : -scale);
  const padded = digits.padStart(scale + 1, '0');
  return `${sign}${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
}

/** Big endian, two's complement. */
export function signed(bytes: Uint8Array): bigint {
  if (bytes.length === 0) return 0n;
  return BigInt.asIntN(bytes.length * 8, BigInt(`0x${hex(bytes)}`));
}

const pad = (value: bigint | number | string, width: number): string => String(value).padStart(width, '0');

/** @param digits of the fraction of a second. */
export function timeOfDay(units: bigint, digits: number): string {
  const perSecond = 10n ** BigInt(digits);
  const [seconds, fraction] = [units / perSecond, units % perSecond];
  return `${pad(seconds / 3600n, 2)}:${pad((seconds / 60n) % 60n, 2)}:${pad(seconds % 60n, 2)}${digits === 0 ? '' : `.${pad(fraction, digits)}`}`;
}

export function timestamp(units: bigint, digits: number, isUtc: boolean): string {
  const perDay = 86_400n * 10n ** BigInt(digits);
  const inDay = ((units % perDay) + perDay) % perDay;
  return `${date((units - inDay) / perDay)}T${timeOfDay(inDay, digits)}${isUtc ? 'Z' : ''}`;
}

/** Proleptic Gregorian, for any number of days since 1970; years before 1 and after 9999 have a sign. */
export function date(days: bigint): string {
  // Days since the first of March of the year 0, in cycles of 400 years.
  const shifted = days + 719_468n;
  const cycle = (shifted >= 0n ? shifted : shifted - 146_096n) / 146_097n;
  const day = Number(shifted - cycle * 146_097n);
  const year = Math.floor((day - Math.floor(day / 1460) + Math.floor(day / 36_524) - Math.floor(day / 146_096)) / 365);
  const dayOfYear = day - (365 * year + Math.floor(year / 4) - Math.floor(year / 100));
  const month = Math.floor((5 * dayOfYear + 2) / 153);
  const dayOfMonth = dayOfYear - Math.floor((153 * month + 2) / 5) + 1;
  const shown = month < 10 ? month + 3 : month - 9;
  const fullYear = BigInt(year) + cycle * 400n + (shown <= 2 ? 1n : 0n);
  const isPlain = fullYear >= 0n && fullYear <= 9999n;
  const sign = isPlain ? '' : fullYear < 0n ? '-' : '+';
  return `${sign}${pad(fullYear < 0n ? -fullYear : fullYear, isPlain ? 4 : 6)}-${pad(shown, 2)}-${pad(dayOfMonth, 2)}`;
}

export function float16(bytes: Uint8Array): number {
  const bits = (bytes[0] ?? 0) | ((bytes[1] ?? 0) << 8);
  const sign = bits >> 15 === 0 ? 1 : -1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return (sign * fraction) / 2 ** 24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : Number.NaN;
  return sign * 2 ** (exponent - 15) * (1 + fraction / 1024);
}

export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, byte => pad(byte.toString(16), 2)).join('');
}

/** `undefined` for bytes that people would not take for a text. */
export function printable(bytes: Uint8Array): string | undefined {
  const text = utf8(bytes);
  return text === undefined || /[^\P{C}\t\n\r]/u.test(text) ? undefined : text;
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** `undefined` for bytes that are not UTF-8. */
export function utf8(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Months, days and milliseconds, in the notation of ISO 8601. */
export function interval(bytes: Uint8Array): string {
  if (bytes.length !== 12) return `0x${hex(bytes)}`;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const [months, days, millis] = [view.getUint32(0, true), view.getUint32(4, true), view.getUint32(8, true)];
  const time = millis === 0 ? '' : `T${Math.floor(millis / 1000)}.${pad(millis % 1000, 3)}S`;
  const text = `${months > 0 ? `${months}M` : ''}${days > 0 ? `${days}D` : ''}${time}`;
  return `P${text === '' ? '0D' : text}`;
}
