/** The kernels that commands of plugins work with. */
import { messageOf } from '@srv/kernel';
import { pluginPlaces } from '../places.js';
import { loadedOrOwn, ownPluginsKernel, quietLog, serverKernel } from './server-kernel.js';
import { warn } from './warn.js';
import type { ConfigEntry, Kernel } from '@srv/kernel';
import type { KernelWanted } from '@srv/lib-commands';
import type { SrvFlags } from './flags.js';

/** A kernel that was loaded to find the commands, without options of the command line but `--config`. */
interface Loaded {
  readonly kernel: Kernel;
  /** Of the kernel, which reads them with its configuration. */
  readonly overrides: ConfigEntry[];
}

export class CommandKernels {
  #loaded: Loaded | undefined;

  /** @param loaded what the first command uses; absent: plugins cannot be loaded. */
  constructor(loaded: Loaded | undefined) {
    this.#loaded = loaded;
  }

  async configured(flags: SrvFlags, { prepare = true, inTrouble = false, quiet = true }: KernelWanted): Promise<Kernel> {
    const { kernel, problem } = await this.#load(flags, { inTrouble, quiet });
    if (prepare) await kernel.prepare();
    await kernel.configure();
    // A problem of the configuration has been reported by now.
    if (problem !== undefined) warn(`only the plugins of srv itself are loaded: ${messageOf(problem)}`);
    return kernel;
  }

  async every(flags: SrvFlags): Promise<Kernel> {
    // Without switches `plugins.paths` is not read again.
    const found = this.#loaded?.kernel.plugins ?? [];
    const paths = found.filter(({ manifest }) => manifest.origin === 'path').map(({ manifest }) => manifest.folder);
    return loadedOrOwn(flags, () => serverKernel(flags, { switches: {}, places: { ...pluginPlaces(), paths } }).load());
  }

  async #load(
    flags: SrvFlags,
    { inTrouble, quiet }: Required<Omit<KernelWanted, 'prepare'>>,
  ): Promise<{ readonly kernel: Kernel; readonly problem?: unknown }> {
    const found = this.#loaded;
    this.#loaded = undefined;
    const options = quiet ? { overrides: quietLog } : {};
    if (found && flags.localSettings === undefined && flags.quickstart === undefined) {
      if (!quiet) found.overrides.length = 0;
      return { kernel: found.kernel };
    }
    try {
      return { kernel: await serverKernel(flags, options).load() };
    } catch (problem) {
      if (!inTrouble) throw problem;
      return { kernel: await ownPluginsKernel(flags, options), problem };
    }
  }
}
