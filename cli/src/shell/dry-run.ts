/** A client that reads as usual and only notes what it would change. */

import { isBytes, isStream } from '@srv/engine/shell';
import { SrvError } from '@srv/kernel';
import { findOperation } from '../plugins/plugin-operations.js';
import type { AnyOperation } from '@srv/lib-api';
import type { Client } from '../client.js';

/** Ends a command at a change whose answer it needs. */
export class DryRunStop extends Error {}

/**
 * Responses that let a command continue to its next change. They contain only what the command needs, and no
 * result of them is shown.
 */
export const fakeResponses: Readonly<Record<string, unknown>> = {
  // Without a checksum there is nothing to compare.
  uploadObject: { checksum: '' },
  deleteObjects: { errors: [] },
};

/** Calls that combine several others: commands continue without them, and each change is reported. */
export const shortcuts: readonly string[] = ['uploadObjects'];

interface ReadOnlyOptions {
  /** Called for each change with the operation and its input. */
  readonly note: (change: string) => void;
  /** Answers to make up; operations without an answer need none. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** Called when a change would have returned data. */
  readonly onStop?: () => void;
}

/** Changes are noted instead of made; the client throws {@link DryRunStop} where an answer would be needed. */
export function readOnly(client: Client, options: ReadOnlyOptions): Client {
  const change = async (operation: AnyOperation, input: Input = {}): Promise<unknown> => {
    const { body } = input;
    // It is not read: its source must not wait.
    if (isBytes(body)) body.destroy();
    if (shortcuts.includes(operation.operationId)) throw new SrvError('unsupported', `${operation.operationId} is not called in a dry run`);
    options.note(`${operation.operationId} ${JSON.stringify(operation.body === 'stream' ? { ...input, body: '(content)' } : input)}`);
    if (operation.result.kind === 'empty') return undefined;
    if (Object.hasOwn(options.answers, operation.operationId)) return options.answers[operation.operationId];
    options.onStop?.();
    throw new DryRunStop(`${operation.operationId} was not called`);
  };
  const changeOf = async (id: string): Promise<AnyOperation | undefined> => {
    const operation = await findOperation(id);
    return operation?.method === 'GET' || operation?.method === 'HEAD' ? undefined : operation;
  };
  return new Proxy(client, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver);
      if (name === 'getConfig') return async () => throughServer(await target.getConfig({}));
      if (name === 'call') {
        return async (...[id, input, callOptions]: Parameters<Client['call']>) => {
          const called = await changeOf(id);
          if (!called) return target.call(id, input, callOptions);
          return { status: called.status, headers: {}, data: await change(called, input as Input) };
        };
      }
      if (typeof name !== 'string' || name === 'then' || typeof member !== 'function') return member;
      return async (input?: Input, callOptions?: unknown): Promise<unknown> => {
        const called = await changeOf(name);
        return called ? change(called, input) : (member as Call).call(target, input, callOptions);
      };
    },
  });
}

type Input = Readonly<Record<string, unknown>>;
type Call = (input?: Input, callOptions?: unknown) => unknown;

/** Uploads by pre-signed URLs bypass this client, so they are reported as uploads through the server. */
function throughServer<
  C extends { readonly storage_config?: object | undefined; readonly storage_config_list?: readonly object[] | undefined },
>(config: C): C {
  const off = { pre_sign_support: false, pre_sign_multipart_upload: false };
  const { storage_config: one, storage_config_list: list } = config;
  return {
    ...config,
    ...(one ? { storage_config: { ...one, ...off } } : {}),
    ...(list ? { storage_config_list: list.map(each => ({ ...each, ...off })) } : {}),
  };
}

/** One command in a dry run. */
export class DryRun {
  readonly #output: NodeJS.WritableStream;
  #changes = 0;
  #stopped = false;

  /** @param output receives a line per change. */
  constructor(output: NodeJS.WritableStream) {
    this.#output = output;
  }

  /** Seen so far. */
  get changes(): number {
    return this.#changes;
  }

  /** The command needed a response that a dry run does not have: its error is not a failure. */
  get stopped(): boolean {
    return this.#stopped;
  }

  client(client: Client): Client {
    return readOnly(client, {
      answers: fakeResponses,
      note: change => {
        // What follows a stop is clean-up after a failure that there would not have been.
        if (this.#stopped) return;
        this.#changes++;
        this.#output.write(`would call: ${change}\n`);
      },
      onStop: () => {
        this.#stopped = true;
      },
    });
  }

  /** What the command returned, as far as it comes from the server: nothing once something would have changed. */
  known(data: unknown): unknown {
    if (this.#changes > 0) return undefined;
    return isStream(data) ? this.#untilChange(data) : data;
  }

  /** To the end, since changes may come as it is read. */
  async *#untilChange(items: AsyncIterable<unknown>): AsyncGenerator<unknown> {
    for await (const item of items) if (this.#changes === 0) yield item;
  }
}
