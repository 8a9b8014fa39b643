/** A lock file for an installation outside the workspace: the versions that the workspace was tested with. */

interface LockEntry {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** Member `packages` of a lock file: folder -> entry. */
export type LockedPackages = Readonly<Record<string, LockEntry>>;

export interface PackedPackage {
  readonly name: string;
  readonly version: string;
  /** Relative to the installation. */
  readonly file: string;
  readonly integrity: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>> | undefined;
}

/** Members `packages` of the new lock file. @param name of the installation. */
export function lockInstallation(name: string, packed: readonly PackedPackage[], workspace: LockedPackages): LockedPackages {
  const own = new Map(packed.map(each => [each.name, each]));
  const found = new Map<string, LockEntry>();
  for (const { name: package_, version, file, integrity, dependencies, bin } of packed) {
    found.set(`node_modules/${package_}`, { version, resolved: `file:${file}`, integrity, dependencies, ...(bin ? { bin } : {}) });
    for (const dependency of Object.keys(dependencies)) if (!own.has(dependency)) follow('', dependency, workspace, found);
  }
  const root = { name, dependencies: Object.fromEntries(packed.map(each => [each.name, `file:${each.file}`])) };
  return Object.fromEntries([['', root], ...[...found].sort(([a], [b]) => (a < b ? -1 : 1))]);
}

/** Adds what `dependency` means in the folder `from`, and all it needs. */
function follow(from: string, dependency: string, workspace: LockedPackages, found: Map<string, LockEntry>): void {
  const folder = placeOf(from, dependency, workspace);
  // Peers and optional packages of other systems may be missing.
  if (folder === undefined || found.has(folder)) return;
  const { dev: _dev, devOptional: _devOptional, optionalDependencies: optional = {}, ...rest } = workspace[folder] ?? {};
  // Those that the workspace's lock file leaves out are for untested systems.
  const locked = Object.entries(optional).filter(([name]) => placeOf(folder, name, workspace) !== undefined);
  const entry: LockEntry = { ...rest, ...(locked.length === 0 ? {} : { optionalDependencies: Object.fromEntries(locked) }) };
  found.set(folder, entry);
  const needed = { ...entry.dependencies, ...entry.optionalDependencies, ...entry.peerDependencies };
  for (const next of Object.keys(needed)) follow(folder, next, workspace, found);
}

/** The folder in which Node finds a package: nearest first. */
function placeOf(from: string, dependency: string, workspace: LockedPackages): string | undefined {
  for (let folder = from; ; ) {
    const candidate = `${folder === '' ? '' : `${folder}/`}node_modules/${dependency}`;
    if (workspace[candidate]) return candidate;
    if (folder === '') return undefined;
    const above = folder.lastIndexOf('/node_modules/');
    folder = above < 0 ? '' : folder.slice(0, above);
  }
}
