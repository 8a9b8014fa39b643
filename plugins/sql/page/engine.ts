/** The engine in its worker, started with the first query. Tables stay until it is stopped or the page is left. */
import { startWorker } from '@srv/lib-page/page';
import type { FromWorker, RequestName, Requests } from './worker/protocol.js';

/** Names of files beside this one, filled in by the bundler. */
declare const WORKER_FILE: string;
declare const WASM_FILE: string;

interface Waiting {
  readonly resolve: (output: Requests[RequestName]['output']) => void;
  readonly reject: (error: Error) => void;
}

export class Engine {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;
  #stopped: Error | undefined;

  private constructor(worker: Worker) {
    this.#worker = worker;
    worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if ('error' in data) waiting?.reject(new Error(data.error));
      else waiting?.resolve(data.output);
    });
    worker.addEventListener('error', event => {
      event.preventDefault();
      this.stop(new Error(`The engine failed: ${event.message || 'its files are gone; reload the page'}`));
    });
  }

  /** Its worker has no network: the page fetches the engine, and gives it an address in memory. */
  static async start(signal: AbortSignal): Promise<Engine> {
    const response = await fetch(new URL(/* @vite-ignore */ WASM_FILE, import.meta.url), { signal });
    if (!response.ok) throw new Error(`The engine is gone (status ${response.status}): reload the page.`);
    const wasm = URL.createObjectURL(await response.blob());
    const engine = new Engine(startWorker(new URL(/* @vite-ignore */ WORKER_FILE, import.meta.url).href));
    try {
      await engine.ask('start', { wasm });
      return engine;
    } catch (error) {
      engine.stop(new Error('The engine could not be started.'));
      throw error;
    } finally {
      URL.revokeObjectURL(wasm);
    }
  }

  get isStopped(): boolean {
    return this.#stopped !== undefined;
  }

  /** @throws Error with what the engine says. */
  ask<N extends RequestName>(name: N, input: Requests[N]['input']): Promise<Requests[N]['output']> {
    if (this.#stopped) return Promise.reject(this.#stopped);
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, name, input });
    });
  }

  /** Terminates the engine: a running query cannot be asked to end. @param reason what waiting callers get. */
  stop(reason: Error): void {
    this.#stopped ??= reason;
    this.#worker.terminate();
    for (const { reject } of this.#waiting.values()) reject(this.#stopped);
    this.#waiting.clear();
  }
}
