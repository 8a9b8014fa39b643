/** Small repositories in temporary folders. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { writeReferences } from '../dependencies/write-references.js';

/** Of a project that refers to no other. */
export const project = JSON.stringify({ include: ['src'] });

export interface PackageSpec {
  readonly layer: string;
  /** A plugin rather than a library. Default: false. */
  readonly plugin?: boolean;
  readonly dependencies?: readonly string[];
  readonly devDependencies?: readonly string[];
  readonly exports?: Record<string, string>;
  /** What is published; absent: everything. */
  readonly published?: readonly string[];
  /** Path in the package → content. */
  readonly files?: Record<string, string>;
}

/**
 * Writes a repository whose root declares the development dependencies `shared-tool` and `@srv/two` and the file `#named`, with the references that its projects need, hands it to `use`, and removes it.
 * @param packages folder (`kernel`, `plugins/x`) → package `@srv/<last part>`.
 * @param rootFiles path in the repository → content.
 */
export function withWorkspace<T>(
  packages: Readonly<Record<string, PackageSpec>>,
  use: (root: string) => T,
  rootFiles: Record<string, string> = {},
): T {
  const root = mkdtempSync(join(tmpdir(), 'srv-workspace-'));
  try {
    writeTree(root, {
      'package.json': JSON.stringify({
        name: 'root',
        workspaces: ['kernel', 'plugins/*', 'cli', 'test/servers'],
        devDependencies: { 'shared-tool': '1.0.0', '@srv/two': '1.0.0' },
        imports: { '#named': './test/dist/named.js' },
      }),
      'tsconfig.json': project,
      ...rootFiles,
    });
    for (const [
      folder,
      { layer, plugin = false, dependencies = [], devDependencies = [], exports, published, files = {} },
    ] of Object.entries(packages)) {
      const versions = (names: readonly string[]) => Object.fromEntries(names.map(name => [name, '1.0.0']));
      writeTree(join(root, folder), {
        'package.json': JSON.stringify({
          name: `@srv/${folder.split('/').at(-1) ?? ''}`,
          srv: plugin ? { layer, name: folder.split('/').at(-1) } : { layer },
          exports,
          files: published,
          dependencies: versions(dependencies),
          devDependencies: versions(devDependencies),
        }),
        'tsconfig.json': project,
        ...files,
      });
    }
    writeReferences(root);
    return use(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

export function writeTree(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}
