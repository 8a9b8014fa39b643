/** Programs `cli-<name>` on PATH as lines of the shell. */

import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { ExitError, formatUri } from '@srv/lib-commands';
import { copyTo } from '../output/outlet.js';
import { findPathPlugin, findPathPlugins, runPathPlugin } from '../plugins/path-plugins.js';
import type { Readable } from 'node:stream';
import type { CommandContext, SrvUri } from '@srv/lib-commands';
import type { PluginRun } from '../plugins/path-plugins.js';

interface ProgramLine {
  readonly words: readonly string[];
  /** Where the shell is. */
  readonly place: SrvUri | undefined;
  readonly signal: AbortSignal;
}

/** Where what a program prints goes; absent: to this process's own. */
interface ProgramOutput {
  readonly output: NodeJS.WritableStream;
  readonly errors: NodeJS.WritableStream;
}

export class PathPrograms {
  readonly #context: CommandContext;
  /** First words of commands, which win. */
  readonly #words: ReadonlySet<string>;

  constructor(context: CommandContext, words: ReadonlySet<string>) {
    this.#context = context;
    this.#words = words;
  }

  /** Path of the program that the first word of a line calls. It is looked up each time: programs come and go. */
  find(word = ''): string | undefined {
    return this.#words.has(word) ? undefined : findPathPlugin(word, this.#context.env.PATH ?? '');
  }

  names(): string[] {
    return findPathPlugins(this.#context.env.PATH ?? '', this.#words).flatMap(({ name, problem }) => (problem === undefined ? [name] : []));
  }

  /** @throws ExitError with the exit code of the program. */
  async run(path: string, line: ProgramLine, to: ProgramOutput | undefined): Promise<void> {
    await this.#run(path, line, to && ((stdout, stderr) => Promise.all([copied(stdout, to.output), copied(stderr, to.errors)])));
  }

  /** @returns what the program printed, without the last line end. @throws ExitError with its exit code. */
  async read(path: string, line: ProgramLine, errors: NodeJS.WritableStream): Promise<string> {
    let printed = '';
    await this.#run(path, line, async (stdout, stderr) => {
      [printed] = await Promise.all([text(stdout), copied(stderr, errors)]);
    });
    return printed.replace(/\n$/, '');
  }

  async #run(path: string, { words, place, signal }: ProgramLine, take: PluginRun['take']): Promise<void> {
    const code = await runPathPlugin(path, words.slice(1), { env: this.environment(place), signal, take });
    if (code !== 0) throw new ExitError(code);
  }

  /** A program that calls `cli` is where the shell is, and works with the same configuration. */
  environment(place: SrvUri | undefined): NodeJS.ProcessEnv {
    const { env, settings } = this.#context;
    const file = settings?.file;
    return {
      ...env,
      ...(place ? { CLI_BASE_URI: baseUri(place) } : {}),
      ...(file !== undefined && existsSync(file) ? { CLI_CONFIG_FILE: file } : {}),
    };
  }
}

/** As far as it can be read: what ended the program says more. */
function copied(from: Readable, to: NodeJS.WritableStream): Promise<void> {
  return copyTo(to, from).catch(() => {});
}

/** What a bare name is appended to. */
function baseUri({ path = '', ...place }: SrvUri): string {
  return place.ref === undefined ? `${formatUri(place)}/` : formatUri({ ...place, path });
}
