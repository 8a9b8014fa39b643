/** Clients of Amazon's services, or of compatible servers, kept for as long as the process runs. */
import type { Input } from './protocol.js';

/** What a script says about a service. */
interface AwsSettings {
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly endpoint?: string;
}

/** @returns the client for the settings that a call brings; one for each combination. */
export function awsClients<T>(create: (settings: AwsSettings) => T): (input: Input) => T {
  const clients = new Map<string, T>();
  return input => {
    const endpoint = input.optional('endpoint');
    const settings = {
      region: input.optional('region') ?? 'us-east-1',
      credentials: { accessKeyId: input.text('key'), secretAccessKey: input.text('secret') },
      ...(endpoint === undefined ? {} : { endpoint }),
    };
    const name = JSON.stringify(settings);
    const client = clients.get(name) ?? create(settings);
    clients.set(name, client);
    return client;
  };
}
