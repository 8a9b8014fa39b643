/** Which test files there are, and where the compiler puts them. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { sourceFiles } from '../source-files.js';
import { packageFolders, toolFolders } from '../workspace-folders.js';

export interface TestFile {
  /** Relative to the repository. */
  readonly source: string;
  /** Absolute path of the compiled file. */
  readonly compiled: string;
}

/**
 * Starts from the sources, so that output left over from a deleted test never runs.
 * @param only keep the files whose path contains one of these texts.
 * @throws Error that names the sources without output.
 */
export function testFiles(root: string, only: readonly string[] = ['']): TestFile[] {
  const [tools, programs] = toolFolders;
  // Tests of whole programs take longest: begun last, one of them would run alone in the end.
  const files = [programs, ...packageFolders(root), tools].flatMap(folder =>
    sourceFiles(join(root, folder))
      .filter(file => file.endsWith('.test.ts'))
      .map(file => ({
        source: `${folder}/${file}`,
        compiled: join(root, folder, 'dist', file.replace(/\.ts$/, '.js')),
      })),
  );
  const wanted = files.filter(({ source }) => only.some(text => source.includes(text)));
  const missing = wanted.filter(({ compiled }) => !existsSync(compiled)).map(({ source }) => source);
  if (missing.length > 0) throw new Error(`not compiled: ${missing.join(', ')}; run tsc -b`);
  return wanted;
}
