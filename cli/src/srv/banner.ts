/** What `srv run` tells when it is ready. */
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { LocalSettings } from '@srv/config/contract';
import { packageFolder } from '../places.js';
import { shellWord } from './shell-word.js';

export interface BannerFacts {
  readonly version: string;
  /** Absent: no plugin listens. */
  readonly url: string | undefined;
  readonly quickstart: boolean;
  readonly local?: LocalSettings;
}

/** URL; with local settings also data folder, commands to try, and at the first run the credentials. */
export function banner({ version, url, quickstart, local }: BannerFacts): string {
  const lines = [`srv ${version} - Up and running (^C to shutdown)...`, '', `  URL          ${url ?? 'none: no enabled plugin listens'}`];
  if (local) {
    lines.push(`  Data folder  ${local.folder}`, '');
    if (local.created) {
      lines.push(
        `  First administrator, shown once; kept in ${local.cliFile}`,
        `    Access key ID      ${local.accessKeyId}`,
        `    Secret access key  ${local.secretAccessKey}`,
        '',
      );
    }
    lines.push('  To try it, paste into another terminal:', ...firstCommands(local.cliFile).map(line => `    ${line}`), '');
  }
  if (quickstart) lines.push('  WARNING! Quickstart mode: everyone knows these credentials. Never use it with data that matters.', '');
  return `${lines.join('\n')}\n`;
}

/** Three commands that create a repository, upload an object and commit it. */
export function firstCommands(cliFile: string): string[] {
  const cli = `CLI_CONFIG_FILE=${shellWord(cliFile)} ${cliCommand()}`;
  return [
    `${cli} repo create srv://example local://example`,
    `echo hello | ${cli} fs upload srv://example/main/hello.txt --source -`,
    `${cli} commit srv://example/main -m "first commit"`,
  ];
}

/** `npx cli` where that finds this package, else the program by its path. */
function cliCommand(): string {
  const program = join(packageFolder, 'bin', 'cli.js');
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    const link = join(folder, 'node_modules', '.bin', 'cli');
    if (existsSync(link)) return realpathSync(link) === realpathSync(program) ? 'npx cli' : shellWord(program);
    if (dirname(folder) === folder) return shellWord(program);
  }
}
