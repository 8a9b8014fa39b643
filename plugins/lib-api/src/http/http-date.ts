/** Dates in headers. */

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
