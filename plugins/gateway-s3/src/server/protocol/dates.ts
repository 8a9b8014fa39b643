/** Points in time as the protocol writes them. */

/** `2006-01-02T15:04:05.000Z`, in XML. */
export function xmlDate(date: Date): string {
  return date.toISOString();
}

/** `Mon, 02 Jan 2006 15:04:05 GMT`, in headers. */
export function httpDate(date: Date): string {
  return date.toUTCString();
}

/** `20060102T150405Z`; `undefined` for anything else or a day that does not exist. */
export function parseAmzDate(text: string): Date | undefined {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text);
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  // Parts that are too large would have moved on to the next day, and years before 100 to another century.
  const isSame = date.getUTCDate() === day && date.getUTCMonth() === month - 1 && hour < 24 && minute < 60 && second < 60;
  return isSame && year >= 100 ? date : undefined;
}

export function amzDate(date: Date): string {
  return date.toISOString().replace(/[-:]|\.\d{3}/g, '');
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** RFC 1123 with `GMT`, `UTC` or a numeric zone. */
export function parseHttpDate(text: string): Date | undefined {
  const match = /^(?:[A-Za-z]{3}, *)?(\d{1,2}) ([A-Za-z]{3}) (\d{4}) (\d\d):(\d\d):(\d\d) (GMT|UTC|[+-]\d{4})$/.exec(text.trim());
  if (!match) return undefined;
  const [, day, name, year, hour, minute, second, zone = ''] = match;
  const month = months.indexOf((name ?? '').toLowerCase());
  if (month < 0) return undefined;
  const offset = /^[+-]/.test(zone) ? Number(`${zone[0]}1`) * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3))) : 0;
  const time = Date.UTC(Number(year), month, Number(day), Number(hour), Number(minute), Number(second)) - offset * 60_000;
  return Number.isNaN(time) ? undefined : new Date(time);
}
