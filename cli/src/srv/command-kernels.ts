/** The kernels that commands of plugins work with. */
import { messageOf } from '@srv/kernel';
import type { Kernel } from '@srv/kernel';
import type { KernelWanted } from '@srv/lib-commands';
import type { SrvFlags } from './flags.js';
import { ownPluginsKernel, quietLog, serverKernel } from './server-kernel.js';
import { warn } from './warn.js';

export class CommandKernels {
  #loaded: Kernel | undefined;

  /** @param loaded to find the commands, without options of the command line but `--config`; absent: plugins cannot be loaded. */
  constructor(loaded: Kernel | undefined) {
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
    try {
      return await serverKernel(flags, { switches: {} }).load();
    } catch (error) {
      const own = await ownPluginsKernel(flags);
      warn(`only the plugins of srv itself are loaded: ${messageOf(error)}`);
      return own;
    }
  }

  async #load(
    flags: SrvFlags,
    { inTrouble, quiet }: Required<Omit<KernelWanted, 'prepare'>>,
  ): Promise<{ readonly kernel: Kernel; readonly problem?: unknown }> {
    const found = this.#loaded;
    this.#loaded = undefined;
    const options = quiet ? { overrides: quietLog } : {};
    if (found && quiet && flags.localSettings === undefined && flags.quickstart === undefined) return { kernel: found };
    try {
      return { kernel: await serverKernel(flags, options).load() };
    } catch (problem) {
      if (!inTrouble) throw problem;
      return { kernel: await ownPluginsKernel(flags, options), problem };
    }
  }
}
