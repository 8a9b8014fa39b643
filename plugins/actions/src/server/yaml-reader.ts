/** Reads YAML without holding the event loop: short texts at once, long ones in a worker that is started when one comes. */
import { Worker } from 'node:worker_threads';
import { readYaml } from '../files/yaml-tree.js';
import type { YamlTree } from '../files/yaml-tree.js';

/** Characters that are read within a few milliseconds. */
const short = 2048;
/** Milliseconds that a worker may take for a text, and that it stays without one. */
const timeoutMs = 10_000;
const idle = 30_000;
/** Mebibytes; several times what any text of the longest files needs, since a thread that reaches it may end its process. */
const threadMb = 1024;

interface Waiting {
  readonly resolve: (tree: YamlTree) => void;
  readonly timer: NodeJS.Timeout;
}

export class YamlReader {
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #rest: NodeJS.Timeout | undefined;
  #lastId = 0;

  read(text: string): YamlTree | Promise<YamlTree> {
    if (text.length <= short) return readYaml(text);
    const worker = this.#start();
    const id = ++this.#lastId;
    return new Promise(resolve => {
      const timer = setTimeout(() => this.#end(`it takes longer than ${timeoutMs / 1000} s to read`), timeoutMs);
      this.#waiting.set(id, { resolve, timer });
      worker.ref();
      worker.postMessage({ id, text });
    });
  }

  async stop(): Promise<void> {
    await this.#end('the server stopped');
  }

  #start(): Worker {
    clearTimeout(this.#rest);
    if (this.#worker) return this.#worker;
    const worker = new Worker(new URL('./yaml-worker.js', import.meta.url), { resourceLimits: { maxOldGenerationSizeMb: threadMb } });
    worker.on('message', ({ id, tree }: { readonly id: number; readonly tree: YamlTree }) => this.#answer(id, tree));
    worker.on('error', error => {
      if (this.#worker === worker) void this.#end(error.message);
    });
    this.#worker = worker;
    return worker;
  }

  #answer(id: number, tree: YamlTree): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    waiting.resolve(tree);
    if (this.#waiting.size > 0) return;
    this.#worker?.unref();
    this.#rest = setTimeout(() => void this.#end(''), idle).unref();
  }

  /** Ends the worker; what it was reading cannot be read. */
  async #end(reason: string): Promise<void> {
    clearTimeout(this.#rest);
    const worker = this.#worker;
    this.#worker = undefined;
    for (const id of this.#waiting.keys()) this.#answer(id, { root: { kind: 'empty', line: 1 }, errors: [{ message: reason, line: 1 }] });
    clearTimeout(this.#rest);
    await worker?.terminate();
  }
}
