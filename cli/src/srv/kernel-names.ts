/** What `srv repl` adds to the names of the shell. */
import { inspect } from 'node:util';
import type { Kernel } from '@srv/kernel';

/** `kernel`, `config`, `services`, `hooks` and `untap`; each prints what a person looks for. */
export function kernelNames(kernel: Kernel): Record<string, unknown> {
  const { config, services, hooks } = kernel;
  show(config, () => Object.fromEntries(config.show().map(({ key, value }) => [key, value])));
  show(kernel, () => ({
    plugins: kernel.plugins.map(({ manifest }) => manifest.name),
    config: 'config',
    services: 'services',
    hooks: 'hooks',
  }));
  show(hooks, () => Object.fromEntries(Object.entries(hooks).map(([name, hook]) => [name, tapsOf(hook)])));
  for (const hook of Object.values(hooks)) show(hook as object, () => tapsOf(hook));
  return { kernel, config, services, hooks, untap: (name: string) => untap(Object.values(hooks), name) };
}

/** What tapable gives to those who remove a tap: it has no function for that. */
interface Tapped {
  taps?: { readonly name: string }[];
  _map?: ReadonlyMap<string, Tapped>;
  _resetCompilation?(): void;
}

/** Removes every tap of a name. @returns how many there were. */
function untap(hooks: readonly unknown[], name: string): number {
  let count = 0;
  for (const hook of hooks as readonly Tapped[]) {
    if (hook._map) count += untap([...hook._map.values()], name);
    if (!hook.taps || !hook._resetCompilation) continue;
    const left = hook.taps.filter(tap => tap.name !== name);
    count += hook.taps.length - left.length;
    hook.taps = left;
    hook._resetCompilation();
  }
  return count;
}

/** Only `util.inspect` sees it. */
function show(target: object, view: () => unknown): void {
  if (Object.isExtensible(target)) Object.defineProperty(target, inspect.custom, { configurable: true, value: view });
}

/** Plugins that tap a hook of tapable. */
function tapsOf(hook: unknown): readonly string[] {
  const { taps, _map: map } = Object(hook) as { taps?: readonly { readonly name: string }[]; _map?: ReadonlyMap<string, unknown> };
  if (taps) return taps.map(({ name }) => name);
  return map ? [...map].flatMap(([key, each]) => tapsOf(each).map(name => `${key}: ${name}`)) : [];
}

export const kernelHelp = `
In srv repl, in addition:
  kernel                  the server: its plugins, configuration, services and hooks
  config                  the configuration, secrets masked
  services.get('engine')  a service, as plugins get it
  hooks                   every hook with the plugins that tap it; to look at what happens:
                          hooks.event.for('post-commit').tap('me', event => console.log(event))
  untap('me')             removes what was tapped under a name
`;
