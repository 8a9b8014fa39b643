/**
 * Every extension point of the product. A plugin taps what it needs under its own name:
 * `kernel.hooks.stop.tapPromise('my-plugin', async () => …)`. `Who` names the plugins that tap a hook, and the one that
 * calls it where without that plugin nothing does; `npm run check` checks that this is true.
 */
import {
  AsyncParallelHook,
  AsyncSeriesBailHook,
  AsyncSeriesHook,
  AsyncSeriesWaterfallHook,
  HookMap,
  SyncBailHook,
  SyncHook,
  SyncWaterfallHook,
} from 'tapable';
import { eventTypes } from './contracts/events.js';
import { credentialKinds } from './contracts/identity.js';
import { guardHook, guardHookMap, namedHooks } from './taps.js';
import type { Config, ConfigEntry, ConfigSection, SourceContext } from './config/index.js';
import type { Activity } from './contracts/activity.js';
import type { EmailMessage } from './contracts/email.js';
import type { EventDetails, EventRecord } from './contracts/events.js';
import type { Credentials, Identity, User } from './contracts/identity.js';
import type { KvEntry, KvRepair, KvStore } from './contracts/kv.js';
import type {
  ActionHook,
  BlockStore,
  BranchChange,
  CommandRegistry,
  DeletedRepository,
  DirectHttpRoute,
  GatewayRequest,
  GcBatch,
  GcBatchResult,
  GcPlan,
  HttpServer,
  OperationTable,
  RawRequest,
  ServerCommandRegistry,
  SignInProvider,
} from './contracts/open-types.js';
import type { NamespacePurge } from './contracts/purge.js';
import type { ReleaseFacts } from './contracts/release.js';
import type { Services } from './services.js';

