/** One client per region; all share connections and credentials. */
import { readFileSync } from 'node:fs';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { S3Client } from '@aws-sdk/client-s3';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { LoggedHandler } from './logged-handler.js';
import { retryStrategy } from './retries.js';
import type { S3ClientConfig } from '@aws-sdk/client-s3';
import type { Logger } from '@srv/kernel';

export type Credentials = NonNullable<S3ClientConfig['credentials']>;

export interface ClientOptions {
  readonly credentials: Credentials;
  readonly endpoint?: string | undefined;
  /** Stands in URLs that are handed out. Default: `endpoint`. */
  readonly preSignedEndpoint?: string | undefined;
  readonly forcePathStyle: boolean;
  readonly skipVerifyCertificate: boolean;
  /** Attempts of a request, the first one included. */
  readonly maxAttempts: number;
  readonly logRequests: boolean;
  readonly logRetries: boolean;
  readonly log: Logger;
  /** A connection on which nothing moves for so long is given up, in milliseconds. Default: two minutes. */
  readonly idleTimeoutMs?: number;
}

const connectTimeoutMs = 10_000;
const defaultIdleTimeoutMs = 120_000;
/** Below the time after which common servers close a connection: a body sent into a closing one cannot be sent again. */
const unusedTimeoutMs = 4000;

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string };

const answerDates = new WeakMap<object, Date>();

/** When the store answered, by its clock; now, when it did not say. */
export function answerDate({ $metadata }: { readonly $metadata: object }): Date {
  return answerDates.get($metadata) ?? new Date();
}

const discard = (): void => undefined;
/** The library would write to the console otherwise. */
export const silent = { trace: discard, debug: discard, info: discard, warn: discard, error: discard };

export class Clients {
  readonly #options: ClientOptions;
  /** All connections are theirs. */
  readonly agents: readonly [HttpAgent, HttpsAgent];
  /** Sends the requests of all. */
  readonly handler: NodeHttpHandler;
  readonly #clients = new Map<string, S3Client>();
  readonly #signers = new Map<string, S3Client>();

  constructor(options: ClientOptions) {
    // The library warns on standard error of runtimes that its later releases leave behind.
    process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
    this.#options = options;
    // With a limit, downloads that their readers leave standing would keep all other requests waiting.
    const agent = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, timeout: unusedTimeoutMs };
    this.agents = [new HttpAgent(agent), new HttpsAgent({ ...agent, rejectUnauthorized: !options.skipVerifyCertificate })];
    const settings = {
      connectionTimeout: connectTimeoutMs,
      socketTimeout: options.idleTimeoutMs ?? defaultIdleTimeoutMs,
      httpAgent: this.agents[0],
      httpsAgent: this.agents[1],
      logger: silent,
    };
    this.handler = options.logRequests ? new LoggedHandler(settings, options.log) : new NodeHttpHandler(settings);
  }

  /** Where requests go, for messages. */
  get endpoint(): string {
    return this.#options.endpoint ?? 'AWS S3';
  }

  in(region: string): S3Client {
    return kept(this.#clients, region, () => {
      const client = this.#client(region, this.#options.endpoint);
      addUnsignedPayload(client);
      addAnswerDate(client);
      return client;
    });
  }

  /** Signs URLs that others will use; sends nothing. */
  preSigning(region: string): S3Client {
    return kept(this.#signers, region, () => this.#client(region, this.#options.preSignedEndpoint ?? this.#options.endpoint));
  }

  close(): void {
    for (const client of [...this.#clients.values(), ...this.#signers.values()]) client.destroy();
    this.handler.destroy();
  }

  #client(region: string, endpoint: string | undefined): S3Client {
    const { credentials, forcePathStyle, maxAttempts, logRetries, log } = this.#options;
    return new S3Client({
      region,
      ...(endpoint === undefined ? {} : { endpoint }),
      credentials,
      forcePathStyle,
      maxAttempts,
      retryStrategy: retryStrategy({ maxAttempts, log: logRetries ? log : undefined }),
      requestHandler: this.handler,
      // Checksums that were not asked for break other stores and pre-signed uploads.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      // With own agents the library announces the wait for `100 Continue` without waiting.
      expectContinueHeader: false,
      customUserAgent: [['srv', version]],
      logger: silent,
    });
  }
}

function kept(clients: Map<string, S3Client>, region: string, create: () => S3Client): S3Client {
  const client = clients.get(region) ?? create();
  clients.set(region, client);
  return client;
}

/** Hashing a body before it is sent would hold up everything else, and a stream cannot be read twice. */
function addUnsignedPayload({ middlewareStack }: S3Client): void {
  middlewareStack.add(
    (next, { commandName }) =>
      async args => {
        if (commandName === 'PutObjectCommand' || commandName === 'UploadPartCommand')
          (args.request as { headers: Record<string, string> }).headers['x-amz-content-sha256'] = 'UNSIGNED-PAYLOAD';
        return next(args);
      },
    { step: 'build', name: 'unsignedPayload' },
  );
}

function addAnswerDate({ middlewareStack }: S3Client): void {
  middlewareStack.add(
    next => async args => {
      const result = await next(args);
      const { headers } = result.response as { readonly headers?: Readonly<Record<string, string>> };
      const date = new Date(headers?.['date'] ?? Number.NaN);
      if (!Number.isNaN(date.getTime())) answerDates.set(result.output.$metadata, date);
      return result;
    },
    { step: 'initialize', name: 'answerDate' },
  );
}
