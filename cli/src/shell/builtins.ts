/** Commands of the shell alone. */
import { argument, defineCommand, formatUri, required } from '@srv/lib-commands';
import type { SrvUri } from '@srv/lib-commands';
import type { Command, CommandContext } from '@srv/kernel';
import { Place } from './place.js';

export function placeCommands(place: Place): Command[] {
  const go = async (context: CommandContext, target: string): Promise<{ readonly uri: string }> => {
    // The place changes only when the server knows it.
    const next = new Place();
    const uri = next.move(place.uri || target.includes('://') ? place.resolve(target, 'place') : `srv://${target}`);
    await check(context, uri);
    return { uri: formatUri(place.move(formatUri(uri))) };
  };
  return [
    defineCommand({
      name: 'use',
      summary: 'Go to a repository, ref or folder',
      arguments: [required('URI', 'srv://<repository>/<ref>/<path>')],
      run: (context, input) => go(context, argument(input, 0)),
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

/** @throws the server's refusal when there is no such repository or ref. */
async function check({ client }: CommandContext, { repository, ref }: SrvUri): Promise<void> {
  const api = await client();
  if (ref === undefined) await api.getRepository({ repository });
  else await api.listObjects({ repository, ref, amount: 1 });
}
