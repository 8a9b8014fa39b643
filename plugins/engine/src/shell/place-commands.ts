/** Commands of the shell alone. */
import { UsageError, argument, defineCommand, formatUri, isAnswerError, required } from '@srv/lib-commands';
import { CurrentUri } from './current-uri.js';
import type { Command, CommandContext, SrvUri } from '@srv/lib-commands';
import type {} from '../operations/index.js';

export function placeCommands(place: CurrentUri): Command[] {
  const go = async (context: CommandContext, target: string): Promise<{ readonly uri: string }> => {
    // The place changes only when the server knows it.
    const next = new CurrentUri();
    const uri = next.move(place.uri || target.includes('://') ? place.resolve(target, 'place') : `srv://${target}`);
    if (target === '..' && place.uri && (place.uri.ref === undefined || formatUri(uri) === formatUri(place.uri)))
      throw new UsageError(`${formatUri(place.uri)} is the top; use srv://<repository>/<ref> to go elsewhere`);
    await check(context, uri);
    return { uri: formatUri(place.move(formatUri(uri))) };
  };
  return [
    defineCommand({
      name: 'use',
      summary: 'Go to a repository, ref or folder',
      arguments: [required('URI', 'srv://<repository>/<ref>/<path>')],
      run: async (context, input) => {
        const target = argument(input, 0);
        const branch = await branchOf(context, place.uri, target);
        return go(context, branch ? formatUri(branch) : target);
      },
      render: () => '',
    }),
    defineCommand({
      name: 'cd',
      summary: 'Go to a folder',
      arguments: [{ name: 'path', description: 'srv://<repository>/<ref>/<path>' }],
      run: (context, { args }) => go(context, args[0] ?? '/'),
      render: () => '',
    }),
    defineCommand({
      name: 'pwd',
      summary: 'Show where the shell is',
      run: () => ({ uri: place.uri ? formatUri(place.uri) : '' }),
      render: ({ uri }) => uri,
    }),
  ];
}

/** @throws the server's error when the repository or ref does not exist. */
async function check({ client }: CommandContext, { repository, ref }: SrvUri): Promise<void> {
  const api = await client();
  if (ref === undefined) await api.getRepository({ repository });
  else await api.listObjects({ repository, ref, amount: 1 });
}

/** A bare name inside a ref: the branch of that name, when no folder has it. */
async function branchOf({ client }: CommandContext, here: SrvUri | undefined, name: string): Promise<SrvUri | undefined> {
  if (here?.ref === undefined || !/^[\w-]+$/.test(name)) return undefined;
  const { repository, ref, path = '' } = here;
  const api = await client();
  const { results } = await api.listObjects({ repository, ref, prefix: `${path}${name}/`, amount: 1 });
  if (results.length > 0) return undefined;
  try {
    await api.getBranch({ repository, branch: name });
    return { repository, ref: name };
  } catch (error) {
    if (isAnswerError(error, 404)) return undefined;
    throw error;
  }
}
