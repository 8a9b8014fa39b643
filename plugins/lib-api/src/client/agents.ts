/** Connections of a client that are kept. */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { AgentOptions } from 'node:https';

/** Each is made when the first request needs it: loading TLS takes longer than a request. */
export class Agents {
  readonly #options: AgentOptions;
  #http: HttpAgent | undefined;
  #https: HttpsAgent | undefined;

  constructor(options: AgentOptions) {
    this.#options = options;
  }

  get http(): HttpAgent {
    this.#http ??= new HttpAgent(this.#options);
    return this.#http;
  }

  get https(): HttpsAgent {
    this.#https ??= new HttpsAgent(this.#options);
    return this.#https;
  }

  destroy(): void {
    this.#http?.destroy();
    this.#https?.destroy();
  }
}
