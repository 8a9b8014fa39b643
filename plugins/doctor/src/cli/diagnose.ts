/** One run of the diagnosis. Loaded when it runs, so that other commands start without it. */
import { messageOf } from '@srv/kernel';
import { blame } from './blame.js';
import { ignoredActions } from './ignored-actions.js';
import { doctorConfig } from './settings.js';
import { clockSkew, releaseNotices } from './suspicions.js';
import type {} from '@srv/engine/operations';
import type { CommandContext } from '@srv/lib-commands';

export interface Diagnosis {
  readonly healthy: boolean;
  /** Sentences, in order. */
  readonly findings: readonly string[];
  /** With --verbose: where each value comes from. */
  readonly sources?: readonly { readonly key: string; readonly value: unknown; readonly source: string }[];
}

export async function diagnose(context: CommandContext): Promise<Diagnosis> {
  const { configuration, verbose } = context;
  const problem = await connect(context);
  const findings = problem ?? ['Valid configuration', ...(await suspicions(context))];
  return { healthy: problem === undefined, findings, ...(verbose ? { sources: configuration.show() } : {}) };
}

/** What is wrong; `undefined` when the server answers. */
async function connect({ client, configuration, tell, verbose }: CommandContext): Promise<readonly string[] | undefined> {
  const settings = await configuration.read(doctorConfig);
  const sources = new Map(configuration.show().map(({ key, source }) => [key, source]));
  if (verbose) tell(`Trying to list repositories at ${settings['server.endpoint_url']}`);
  try {
    const { results } = await (await client()).listRepositories({ amount: 1 });
    if (Array.isArray(results)) return undefined;
    throw new Error('the response is not from this server');
  } catch (error) {
    return blame(error, settings, configuration.file, key => sources.get(key) ?? 'default');
  }
}

/** What works and should be known all the same. */
async function suspicions({ client }: CommandContext): Promise<readonly string[]> {
  const api = await client();
  const { headers } = await api.call('listRepositories', { amount: 1 });
  const found: string[] = [...clockSkew(headers['date'])];
  for (const look of [releaseNotices, ignoredActions]) {
    try {
      found.push(...(await look(api)));
    } catch (error) {
      found.push(`The diagnosis is not complete: ${messageOf(error)}`);
    }
  }
  return found;
}
