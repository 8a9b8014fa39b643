/** `ls` of the shell: what is at a place, whatever its level. */
import { everything, formatUri, parseUri } from '@srv/lib-commands';
import type { Command, CommandContext, CommandInput, SrvUri } from '@srv/lib-commands';
import type {} from '../operations/index.js';
import type { CurrentUri } from './current-uri.js';

/** A repository, branch or tag. */
interface Named {
  readonly kind: 'repository' | 'branch' | 'tag';
  readonly id: string;
}

/** @param objects the command that lists the objects of a folder. */
export function placeListing(objects: Command, place: CurrentUri): Command {
  return {
    ...objects,
    name: 'ls',
    summary: 'List what is here: repositories, branches and tags, or objects',
    arguments: [{ name: 'path URI', description: 'srv://<repository>/<ref>/<path>' }],
    run(context, input) {
      const [target = ''] = input.args;
      const uri = placeOf(target, place);
      if (uri === undefined) return repositories(context);
      if (uri.ref === undefined) return refs(context, uri.repository);
      return objects.run(context, objectsOf(input));
    },
    render(item, context, input) {
      if (isNamed(item)) return `${item.kind.padEnd(12)}    ${context.terminal.colours.yellowBright(item.id)}`;
      const shown = objects.render?.(relative(item, place.uri, context, input) as never, context, objectsOf(input));
      return shown ?? '';
    },
  };
}

const objectsOf = (input: CommandInput): CommandInput => ({ ...input, args: [input.args[0] ?? '.'] });

/** @returns `undefined` above all repositories. */
function placeOf(target: string, place: CurrentUri): SrvUri | undefined {
  const here = target === '' || target === '.';
  if (here) return place.uri;
  const resolved = place.uri || target.includes('://') ? place.resolve(target, 'place') : `srv://${target}`;
  const { repository, ref } = parseUri(resolved);
  return ref ? { repository, ref } : { repository };
}

async function* repositories({ client }: CommandContext): AsyncGenerator<Named> {
  const api = await client();
  for await (const { id } of everything(page => api.listRepositories(page))) yield { kind: 'repository', id };
}

async function* refs({ client }: CommandContext, repository: string): AsyncGenerator<Named & { readonly commit_id: string }> {
  const api = await client();
  for await (const { id, commit_id } of everything(page => api.listBranches({ repository, ...page })))
    yield { kind: 'branch', id, commit_id };
  for await (const { id, commit_id } of everything(page => api.listTags({ repository, ...page }))) yield { kind: 'tag', id, commit_id };
}

function isNamed(item: unknown): item is Named {
  return typeof item === 'object' && item !== null && 'kind' in item && !('path_type' in item);
}

/** Of a recursive listing: with a path that is valid in lines typed here. */
function relative(item: unknown, here: SrvUri | undefined, { uri }: CommandContext, input: CommandInput): unknown {
  if (input.options['recursive'] !== true || here?.path === undefined) return item;
  const listed = uri.path(input.args[0] ?? '.');
  const { path } = item as { readonly path: string };
  if (formatUri({ ...here, path: '' }) !== formatUri({ ...listed, path: '' })) return item;
  return { ...(item as object), path: path.startsWith(here.path) ? path.slice(here.path.length) : `/${path}` };
}
