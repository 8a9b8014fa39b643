/** Lets a program judge commits. */
import { spawn } from 'node:child_process';
import { messageOf } from '@srv/kernel';
import type { Commit } from '@srv/engine/client';

/** What a program learns of the commit: by its environment, and by `:NAME:` in its arguments. */
export function commitFacts({ id, message, meta_range_id, committer }: Commit): Readonly<Record<string, string>> {
  return { BISECT_ID: id, BISECT_MESSAGE: message, BISECT_METARANGE_ID: meta_range_id, BISECT_COMMITTER: committer };
}

interface JudgeOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Output of the program goes there beside ours. */
  readonly stdio?: 'inherit' | 'ignore';
}

/** Exit code 0 means good. @throws Error when the program cannot be run, or a signal ended it. */
export async function judge(commit: Commit, command: readonly string[], { env, signal, stdio = 'inherit' }: JudgeOptions) {
  const facts = commitFacts(commit);
  const words = command.map(word => word.replace(/:(BISECT_[A-Z_]+):/g, (text, name: string) => facts[name] ?? text));
  const [program = '', ...args] = words;
  const code = await new Promise<number>((resolve, reject) => {
    const child = spawn(program, args, { stdio, env: { ...env, ...facts }, signal });
    child.on('error', error => reject(new Error(`failed to run ${program}: ${messageOf(error)}`, { cause: error })));
    child.on('close', (status, by) => (status === null ? reject(new Error(`${program} was ended by ${by}`)) : resolve(status)));
  });
  return code === 0 ? 'good' : 'bad';
}
