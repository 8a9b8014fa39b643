/** `srv config show`. */
import { formatDuration } from '@srv/kernel';
import type { SrvFlags } from './flags.js';
import { serverKernel } from './server-kernel.js';

/** One `key: value` line per key: a configuration file again, except for masked secrets. */
export async function showConfig({ sources, ...flags }: SrvFlags & { readonly sources?: boolean }): Promise<string> {
  const kernel = await serverKernel(flags).load();
  await kernel.configure();
  const types = new Map(kernel.sections.flatMap(({ keys }) => Object.entries(keys)).map(([name, { type }]) => [name, type]));
  const lines = kernel.config.show().map(({ key, value, source }) => {
    const shown = types.get(key) === 'duration' && typeof value === 'number' ? formatDuration(value) : value;
    return { text: `${key}: ${JSON.stringify(shown ?? null)}`, source };
  });
  const width = Math.min(60, Math.max(...lines.map(({ text }) => text.length)));
  return lines.map(({ text, source }) => (sources ? `${text.padEnd(width)}  # ${source}` : text)).join('\n');
}
