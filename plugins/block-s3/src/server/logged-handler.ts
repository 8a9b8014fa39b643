/** Sends requests, and writes a line about each when asked to. */
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { messageOf } from '@srv/kernel';
import type { Logger } from '@srv/kernel';

type Handle = NodeHttpHandler['handle'];

/** Query parameters that are, or could help to forge, a signature. */
const secretParameter = /^(x-amz-(signature|credential|security-token)|awsaccesskeyid|signature)$/i;

export class LoggedHandler extends NodeHttpHandler {
  readonly #log: Logger;

  constructor(options: ConstructorParameters<typeof NodeHttpHandler>[0], log: Logger) {
    super(options);
    this.#log = log;
  }

  /** Headers are left out: they hold signatures and session tokens. */
  override async handle(...args: Parameters<Handle>): ReturnType<Handle> {
    const [{ method, hostname, path, query, headers }] = args;
    const parameters = Object.entries(query).filter(([name]) => !secretParameter.test(name));
    const request = { method, host: hostname, path, query: Object.fromEntries(parameters), attempt: headers['amz-sdk-request'] };
    const begin = performance.now();
    const milliseconds = (): number => Math.round(performance.now() - begin);
    try {
      const answer = await super.handle(...args);
      this.#log.debug({ ...request, status: answer.response.statusCode, duration_ms: milliseconds() }, 'S3 request');
      return answer;
    } catch (error) {
      this.#log.debug({ ...request, error: messageOf(error), duration_ms: milliseconds() }, 'S3 request');
      throw error;
    }
  }
}
