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
