/** Runs one script the way a hook does, and collects what it prints. */
import { messageOf } from '@srv/kernel';
import { Runner } from '../src/server/runner.js';
import type { ScriptLimits } from '../src/server/limits.js';
import type { ApiCall, Reply } from '../src/thread/protocol.js';

export interface Outcome {
  /** Bytes as characters U+0000 to U+00FF. */
  readonly output: string;
  /** Why it failed. */
  readonly failure?: string;
}

export interface ScriptOptions {
  readonly args?: unknown;
  readonly action?: object;
  readonly netHttp?: boolean;
  readonly timeout?: number;
  readonly repository?: string;
  readonly signal?: AbortSignal;
  readonly log?: (text: string) => void;
  readonly call?: (call: ApiCall) => Promise<Reply>;
}

/** Scripts of tests end, one way or another, within seconds. */
const testLimits: Partial<ScriptLimits> = {
  memory: 64 << 20,
  body: 16 << 20,
  computing: 60_000,
  total: 120_000,
  threads: 2,
  perRepository: 2,
  reserve: 0,
};

export class TestRunner {
  readonly runner: Runner;

  constructor(limits: Partial<ScriptLimits> = {}) {
    this.runner = new Runner({ ...testLimits, ...limits });
  }

  async run(script: string | Buffer, options: ScriptOptions = {}): Promise<Outcome> {
    const {
      args = {},
      action = {},
      netHttp = false,
      timeout,
      signal = new AbortController().signal,
      log,
      call,
      repository = 'lakes',
    } = options;
    const pieces: string[] = [];
    const keep = (bytes: Uint8Array): void => {
      const text = Buffer.from(bytes).toString('latin1');
      log?.(text);
      if (pieces.length < 1000) pieces.push(text);
    };
    const refuse = (): Promise<Reply> => Promise.resolve({ kind: 'failure', message: 'there is no server' });
    try {
      await this.runner.run({
        job: { script: Buffer.from(script), action, args, username: 'ann', netHttp },
        signal,
        repository,
        timeout,
        log: keep,
        call: call ?? refuse,
      });
      return { output: pieces.join('') };
    } catch (error) {
      return { output: pieces.join(''), failure: messageOf(error) };
    }
  }

  close(): Promise<void> {
    return this.runner.close();
  }
}

/** A script, and what it prints: lines joined by line breaks; or, as an expression, how it fails. */
export type ScriptCase = readonly [script: string, expected: string | RegExp];
