/** A kernel of the server's plugins. */
import { Kernel } from '@srv/kernel';
import type { KernelOptions } from '@srv/kernel';
import { pluginPlaces } from '../places.js';
import type { SrvFlags } from './main.js';

export function serverKernel(
  { config, localSettings, quickstart }: SrvFlags,
  options: Partial<KernelOptions> & { readonly readOnly?: boolean } = {},
): Kernel {
  const { readOnly, ...rest } = options;
  const flags = { config, 'local-settings': localSettings, quickstart, 'read-only': readOnly };
  return new Kernel({ part: 'server', places: pluginPlaces(), flags, ...rest });
}