export function createHooks() {
  const hooks = {
    /** Collects configuration sections. Who: plugins that consist of one file; all others name the module in their manifest. */
    configSections: new SyncHook<[add: (section: ConfigSection) => void]>(['add']),
    /** Makes what sources will read, such as the secrets of a first run; reading itself changes nothing. Who: `config`. */
    prepareSources: new AsyncSeriesHook<[context: SourceContext]>(['context']),
    /** Reads configuration values, weakest source first: each tap appends what it found. Who: `config`, `blockstores`. */
    configSources: new AsyncSeriesWaterfallHook<[entries: readonly ConfigEntry[], context: SourceContext]>(['entries', 'context']),
    /** Configuration is complete and frozen, nothing is open yet. Who: `logging`, `metrics`. */
    configured: new AsyncSeriesHook<[config: Config]>(['config']),
    /** Opens the key-value store; keyed by `database.type`. Who: `kv-*`. */
    openKvStore: new HookMap(() => new AsyncSeriesBailHook<[config: Config], KvStore>(['config'])),
    /** Prepares the repair of a damaged key-value store; keyed by `database.type`. Who: `kv-local`; called by `kv-tools`. */
    repairKvStore: new HookMap(() => new AsyncSeriesBailHook<[config: Config], KvRepair>(['config'])),
    /** Opens the block store; keyed by `blockstore.type`. Who: `block-*`, `blockstores`. */
    openBlockStore: new HookMap(() => new AsyncSeriesBailHook<[config: Config], BlockStore>(['config'])),
    /** Both stores are open: a tap may put its own in front of them. Who: `metrics`. */
    stores: new SyncWaterfallHook<[stores: Pick<Services, 'kv' | 'block'>]>(['stores']),
    /** Takes a stored record apart for an operator, without secrets; the plugin that writes such records answers. Who: `engine`, …; called by `kv-tools`. */
    describeRecord: new SyncBailHook<[partition: string, entry: KvEntry], unknown>(['partition', 'entry']),
    /** Names the partitions of a database that hold records of a plugin, for a copy of all of it. Who: `engine`, `auth`, …; called by `kv-tools`. */
    partitions: new AsyncSeriesHook<[kv: KvStore, found: (partition: string) => void]>(['kv', 'found']),
    /** Opens the identity service; keyed by `auth.ui_config.rbac`. Who: `auth`, `auth-external`. */
    openIdentity: new HookMap(() => new AsyncSeriesBailHook<[config: Config], Identity>(['config'])),
    /** A further way to know a user, asked before the identity service; keyed by the kind of credentials, first answer wins. Who: `auth-claims`, `iceberg`. */
    authenticate: new HookMap(() => new AsyncSeriesBailHook<[credentials: Credentials], User | undefined>(['credentials'])),
    /** Adds ways to sign in with a name and a password, asked in the order of addition for pairs that are not an access key; called with every such pair. Who: `email`, `auth-remote`; called by `auth`, `auth-external`. */
    signIn: new SyncHook<[add: (provider: SignInProvider) => void]>(['add']),
    /** Sees a request before routing; a tap that returns `true` has taken it over. Who: `gateway-s3`, `huggingface`, `iceberg`, `mcp`, `webdav`. */
    rawRequest: new SyncBailHook<[raw: RawRequest], boolean | undefined>(['raw']),
    /** Adds operations to the HTTP API. Who: `api`, and every feature with operations. */
    operations: new SyncHook<[table: OperationTable]>(['table']),
    /** Adds HTTP routes. Who: `api`, `ui`, `metrics`, … */
    routes: new AsyncSeriesHook<[server: HttpServer]>(['server']),
    /** Adds routes that return data, which are answered without the framework. Who: `api`; called by `http`. */
    directRoute: new SyncHook<[add: (route: DirectHttpRoute) => void]>(['add']),
    /** Adds or replaces one S3 operation; keyed by operation name. Who: third parties; called by `gateway-s3`. */
    gatewayOperation: new HookMap(() => new AsyncSeriesBailHook<[request: GatewayRequest], boolean>(['request'])),
    /** Names folders of storage namespaces that are served beside the refs, by names that begin with a dot. Who: `iceberg`; called by `gateway-s3`. */
    gatewayFolder: new SyncHook<[add: (name: string, folder: string) => void]>(['add']),
    /** Repository events, keyed by event type; a throw in `pre-*` and `prepare-*` aborts. Who: `actions`, `search`; called by `engine`, `pulls`. */
    event: new HookMap(() => new AsyncSeriesHook<[event: EventRecord]>(['event'])),
    /** Adds what receivers of an event learn of it in addition; called only for events that start hooks. Who: `iceberg`; called by `actions`. */
    describeEvent: new AsyncSeriesHook<[event: EventRecord, add: (details: EventDetails) => void]>(['event', 'add']),
    /** A branch is about to change: a tap may block that. Who: `branch-protection`, `pulls`; called by `engine`. */
    guardBranch: new AsyncSeriesHook<[change: BranchChange]>(['change']),
    /** Removes what a plugin keeps about a repository outside of its partition; may be called again for the same repository. Who: `pulls`, `actions`, `engine`; called by `engine`. */
    repositoryDeleted: new AsyncSeriesHook<[repository: DeletedRepository]>(['repository']),
    /** Names the kinds of background tasks of a plugin, with the letters that their ids begin with. Who: `gc`; called by `engine`. */
    backgroundTask: new SyncHook<[define: (kind: string, idPrefix: string) => void]>(['define']),
    /** Reports what keeps this server from working, a sentence each, for `/_health`. Taps are quick. Who: `kv-local`; called by `http`. */
    health: new SyncHook<[report: (problem: string) => void]>(['report']),
    /** Something happened that is counted: an admitted request, an event, traffic. Taps are quick and never throw. Who: `stats`, `usage`. */
    activity: new SyncHook<[activity: Activity]>(['activity']),
    /** Completes what clients learn about the release that runs. Who: `notices`. */
    release: new SyncWaterfallHook<[facts: ReleaseFacts]>(['facts']),
    /** Offers a type of hook for action files; keyed by its name, which `type` of a hook says. Who: `hook-webhook`, `hook-airflow`, `hook-lua`; called by `actions`. */
    hookType: new HookMap(() => new SyncBailHook<[], ActionHook>()),
    /** Names what garbage collection must keep; a failure ends the run before anything is removed. Who: `gc`. */
    gcPlan: new AsyncSeriesHook<[plan: GcPlan]>(['plan']),
    /** Removes a batch of garbage; first engine that answers wins. Who: `gc`. */
    gcSweep: new AsyncSeriesBailHook<[batch: GcBatch], GcBatchResult>(['batch']),
    /** Objects of a namespace are about to be removed, asked before each page of them: a tap that still needs some throws. Who: `import`; called by `gc`. */
    guardPurge: new AsyncSeriesHook<[purge: NamespacePurge]>(['purge']),
    /** Sends a message; first sender wins. Who: `email`. */
    email: new AsyncSeriesBailHook<[message: EmailMessage], { accepted: boolean }>(['message']),
    /** Adds commands to the command line and the shell. Who: every plugin's CLI part. */
    commands: new SyncHook<[registry: CommandRegistry]>(['registry']),
    /** Adds commands to the program `srv`. Who: every server part with commands of its own. */
    serverCommands: new SyncHook<[registry: ServerCommandRegistry]>(['registry']),
    /** Adds names to the shell's JavaScript. Who: CLI parts of plugins. */
    repl: new SyncHook<[names: Record<string, unknown>]>(['names']),
    /** Opens resources, in dependency order. */
    start: new AsyncSeriesHook<[]>(),
    /** Everything is open: begin to serve. */
    ready: new AsyncParallelHook<[]>(),
    /** Releases resources, in reverse dependency order, each within its time limit. */
    stop: new AsyncSeriesHook<[]>(),
  };
  guard(hooks);
  return namedHooks(hooks);
}

const day = 86_400_000;

/**
 * Milliseconds that a tap of a hook may take, where one that hangs would stop the program from starting, a request from ending
 * or a run from continuing. Hooks of action files and runs of garbage collection may last for hours; they get a day.
 */
const limits = {
  prepareSources: 120_000,
  configSources: 120_000,
  configured: 120_000,
  openKvStore: 120_000,
  openBlockStore: 120_000,
  openIdentity: 120_000,
  authenticate: 60_000,
  partitions: day,
  routes: 120_000,
  guardBranch: 60_000,
  repositoryDeleted: day,
  repairKvStore: day,
  event: day,
  describeEvent: 60_000,
  gcPlan: day,
  gcSweep: day,
  guardPurge: day,
  email: 60_000,
} as const;

/** The keys there are, where the kernel knows them. */
const keysOf: Readonly<Record<string, readonly string[]>> = { authenticate: credentialKinds, event: eventTypes };

/** The kernel guards the lifecycle hooks itself: their limits are options of it. */
const lifecycle = ['start', 'ready', 'stop'];

function guard(hooks: Readonly<Record<string, object>>): void {
  const limitOf: Readonly<Record<string, number | undefined>> = limits;
  for (const [name, hook] of Object.entries(hooks)) {
    const limit = limitOf[name];
    const keys = keysOf[name];
    const options = { limit, keys };
    if (hook instanceof HookMap) guardHookMap(hook, name, options);
    else if (!lifecycle.includes(name)) guardHook(hook, name, options);
  }
}

export type Hooks = ReturnType<typeof createHooks>;
