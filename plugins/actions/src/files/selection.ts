/** Which actions an event starts. */

import { isTagEvent } from './event-types.js';
import type { EventRecord } from '@srv/kernel';
import type { Action, ParsedFile } from './action-file.js';

export interface LoadedFile {
  readonly path: string;
  readonly parsed: ParsedFile;
}

/** Facts of an event that decide. */
type Selecting = Pick<EventRecord, 'type' | 'branch' | 'tag'>;

interface Selection {
  /** In order of their paths. */
  readonly actions: readonly Action[];
  /** One sentence for each problem of a file that the event may concern; while there is one nothing runs. */
  readonly problems: readonly string[];
}

/** Files that cannot be about the event do not count, broken or not. */
export function select(files: readonly LoadedFile[], event: Selecting): Selection {
  const concerned = files.filter(({ parsed }) => parsed.events === undefined || parsed.events.has(event.type));
  const problems = concerned.flatMap(({ path, parsed }) =>
    parsed.problems.map(p => `parsing file ${path}: ${p.message} (line ${p.line}: ${p.remedy})`),
  );
  return { actions: concerned.flatMap(({ parsed }) => (parsed.action && startsBy(parsed.action, event) ? parsed.action : [])), problems };
}

export function startsBy(action: Action, { type, branch = '', tag = '' }: Selecting): boolean {
  const filter = action.on.get(type);
  if (!filter) return false;
  const [globs, name] = isTagEvent(type) ? [filter.tags, tag] : [filter.branches, branch];
  return globs.length === 0 || globs.some(glob => glob.matches(name));
}

/** Marks names that two files bear. Files in the order of their paths; a copy byte by byte of an earlier one is left out. */
export function withoutNamesakes(files: readonly (LoadedFile & { readonly text: string })[]): LoadedFile[] {
  const seen = new Map<string, { readonly path: string; readonly text: string }>();
  const kept: LoadedFile[] = [];
  for (const { path, parsed, text } of files) {
    const earlier = parsed.name === '' ? undefined : seen.get(parsed.name);
    if (earlier?.text === text) continue;
    if (!earlier) seen.set(parsed.name, { path, text });
    kept.push({ path, parsed: earlier ? namesake(parsed, earlier.path) : parsed });
  }
  return kept;
}

function namesake({ name, events, problems }: ParsedFile, path: string): ParsedFile {
  const problem = {
    message: `action name '${name}' already loaded: invalid action`,
    line: 1,
    remedy: `${path} has it too; rename one of them`,
  };
  return { name, events, problems: [...problems, problem] };
}
