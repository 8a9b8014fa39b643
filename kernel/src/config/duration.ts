/** Go-style durations (`1h30m`, `300ms`), held as milliseconds. */

const unitInMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/**
 * Milliseconds of a Go-style duration: a signed sequence of decimal numbers with a unit (`ns us ms s m h`), or `0`.
 * `undefined` when the text is not a duration.
 */
export function parseDuration(text: string): number | undefined {
  const [, sign = '', body = ''] = /^([+-]?)(.+)$/.exec(text.trim()) ?? [];
  if (body === '0') return 0;
  const terms = [...body.matchAll(/(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/gy)];
  if (terms.length === 0 || terms.map(([term]) => term).join('') !== body) return undefined;
  const total = terms.reduce((sum, [, amount, unit = '']) => sum + Number(amount) * (unitInMs[unit] ?? 0), 0);
  return sign === '-' ? -total : total;
}

/** The shortest Go-style text of a duration in milliseconds: `168h`, `1m`, `3ms`, `0s`. */
export function formatDuration(ms: number): string {
  if (ms === 0) return '0s';
  if (ms < 0) return `-${formatDuration(-ms)}`;
  if (ms < 1) return `${Math.round(ms * 1e6)}ns`;
  if (ms % 1000 !== 0) return ms < 1000 ? `${ms}ms` : `${ms / 1000}s`;
  const [hours, minutes, seconds] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1000) % 60];
  return [hours && `${hours}h`, minutes && `${minutes}m`, seconds && `${seconds}s`].filter(Boolean).join('');
}
