import { defineCommand, isAnswerError } from '@srv/lib-commands';
import { formatDuration, messageOf } from '@srv/kernel';
import type { CommandContext, ConfigKeys } from '@srv/kernel';
import { cliConfig } from '../config/keys.js';
import { unrunActions } from '../unrun-actions.js';

export interface Diagnosis {
  readonly healthy: boolean;
  /** Sentences, in order. */
  readonly findings: readonly string[];
  /** With --verbose: where each value comes from. */
  readonly sources?: readonly { readonly key: string; readonly value: unknown; readonly source: string }[];
}

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'Run a basic diagnosis of the configuration',
  examples: ['cli doctor', 'cli doctor --verbose'],
  async run(context): Promise<Diagnosis> {
    const problem = await connect(context);
    const suspicions = problem === undefined ? await unrunActions(await context.client()) : inspect(context);
    const findings = [problem ?? 'Valid configuration', ...suspicions];
    return { healthy: problem === undefined, findings, ...(context.verbose ? { sources: context.settings.show().map(readable) } : {}) };
  },
  render: ({ findings, sources = [] }) =>
    [...findings, ...sources.map(({ key, value, source }) => `${key}: ${JSON.stringify(value ?? null)}  # ${source}`)].join('\n'),
});

/** Durations as they are written. */
function readable<S extends { readonly key: string; readonly value: unknown }>(setting: S): S {
  const keys: ConfigKeys = cliConfig.keys;
  return keys[setting.key]?.type === 'duration' && typeof setting.value === 'number'
    ? { ...setting, value: formatDuration(setting.value) }
    : setting;
}

/** What is wrong; `undefined` when the server answers. */
async function connect({ client, settings, tell, verbose }: CommandContext): Promise<string | undefined> {
  const url = settings.values['server.endpoint_url'];
  const wrongUrl = (detail: string): string => `It looks like endpoint url is wrong: ${url}\n${detail}`.trimEnd();
  if (verbose) tell(`Trying to list repositories at ${url}`);
  try {
    const api = await client();
    const { results } = await api.listRepositories({ amount: 1 });
    return Array.isArray(results) ? undefined : wrongUrl('');
  } catch (error) {
    if (isAnswerError(error, 401)) return `It looks like you have an issue with your access_key_id or secret_access_key.\n${error.message}`;
    if (isAnswerError(error, 404)) return wrongUrl(error.message);
    if (isAnswerError(error)) return `It looks like you have a problem with your ${settings.file} file.\n${error.message}`;
    return wrongUrl(messageOf(error));
  }
}

function inspect({ settings: { values }, verbose }: CommandContext): string[] {
  const key = values['credentials.access_key_id'] ?? '';
  const secret = values['credentials.secret_access_key'] ?? '';
  const checks: readonly [what: string, looksRight: boolean][] = [
    ['access key ID', /^AKIA[IJ][A-Z0-9]{14}Q$/.test(key) || key === 'AKIAIOSFOLQUICKSTART'],
    ['secret access key', /^[A-Za-z0-9+/]{40}$/.test(secret)],
    ['endpoint URL', /^https?:\/\//.test(values['server.endpoint_url'])],
  ];
  return checks.flatMap(([what, looksRight]) => {
    if (!looksRight) return [`It looks like the ${what} is not in its usual form.`];
    return verbose ? [`Couldn't find a problem with the ${what}.`] : [];
  });
}
