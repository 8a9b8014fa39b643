/** Lifecycle: load (discover, apply) -> configure -> start -> ready -> stop. */
import { pathToFileURL } from 'node:url';
import { Config, keyNames } from './config/index.js';
import { silentLogger } from './contracts/log.js';
import { findPlugins, orderPlugins, selectPlugins } from './discovery.js';
import { SrvError, messageOf } from './errors.js';
import { homeFolder } from './home.js';
import { createHooks } from './hooks.js';
import { withAuthenticateHook } from './identity.js';
import { layerOf } from './manifest.js';
import { availableTypes, kernelConfig, openConfigured, wrongTypes } from './open.js';
import { viewFor } from './plugin-view.js';
import { ServiceRegistry } from './services.js';
import { deadline, guardLifecycle, placeOf, tappedKeys, tapsOf } from './taps.js';
import type { ConfigEntry, ConfigSection, SourceContext } from './config/index.js';
import type { KvStore } from './contracts/kv.js';
import type { Logger } from './contracts/log.js';
import type { BrokenPlugin, Places, Selection, Switches } from './discovery.js';
import type { Entry, Manifest, Part } from './manifest.js';
import type { Plugin, PluginKernel } from './plugin.js';

export interface InlinePlugin {
  readonly plugin: Plugin;
  readonly section?: ConfigSection;
  readonly requires?: readonly string[];
}

export interface KernelOptions {
  readonly part: Part;
  readonly places?: Partial<Places>;
  readonly inline?: readonly InlinePlugin[];
  /** Instead of reading `plugins.*` from the configuration. */
  readonly switches?: Partial<Switches>;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly flags?: Readonly<Record<string, unknown>>;
  readonly cwd?: string;
  readonly home?: string;
  /** Values stronger than every source. */
  readonly overrides?: readonly ConfigEntry[];
  /** Milliseconds one plugin may take to start or stop. Defaults: 120000 and 35000. */
  readonly startTimeout?: number;
  readonly stopTimeout?: number;
  /** Loads a module of a plugin, by its absolute file name; absent: by `import`. */
  readonly importModule?: (file: string) => Promise<unknown>;
}

type State = 'new' | 'loaded' | 'configured' | 'started' | 'stopped';

export class Kernel implements PluginKernel {
  readonly hooks = createHooks();
  readonly services = new ServiceRegistry();
  readonly sections: ConfigSection[] = [kernelConfig];
  readonly #options: KernelOptions;
  readonly #applied = new Set<string>();
  readonly #stopFailures: readonly string[];
  readonly #closed = new Set<object>();
  #switches: Switches = { disabled: [], enabled: [] };
  #selections: readonly Selection[] = [];
  #paths: readonly string[] = [];
  #broken: readonly BrokenPlugin[] = [];
  #config: Config | undefined;
  #state: State = 'new';

