/** Commits as text. */
import { formatDate } from './text.js';
import type { Terminal } from './terminal.js';

export interface ShownCommit {
  readonly id: string;
  readonly parents: readonly string[];
  readonly committer: string;
  readonly message: string;
  /** Unix seconds. */
  readonly creation_date: number;
  readonly meta_range_id: string;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** After a commit was made. */
export function commitBlock(
  branch: string,
  { id, message, creation_date: date, parents }: ShownCommit,
  { colours }: Pick<Terminal, 'colours'>,
): string {
  return [
    `Commit for branch ${JSON.stringify(branch)} completed.`,
    '',
    `ID: ${colours.yellowBright(id)}`,
    `Message: ${message}`,
    `Timestamp: ${formatDate(date)}`,
    `Parents: ${parents.join(', ')}`,
    '',
  ].join('\n');
}

/** One entry of a log, between empty lines. */
export function logEntry(
  commit: ShownCommit,
  { colours }: Pick<Terminal, 'colours'>,
  { metarange }: { readonly metarange: boolean },
): string {
  const label = (name: string): string => `${name}:`.padEnd(15);
  const metadata = Object.entries(commit.metadata ?? {});
  const lines = [
    '',
    label('ID') + colours.yellowBright(commit.id),
    ...(commit.committer ? [label('Author') + commit.committer] : []),
    label('Date') + formatDate(commit.creation_date),
    ...(metarange ? [label('Meta Range ID') + commit.meta_range_id] : []),
    ...(commit.parents.length > 1 ? [label('Merge') + commit.parents.map(colours.bold).join(', ')] : []),
    '',
    ...commit.message.split('\n').map(line => `\t${line}`),
    ...(metadata.length > 0 ? ['', 'Metadata:', ...metadata.map(([name, value]) => `\t${name.padEnd(18)} = ${value}`)] : []),
    '',
    '',
  ];
  return lines.join('\n');
}
