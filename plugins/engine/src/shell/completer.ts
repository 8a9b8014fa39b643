/** Candidates for a line of the shell: commands, options, and addresses relative to the place. */
import { formatUri } from '@srv/lib-commands';
import { addresses, complete, withinBudget } from './complete.js';
import { filterNameAt } from './completed-line.js';
import { withPlace } from './current-uri.js';
import { readWords, valueStart } from './typed-words.js';
import { splitWords } from './words.js';
import type { Command, CommandContext } from '@srv/lib-commands';
import type { CommandTable } from './command-table.js';
import type { LocalPaths } from './complete.js';
import type { CurrentUri } from './current-uri.js';

/** Milliseconds that a completion may take; a later answer serves the next attempt. */
const budgetMs = 200;
const lifetimeMs = 5000;

/** What a shell has to be to complete lines. */
export interface CompletedShell {
  readonly place: CurrentUri;
  readonly table: Pick<CommandTable, 'list'>;
  readonly context: Pick<CommandContext, 'client'>;
  isCommand(line: string): boolean;
  /** Names that `| where` may use, as far as they are known. */
  fields(): readonly string[];
  /** Programs that the first word of a line may call; absent in a shell that has none. */
  readonly programs?: { find(word?: string): string | undefined; names(): readonly string[] };
}

export class ShellCompleter {
  readonly #session: CompletedShell;
  readonly #localPaths: LocalPaths;
  readonly #closing = new AbortController();
  readonly #cache = new Map<string, { readonly at: number; readonly values: Promise<readonly string[]> }>();

  /** @param localPaths of this machine; none where it has no files. */
  constructor(session: CompletedShell, localPaths: LocalPaths = async () => []) {
    this.#session = session;
    this.#localPaths = localPaths;
  }

  /** @returns candidates, and what they begin with, both without quotes; `undefined` when the line is JavaScript. */
  async complete(line: string): Promise<[string[], string] | undefined> {
    const nameAt = filterNameAt(line);
    if (nameAt !== undefined) {
      const typed = line.slice(nameAt);
      return [this.#session.fields().filter(name => name.startsWith(typed)), typed];
    }
    const words = wordsOf(line);
    const partial = /\s$/.test(line) ? '' : (words.pop() ?? '');
    const commands = this.#session.table.list();
    const beginning = words.length === 0;
    if (!beginning && !this.#session.isCommand(line)) return undefined;
    // What a program takes only it knows.
    if (!beginning && this.#session.programs?.find(words[0]) !== undefined) return [[], partial];
    const never = async (): Promise<Pick<CommandContext, 'client'>> => Promise.reject(new Error('the server is asked below'));
    const local = (await complete(words, partial, { commands, context: never, localPaths: this.#localPaths }).catch(() => [])).map(
      c => c.value,
    );
    if (beginning) {
      const names = [...local, ...(this.#session.programs?.names() ?? []).filter(name => name.startsWith(partial))];
      return names.length > 0 ? [names, partial] : undefined;
    }
    const { command, isHelp, isPlain } = readWords(
      words,
      commands.map(c => c.command),
    );
    const start = isPlain ? 0 : valueStart(partial);
    const isOption = !isPlain && start === 0 && partial.startsWith('-');
    if (local.length > 0 || isOption || isHelp || !command) return [local, partial];
    const values = await this.#addresses(command, partial.slice(start));
    return [values.map(value => partial.slice(0, start) + value), partial];
  }

  /** Ends what still waits for the server. */
  close(): void {
    this.#closing.abort();
  }

  async #addresses(command: Command, partial: string): Promise<string[]> {
    const { place } = this.#session;
    if (partial.startsWith('srv:')) return this.#ask(partial.startsWith('srv://') ? partial : 'srv://');
    const kind = kindOf(command);
    if (!place.uri || kind === undefined) return place.uri || kind === undefined ? [] : this.#relative('srv://', partial);
    const { repository, ref = '', path = '' } = place.uri;
    // In a repository one chooses a ref.
    if (kind === 'path' && ref !== '') {
      const [root, typed] = partial.startsWith('/') ? ['', partial.slice(1)] : [path, partial];
      const start = formatUri({ repository, ref, path: root });
      return (await this.#ask(start + typed)).map(found => (partial.startsWith('/') ? '/' : '') + found.slice(start.length));
    }
    const start = kind !== 'repository' ? `srv://${repository}/` : 'srv://';
    return this.#relative(start, partial);
  }

  /** Refs and repositories by their bare names. */
  async #relative(start: string, partial: string): Promise<string[]> {
    return (await this.#ask(start + partial)).map(found => found.slice(start.length).replace(/\/$/, ''));
  }

  async #ask(absolute: string): Promise<string[]> {
    const now = Date.now();
    for (const [key, { at }] of this.#cache) if (now - at > lifetimeMs) this.#cache.delete(key);
    const ask = (): Promise<string[]> =>
      addresses(absolute, this.#session.context, AbortSignal.any([this.#closing.signal, AbortSignal.timeout(lifetimeMs)]));
    const values = this.#cache.get(absolute)?.values ?? ask().catch(() => []);
    if (!this.#cache.has(absolute)) this.#cache.set(absolute, { at: now, values });
    return (await withinBudget(() => values, budgetMs)).filter(value => value.startsWith(absolute));
  }
}

/** What the arguments of a command name. */
function kindOf(command: Command): 'repository' | 'ref' | 'path' | undefined {
  // A command whose place may be left out takes addresses.
  const description = command.arguments?.find(a => a.description.startsWith('srv://'))?.description;
  if (description === undefined) return undefined;
  if (description.includes('<path>')) return 'path';
  return description === 'srv://<repository>' && withPlace(command, []).length > 0 ? 'repository' : 'ref';
}

/** The words so far; an open quote is closed, variables stay as they are. */
function wordsOf(line: string): string[] {
  for (const end of ['', "'", '"']) {
    try {
      return splitWords(line + end, name => `$${name}`);
    } catch {
      // Another quote may be the open one.
    }
  }
  return line.split(/\s+/);
}
