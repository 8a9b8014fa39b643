/** The one bisection under way, kept in `~/.cli.bisect.json`. */

import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@srv/kernel';
import { replaceFile } from '@srv/lib-commands';
import type { Commit } from '@srv/engine/client';

export interface BisectState {
  /** RFC 3339. */
  readonly created: string;
  readonly repository: string;
  readonly badCommit: string;
  readonly goodCommit: string;
  /** Suspects, newest first: the last known bad one down to the first after the good one. */
  readonly commits: readonly Commit[];
}

function fileOf(home: string): string {
  return join(home, '.cli.bisect.json');
}

/** @throws Error when no bisection was started, or its file is damaged. */
export async function loadBisect(home: string): Promise<BisectState> {
  let text: string;
  try {
    text = await readFile(fileOf(home), 'utf8');
  } catch (error) {
    throw new Error('You need to start by "bisect start"', { cause: error });
  }
  try {
    const state = JSON.parse(text) as BisectState;
    if (!Array.isArray(state.commits)) throw new Error('it has no commits');
    return state;
  } catch (error) {
    throw new Error(`${fileOf(home)} is damaged (${messageOf(error)}); run "bisect reset" and start again`, { cause: error });
  }
}

export async function saveBisect(home: string, state: BisectState): Promise<void> {
  await replaceFile(fileOf(home), temporary => writeFile(temporary, `${JSON.stringify(state, null, 2)}\n`));
}

/** @returns whether there was one. */
export async function forgetBisect(home: string): Promise<boolean> {
  return rm(fileOf(home)).then(
    () => true,
    () => false,
  );
}

/** Position of the commit to test: half of the suspects are newer, and it counts among the older half. */
export function pivot({ commits }: Pick<BisectState, 'commits'>): number {
  return commits.length >> 1;
}

/** The suspects left after the commit at {@link pivot} was tested. */
export function narrow<S extends Pick<BisectState, 'commits'>>(state: S, verdict: 'good' | 'bad'): S {
  const at = pivot(state);
  if (state.commits.length < 2) return state;
  return { ...state, commits: verdict === 'good' ? state.commits.slice(0, at) : state.commits.slice(at) };
}

/** What is known, for a person. */
export function bisectStatus(state: BisectState): string {
  const { repository, commits } = state;
  const uri = ({ id }: { readonly id: string }): string => `srv://${repository}/${id}`;
  const [first] = commits;
  if (!first) return `Repository: srv://${repository}\nNo commits found between the good and the bad one`;
  if (commits.length === 1) return `Repository: srv://${repository}\nFound commit: ${uri(first)}\nMessage: ${first.message}`;
  const current = commits[pivot(state)] ?? first;
  const steps = Math.floor(Math.log2(commits.length));
  return [
    `Repository: srv://${repository}`,
    `Bisecting: ${pivot(state)} commits left to test after this (roughly ${steps} steps)`,
    `Commit: ${uri(current)}`,
    `Message: ${current.message}`,
  ].join('\n');
}
