/** `srv config show`. */
import { formatDuration } from '@srv/kernel';
import type { Kernel } from '@srv/kernel';

/**
 * One `key: value` line per key: a configuration file again, except for masked secrets.
 * @param sources names where each value comes from.
 */
export function shownConfig(kernel: Kernel, sources: boolean): string {
  const types = new Map(kernel.sections.flatMap(({ keys }) => Object.entries(keys)).map(([name, { type }]) => [name, type]));
  const lines = kernel.config.show().map(({ key, value, source }) => {
    const shown = types.get(key) === 'duration' && typeof value === 'number' ? formatDuration(value) : value;
    return { text: `${key}: ${JSON.stringify(shown ?? null)}`, source };
  });
  const width = Math.min(60, Math.max(...lines.map(({ text }) => text.length)));
  return lines.map(({ text, source }) => (sources ? `${text.padEnd(width)}  # ${source}` : text)).join('\n');
}
