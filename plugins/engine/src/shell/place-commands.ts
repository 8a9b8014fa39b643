/** Commands of the shell alone. */
import { SrvError } from '@srv/kernel';
import { UsageError, argument, defineCommand, formatUri, isAnswerError, required } from '@srv/lib-commands';
import { CurrentUri } from './current-uri.js';
import type { Command, CommandContext, SrvUri } from '@srv/lib-commands';
import type {} from '../operations/index.js';

export function placeCommands(place: CurrentUri): Command[] {
  const go = async (context: CommandContext, target: string): Promise<{ readonly uri: string }> => {
    if (target === '..' && place.uri === undefined)
      throw new UsageError('this is the top: ls lists the repositories, use <repository> goes to one');
    if (target === '..' && place.uri?.ref === undefined) return leave();
    // The place changes only when the server knows it.
    const next = new CurrentUri();
    const uri = next.move(place.uri || target.includes('://') ? place.resolve(target, 'place') : `srv://${target}`);
    const above = target === '..' && place.uri?.path === undefined ? { repository: uri.repository } : uri;
    await check(context, above);
    return { uri: formatUri(place.move(formatUri(above))) };
  };
  const leave = (): { readonly uri: string } => {
    place.leave();
    return { uri: '' };
  };
  return [
    defineCommand({
      name: 'use',
      summary: 'Go to a repository, ref or folder',
      arguments: [required('URI', 'srv://<repository>/<ref>/<path>')],
      run: async (context, input) => {
        const target = argument(input, 0);
        const ref = await refOf(context, place.uri, target);
        return go(context, ref ? formatUri(ref) : target);
      },
      render: () => '',
    }),
    defineCommand({
      name: 'cd',
      summary: 'Go to a folder, ref or repository; .. goes up',
      arguments: [{ name: 'path', description: 'srv://<repository>/<ref>/<path>' }],
      run: (context, { args: [target = place.uri?.ref === undefined ? '' : '/'] }) => (target === '' ? leave() : go(context, target)),
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

/** @throws the server's error when the repository or ref does not exist, SrvError when nothing is in the folder. */
async function check({ client }: CommandContext, uri: SrvUri): Promise<void> {
  const { repository, ref, path } = uri;
  const api = await client();
  if (ref === undefined) {
    await api.getRepository({ repository });
    return;
  }
  const { results } = await api.listObjects({ repository, ref, amount: 1, prefix: path || undefined });
  if (path && results.length === 0)
    throw new SrvError('not_found', `${formatUri(uri)} does not exist: no object has a path that begins with it`);
}

/** A bare name inside a ref: the branch or tag of that name, when no folder has it. */
async function refOf({ client }: CommandContext, here: SrvUri | undefined, name: string): Promise<SrvUri | undefined> {
  if (here?.ref === undefined || !/^[^\s/]+$/.test(name) || name === '.' || name === '..') return undefined;
  const { repository, ref, path = '' } = here;
  const api = await client();
  const { results } = await api.listObjects({ repository, ref, prefix: `${path}${name}/`, amount: 1 });
  if (results.length > 0) return undefined;
  const exists = await existing(
    () => api.getBranch({ repository, branch: name }),
    () => api.getTag({ repository, tag: name }),
  );
  return exists ? { repository, ref: name } : undefined;
}

/** Whether one of the questions is answered. */
async function existing(...questions: readonly (() => Promise<unknown>)[]): Promise<boolean> {
  for (const ask of questions) {
    try {
      await ask();
      return true;
    } catch (error) {
      // A name that no branch can have may be that of a tag.
      if (!isAnswerError(error, 400, 404)) throw error;
    }
  }
  return false;
}
