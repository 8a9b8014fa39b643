/** The client of the SDK, with bounded retries. */
import { CosmosClient, PluginOn } from '@azure/cosmos';
import { RetriesExhausted, isNetworkError, isNotSent } from './errors.js';
import type { CosmosClientOptions, Plugin, PluginConfig } from '@azure/cosmos';

interface ClientOptions {
  readonly endpoint: string;
  /** Absent: the credentials that Azure tools find in the environment. */
  readonly key?: string | undefined;
  /** Milliseconds an attempt may wait for its answer. */
  readonly requestTimeout: number;
}

/** A read that did not reach the service, and any request that was throttled, is sent again so often. */
const networkRetries = 3;
const throttlingRetries = 9;
/** Seconds that a throttled request waits in all. */
const throttlingWait = 30;

export async function makeClient({ endpoint, key, requestTimeout }: ClientOptions): Promise<CosmosClient> {
  const options: CosmosClientOptions = {
    endpoint,
    ...(key ? { key } : { aadCredentials: new (await import('@azure/identity')).DefaultAzureCredential() }),
    consistencyLevel: 'BoundedStaleness',
    connectionPolicy: {
      requestTimeout,
      retryOptions: { maxRetryAttemptCount: throttlingRetries, maxWaitTimeInSeconds: throttlingWait, fixedRetryIntervalInMilliseconds: 0 },
      // One region judges all conditions.
      useMultipleWriteLocations: false,
      // Its failures are written to standard error; requests that fail look for another endpoint themselves.
      enableBackgroundEndpointRefreshing: false,
    },
  };
  const plugins: PluginConfig[] = [{ on: PluginOn.request, plugin: boundRetries }];
  // The SDK keeps its plugins out of the published type of the options.
  return new CosmosClient({ ...options, plugins } as CosmosClientOptions);
}

/**
 * The SDK would try for two minutes to reach a service that is away. And a write that broke off must not be sent again:
 * it may have happened, and would then be refused for its own work.
 */
const boundRetries: Plugin<unknown> = async (context, _diagnostics, next) => {
  const { operationType, retryCount = 0 } = context;
  try {
    return await next(context);
  } catch (error) {
    const read = operationType === 'read' || operationType === 'query';
    throw isNetworkError(error) && (!read || retryCount >= networkRetries)
      ? new RetriesExhausted(error, !read && !isNotSent(error))
      : error;
  }
};
