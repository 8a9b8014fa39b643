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

/**
 * URL; with local settings also data folder, the file with the credentials, commands to try, and at the first run the
 * credentials themselves, or how to get some.
 */
export function banner({ version, url, quickstart, local }: BannerFacts): string {
  const lines = [`srv ${version} - Up and running (^C to shutdown)...`, '', `  URL          ${url ?? 'none: no enabled plugin listens'}`];
  if (local) {
    lines.push(`  Data folder  ${local.folder}`);
    lines.push(...(local.accessKeyId === '' ? withoutCredentials(url) : withCredentials(local)));
  }
  if (quickstart) lines.push('  WARNING! Quickstart mode: everyone knows these credentials. Never use it with data that matters.', '');
  return `${lines.join('\n')}\n`;
}

function withCredentials({ folder, cliFile, created, accessKeyId, secretAccessKey }: LocalSettings): string[] {
  const shownOnce = [
    '  First administrator, shown once',
    `    Access key ID      ${accessKeyId}`,
    `    Secret access key  ${secretAccessKey}`,
    '',
  ];
  return [
    // Also when they are not shown: the first start may have failed after they were created.
    ...(existsSync(cliFile) ? [`  Credentials  ${cliFile}`] : []),
    '',
    ...(created ? shownOnce : []),
    '  To try it, paste into another terminal, in any folder:',
    ...firstCommands(folder).map(line => `    ${line}`),
    '',
  ];
}

/** The database may be shared: whether it has an administrator is not for this server to decide. */
function withoutCredentials(url: string | undefined): string[] {
  return [
    '',
    '  A database that servers may share gets no administrator at the start. If it has none yet,',
    `  ${url === undefined ? '' : `open ${url}/setup, or `}run srv setup --user-name admin with the configuration of this server.`,
    '',
  ];
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
