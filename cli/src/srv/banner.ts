/** What `srv run` prints when it is ready. */

import { existsSync } from 'node:fs';
import { launcherOf } from './launchers.js';
import { shellWord } from './shell-word.js';
import type { LocalSettings } from '@srv/config/contract';

interface BannerFacts {
  readonly version: string;
  /** Absent: no plugin listens. */
  readonly url: string | undefined;
  readonly quickstart: boolean;
  readonly local?: LocalSettings | undefined;
}

/** URL; with local settings also data folder, the file with the credentials, commands to try, and at the first run the credentials themselves. */
export function banner({ version, url, quickstart, local }: BannerFacts): string {
  const lines = [`srv ${version} - Up and running (^C to shutdown)...`, '', `  URL          ${url ?? 'none: no enabled plugin listens'}`];
  if (local) {
    lines.push(`  Data folder  ${local.folder}`);
    // Also when they are not shown: the first start may have failed after they were created.
    if (existsSync(local.cliFile)) lines.push(`  Credentials  ${local.cliFile}`);
    lines.push('');
    if (local.created) {
      lines.push(
        '  First administrator, shown once',
        `    Access key ID      ${local.accessKeyId}`,
        `    Secret access key  ${local.secretAccessKey}`,
        '',
      );
    }
    lines.push('  To try it, paste into another terminal, in any folder:', ...firstCommands(local.folder).map(line => `    ${line}`), '');
  }
  if (quickstart) lines.push('  WARNING! Quickstart mode: everyone knows these credentials. Never use it with data that matters.', '');
  return `${lines.join('\n')}\n`;
}

/** Three commands that create a repository, upload an object and commit it. */
function firstCommands(folder: string): string[] {
  const cli = shellWord(launcherOf(folder));
  return [
    `${cli} repo create srv://example local://example`,
    `echo hello | ${cli} fs upload srv://example/main/hello.txt --source -`,
    `${cli} commit srv://example/main -m "first commit"`,
  ];
}