  constructor(options: KernelOptions) {
    this.#options = options;
    const { startTimeout = 120_000, stopTimeout = 35_000 } = options;
    const before = (plugin: string): void => {
      this.#requireRunning();
      this.services.providedBy(plugin);
    };
    guardLifecycle(this.hooks.start, 'start', { limit: startTimeout, before });
    guardLifecycle(this.hooks.ready, 'ready', { limit: startTimeout, before: () => this.#requireRunning() });
    this.#stopFailures = guardLifecycle(this.hooks.stop, 'stop', { limit: stopTimeout, reverse: true });
  }

  /** Plugins found, in order of application, with the reason when one is off. */
  get plugins(): readonly Selection[] {
    return this.#selections;
  }

  /** What the configuration switches off, and what alone it allows, whatever part has these plugins. Known once loaded. */
  get switches(): Switches {
    return this.#switches;
  }

  /** Folders of plugins that the configuration names, whatever part these have. Known once loaded. */
  get pluginPaths(): readonly string[] {
    return this.#paths;
  }

  get broken(): readonly BrokenPlugin[] {
    return this.#broken;
  }

  /** @throws SrvError `internal` before `configure()`. */
  get config(): Config {
    if (!this.#config) throw new SrvError('internal', 'the configuration is read before configure()');
    return this.#config;
  }

  /** The logging plugin's logger, or one that discards everything. */
  get log(): Logger {
    return this.services.find('log') ?? silentLogger;
  }

  /** Discovers and applies plugins. @throws SrvError `plugin`, naming the plugin at fault. */
  async load(): Promise<this> {
    this.#advance('new', 'loaded');
    const { part, switches } = this.#options;
    const first = this.#find([]);
    const bootstrap = part === 'server' ? first.filter(m => m.bootstrap) : [];
    for (const manifest of orderPlugins(bootstrap)) await this.#apply(manifest);
    const { paths, ...fromConfig } = switches ? { paths: [], ...switches } : await this.#readSwitches();
    this.#switches = { disabled: [], enabled: [], ...fromConfig };
    this.#paths = paths;
    const found = paths.length > 0 ? this.#find(paths) : first;
    // The server hands out modules of the web page, which it does not load itself.
    const loaded: readonly Entry[] = part === 'server' ? ['server', 'page', 'shell'] : [part];
    const relevant = found.filter(m => m.origin === 'inline' || loaded.some(entry => m.entries[entry] !== undefined));
    const names = new Set(found.map(m => m.name));
    const known = relevant.map(m => ({
      ...m,
      requires: part === 'cli' ? m.requires.filter(r => relevant.some(o => o.name === r) || !names.has(r)) : m.requires,
    }));
    const selected = selectPlugins(known, this.#switches, [...names]);
    const ordered = orderPlugins(selected.filter(s => s.offBecause === undefined).map(s => s.manifest));
    this.#selections = [...ordered.map(manifest => ({ manifest })), ...selected.filter(s => s.offBecause !== undefined)];
    if (part === 'server') for (const { manifest } of this.#selections) await this.#declare(manifest);
    for (const manifest of ordered) await this.#apply(manifest);
    return this;
  }

  /**
   * Lets plugins make what the configuration sources will read, such as the secrets of a first run. For programs that run a
   * server, before {@link configure}; without it reading the configuration changes nothing.
   */
  async prepare(): Promise<this> {
    if (this.#state !== 'loaded') throw new SrvError('internal', `the kernel is ${this.#state}; it must be loaded to be prepared`);
    await this.hooks.prepareSources.promise(this.#sourceContext());
    return this;
  }

  /** Runs the configuration pipeline. @throws SrvError `config` that lists every problem. */
  async configure(): Promise<this> {
    this.#advance('loaded', 'configured');
    this.hooks.configSections.call(section => this.sections.push(section));
    const off = new Set(this.#selections.filter(s => s.offBecause !== undefined).map(s => s.manifest.name));
    const entries = await this.#readSources();
    const problems = await wrongTypes(entries, this.hooks, this.#findDisabled);
    this.#config = Config.create(this.sections, entries, {
      active: plugin => !off.has(plugin),
      problems,
      offered: availableTypes(this.hooks),
    });
    await this.hooks.configured.promise(this.#config);
    return this;
  }

  /**
   * Opens the stores and the identity service, then starts plugins in dependency order. On failure stops what was started.
   * After a {@link stop} meanwhile no further plugin starts. @throws SrvError `closed` then.
   * @param options.serve false: nothing begins to serve; for tools that need the services only.
   */
  async start({ serve = true }: { readonly serve?: boolean } = {}): Promise<this> {
    this.#advance('configured', 'started');
    for (const note of this.config.notes) this.log.warn({ note }, 'configuration without effect');
    try {
      await this.#openServices();
      await this.hooks.start.promise();
      if (serve) await this.hooks.ready.promise();
      this.#requireRunning();
    } catch (error) {
      // After a stop meanwhile only the services that were opened since are left.
      const ending = this.#state === 'stopped' ? this.#closeServices().then(demandNone) : this.stop();
      await ending.catch((late: unknown) => this.log.error({ error: messageOf(late) }, 'stop after failed start'));
      throw error;
    }
    return this;
  }

  /** Stops plugins in reverse order and closes the stores; every one gets its turn. @throws SrvError `plugin` naming those that failed. */
  async stop(): Promise<void> {
    if (this.#state === 'stopped') return;
    this.#state = 'stopped';
    await this.hooks.stop.promise();
    demandNone([...this.#stopFailures, ...(await this.#closeServices())]);
  }

  /**
   * Opens the key-value store alone, for tools that work beside or instead of a server. The caller closes it.
   * @throws SrvError `config` when no enabled plugin opens the configured type.
   */
  openKvStore(): Promise<KvStore> {
    return openConfigured('database.type', this.hooks.openKvStore, { config: this.config, findDisabled: this.#findDisabled });
  }

  /** Which plugin taps which hook: `{ start: ['kv-local', …] }`, hooks without taps left out. */
  wiring(): Record<string, string[]> {
    return tapsOf(this.hooks);
  }

  async #openServices(): Promise<void> {
    const { hooks, services } = this;
    const opening = { config: this.config, findDisabled: this.#findDisabled };
    const kv = await this.openKvStore();
    try {
      const block = await openConfigured('blockstore.type', hooks.openBlockStore, opening);
      const seen = hooks.stores.call({ kv, block });
      services.provide('kv', seen.kv);
      services.provide('block', seen.block);
    } catch (error) {
      await kv.close();
      throw error;
    }
    // Without any plugin for identity the engine alone can run; faces say that they need the service.
    const wanted = this.config.values(kernelConfig.keys)['auth.ui_config.rbac'];
    const offered = tappedKeys(hooks.openIdentity).length > 0 || (await this.#findDisabled('openIdentity', wanted)) !== undefined;
    if (!offered) return;
    const identity = await openConfigured('auth.ui_config.rbac', hooks.openIdentity, opening);
    services.provide('identity', withAuthenticateHook(identity, hooks));
  }

  /** Closes what is open, each once. @returns what went wrong. */
  async #closeServices(): Promise<readonly string[]> {
    const failures: string[] = [];
    for (const name of ['identity', 'block', 'kv'] as const) {
      const service = this.services.find(name);
      if (!service || this.#closed.has(service)) continue;
      this.#closed.add(service);
      await deadline(service.close?.(), `closing ${name}`, this.#options.stopTimeout ?? 35_000).catch((error: unknown) =>
        failures.push(messageOf(error)),
      );
    }
    return failures;
  }

  /** Applies the disabled plugins to hooks that are never called, to see which of them taps `hook[key]`. */
  readonly #findDisabled = async (hook: string, key: string): Promise<string | undefined> => {
    for (const { manifest, offBecause } of this.#selections) {
      if (offBecause === undefined || manifest.entries.server === undefined) continue;
      const probe = new Kernel({ part: 'server', importModule: this.#options.importModule ?? importFile });
      const taps = await probe.#apply(manifest).then(
        () => Object.keys(probe.wiring()),
        () => [],
      );
      if (taps.some(tap => tap.toLowerCase() === `${hook}[${key}]`.toLowerCase())) return manifest.name;
    }
    return undefined;
  };

  #requireRunning(): void {
    if (this.#state === 'stopped') throw new SrvError('closed', 'the kernel was stopped while it started');
  }

  #advance(from: State, to: State): void {
    if (this.#state !== from) throw new SrvError('internal', `the kernel is ${this.#state}; it must be ${from} to become ${to}`);
    this.#state = to;
  }

  #find(paths: readonly string[]): Manifest[] {
    const { places = {}, inline = [] } = this.#options;
    const found = findPlugins({ builtIn: places.builtIn ?? [], modules: places.modules ?? [], paths: [...(places.paths ?? []), ...paths] });
    this.#broken = found.broken;
    return [...found.manifests, ...inline.map(manifestOf)];
  }

  #inline({ name, origin }: Manifest): InlinePlugin | undefined {
    return origin === 'inline' ? this.#options.inline?.find(({ plugin }) => plugin.name === name) : undefined;
  }

  /** Imports a plugin's keys; a disabled plugin's keys stay known, so that switching it off does not break the file. */
  async #declare(manifest: Manifest): Promise<void> {
    if (this.sections.some(s => s.plugin === manifest.name)) return;
    const inline = this.#inline(manifest);
    const section = inline
      ? inline.section
      : manifest.entries.config && (await this.#importDefault<ConfigSection>(manifest, manifest.entries.config));
    if (section) this.sections.push(section);
  }

  async #apply(manifest: Manifest): Promise<void> {
    if (this.#applied.has(manifest.name)) return;
    this.#applied.add(manifest.name);
    const entry = manifest.entries[this.#options.part];
    const plugin = this.#inline(manifest)?.plugin ?? (entry === undefined ? undefined : await this.#importDefault<Plugin>(manifest, entry));
    if (plugin === undefined) return;
    this.services.providedBy(manifest.name);
    if (plugin.name !== manifest.name)
      throw new SrvError('plugin', `plugin ${manifest.name} (${manifest.folder}) calls itself ${plugin.name}; both names must be equal`);
    try {
      await plugin.apply(viewFor(plugin.name, this));
    } catch (error) {
      throw new SrvError('plugin', `plugin ${manifest.name} failed in apply: ${messageOf(error)}${placeOf(error)}`, { cause: error });
    }
    const taps = Object.entries(this.wiring()).flatMap(([hook, names]) =>
      names.filter(n => !this.#applied.has(n)).map(n => `${hook} as ${n}`),
    );
    if (taps.length > 0)
      throw new SrvError('plugin', `plugin ${manifest.name} taps ${taps.join(', ')}; taps must bear the plugin's own name`);
  }

  async #importDefault<T>(manifest: Manifest, file: string): Promise<T> {
    const { importModule = importFile } = this.#options;
    try {
      const module = (await importModule(file)) as { default?: T };
      if (module.default === undefined) throw new SrvError('plugin', 'it has no default export');
      return module.default;
    } catch (error) {
      throw new SrvError('plugin', `plugin ${manifest.name} cannot be loaded from ${file}: ${messageOf(error)}${placeOf(error)}`, {
        cause: error,
      });
    }
  }

  async #readSwitches(): Promise<Switches & { paths: readonly string[] }> {
    const switches = Object.keys(kernelConfig.keys).filter(name => name.startsWith('plugins.'));
    const entries = (await this.#readSources()).filter(({ key }) => switches.includes(key));
    const values = Config.create([kernelConfig], entries, { active: () => false }).values(kernelConfig.keys);
    return { disabled: values['plugins.disabled'], enabled: values['plugins.enabled'], paths: values['plugins.paths'] };
  }

  async #readSources(): Promise<readonly ConfigEntry[]> {
    const entries = await this.hooks.configSources.promise([], this.#sourceContext());
    return [...entries, ...(this.#options.overrides ?? [])];
  }

  #sourceContext(): SourceContext {
    const { env = process.env, flags = {}, cwd = process.cwd(), home = env['HOME'] ?? homeFolder() } = this.#options;
    const keys = Object.assign({}, ...this.sections.map(s => s.keys)) as ConfigSection['keys'];
    return { keys, names: keyNames(keys), env, flags, cwd, home };
  }
}

/** @throws SrvError `plugin` that names all failures. */
function demandNone(failures: readonly string[]): void {
  if (failures.length > 0) throw new SrvError('plugin', failures.join('; '));
}

function manifestOf({ plugin, requires = [] }: InlinePlugin): Manifest {
  const facts = { version: '0.0.0', origin: 'inline' as const, folder: '', bootstrap: false, layer: layerOf(undefined) };
  return { name: plugin.name, ...facts, requires, after: [], entries: {} };
}

function importFile(file: string): Promise<unknown> {
  return import(pathToFileURL(file).href);
}
