/**
 * Clients of storage accounts. The configured account uses its shared key; every other one, and all without a key, the
 * identity of the machine or workload (environment, workload identity, managed identity, command-line sign-in).
 */
import { BlobServiceClient, StorageSharedKeyCredential, newPipeline } from '@azure/storage-blob';
import { isStatus } from './errors.js';
import type { DefaultAzureCredential } from '@azure/identity';
import type { BlockBlobClient, ContainerClient, HttpOperationResponse, Pipeline, RequestPolicy, WebResource } from '@azure/storage-blob';
import type { BlobAddress } from './address.js';

export interface AccountOptions {
  readonly storageAccount?: string | undefined;
  readonly storageAccessKey?: string | undefined;
  readonly domain: string;
  /** Milliseconds a request, tried again where that may help, may take until its answer begins. */
  readonly tryTimeout: number;
  /** Instead of `https://<account>.<domain>`, for all accounts. */
  readonly testEndpointUrl?: string | undefined;
  readonly retry?: RetryOptions;
  /** Blobs per page of a walk; tests use few. Default: 5000, the service's limit. */
  readonly pageSize?: number;
}

interface RetryOptions {
  /** Tries of one request, the first included. Default: 5. */
  readonly tries?: number;
  /** Milliseconds before the second retry; doubled for each further one, the first comes at once. Default: 1000. */
  readonly delay?: number;
}

/** What signs requests and URLs of an account. */
type AccountCredential = { readonly sharedKey: StorageSharedKeyCredential } | { readonly identity: Identity };
type Identity = Pick<DefaultAzureCredential, 'getToken'>;

export const scope = 'https://storage.azure.com/.default';
const longestDelay = 30_000;

export class Accounts {
  readonly domain: string;
  readonly tryTimeout: number;
  readonly pageSize: number;
  readonly #options: AccountOptions;
  readonly #services = new Map<string, BlobServiceClient>();
  readonly #hierarchical = new Map<string, Promise<boolean>>();
  #sharedKey: StorageSharedKeyCredential | undefined;
  #defaultCredential: Promise<DefaultAzureCredential> | undefined;

  constructor(options: AccountOptions) {
    this.domain = options.domain;
    this.tryTimeout = options.tryTimeout;
    this.pageSize = options.pageSize ?? 5000;
    this.#options = options;
  }

  endpoint(account: string): string {
    return this.#options.testEndpointUrl?.replace(/(?<!\/)\/+$/, '') ?? `https://${account}.${this.domain}`;
  }

  service(account: string): BlobServiceClient {
    let service = this.#services.get(account);
    if (!service) {
      service = new BlobServiceClient(this.endpoint(account), this.#pipeline(account));
      this.#services.set(account, service);
    }
    return service;
  }

  container({ account, container }: BlobAddress): ContainerClient {
    return this.service(account).getContainerClient(container);
  }

  /** The URL of a blob, as its client has it, without the cost of a client. */
  url({ account, container, blob }: BlobAddress): string {
    const url = new URL(`${this.endpoint(account)}/${encodeURIComponent(container)}`);
    url.pathname += `/${blob.split('/').map(encodeURIComponent).join('/')}`;
    return url.href.replaceAll("'", '%27');
  }

  blob(address: BlobAddress): BlockBlobClient {
    return this.container(address).getBlockBlobClient(address.blob);
  }

  /**
   * Whether the account keeps folders. Accounts that do not say are taken for plain ones: they list in byte order, and the
   * question needs a right that reading does not.
   */
  isHierarchical(account: string): Promise<boolean> {
    let answer = this.#hierarchical.get(account);
    if (!answer) {
      answer = this.service(account)
        .getAccountInfo()
        .then(
          info => info.isHierarchicalNamespaceEnabled ?? false,
          (error: unknown) => {
            if (isStatus(error, 400, 401, 403, 501)) return false;
            // Asked again next time.
            this.#hierarchical.delete(account);
            throw error;
          },
        );
      this.#hierarchical.set(account, answer);
    }
    return answer;
  }

  credential(account: string): AccountCredential {
    const { storageAccount, storageAccessKey } = this.#options;
    if (storageAccessKey && account === storageAccount) {
      this.#sharedKey ??= new StorageSharedKeyCredential(account, storageAccessKey);
      return { sharedKey: this.#sharedKey };
    }
    return { identity: { getToken: async (scopes, options) => (await this.#identity()).getToken(scopes, options) } };
  }

  /** The library is large and not needed by installations with a key. */
  #identity(): Promise<DefaultAzureCredential> {
    this.#defaultCredential ??= import('@azure/identity').then(identity => new identity.DefaultAzureCredential());
    return this.#defaultCredential;
  }

  #pipeline(account: string): Pipeline {
    const { tries = 5, delay = 1000 } = this.#options.retry ?? {};
    const credential = this.credential(account);
    const pipeline = newPipeline('sharedKey' in credential ? credential.sharedKey : credential.identity, {
      retryOptions: { maxTries: tries, retryDelayInMs: delay, maxRetryDelayInMs: longestDelay },
      userAgentOptions: { userAgentPrefix: 'srv' },
    });
    pipeline.factories.push({ create: next => ({ sendRequest: request => withDeadline(request, next, this.tryTimeout) }) });
    return pipeline;
  }
}

/**
 * Ends a request whose answer does not begin in time. The client's own options know a time-out of the service only, and the
 * timer of its requests outlives those that fail.
 */
async function withDeadline(request: WebResource, next: RequestPolicy, milliseconds: number): Promise<HttpOperationResponse> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), milliseconds);
  const given = request.abortSignal as AbortSignal | undefined;
  request.abortSignal = given ? AbortSignal.any([given, deadline.signal]) : deadline.signal;
  try {
    return await next.sendRequest(request);
  } finally {
    clearTimeout(timer);
  }
}
