import { messageOf } from '@srv/kernel';
import { argument, commitArgument, defineCommand, isAnswerError, sameRepository, tagArgument } from '@srv/lib-commands';
import type { Client } from '../../operations/client.js';

export const tagCreate = defineCommand({
  name: 'tag create',
  summary: 'Create a new tag in a repository',
  examples: ['cli tag create srv://example-repo/v1.0 srv://example-repo/2397cc9a9d04c20a4e5739b42c1dd3d8ba655c0b3a3b974850895a13d8bf9917'],
  arguments: [tagArgument, commitArgument],
  options: [{ name: 'force', short: 'f', type: 'bool', default: false, description: 'override the tag if it exists' }],
  async run(context, input) {
    const tag = context.uri.ref(argument(input, 0), 'tag URI');
    const commit = context.uri.ref(argument(input, 1), 'commit URI');
    context.echo('Tag ref', tag);
    sameRepository(tag, commit, 'both references must belong to the same repository');
    const api = await context.client();
    const wanted = { repository: tag.repository, tag: tag.ref, ref: commit.ref };
    return input.options.force === true ? move(api, wanted) : create(api, wanted);
  },
  render: ({ id, commit_id: commitId }) => `Created tag '${id}' (${commitId})`,
});

interface WantedTag {
  readonly repository: string;
  readonly tag: string;
  readonly ref: string;
}

function create(api: Client, { repository, tag, ref }: WantedTag) {
  return api.createTag({ repository, body: { id: tag, ref } });
}

/**
 * The API has no way to move a tag: the old one goes first. In between, the new target is known to exist, and a failure puts
 * the old tag back.
 */
async function move(api: Client, wanted: WantedTag) {
  const { repository, tag, ref } = wanted;
  const { id: target } = await api.getCommit({ repository, commitId: ref });
  const old = await absentAsUndefined(api.getTag({ repository, tag }));
  if (old?.commit_id === target) return old;
  if (!old) return create(api, wanted);
  await absentAsUndefined(api.deleteTag({ repository, tag }));
  try {
    return await create(api, wanted);
  } catch (error) {
    await putBack(api, { ...wanted, ref: old.commit_id }, error);
    throw error;
  }
}

async function putBack(api: Client, old: WantedTag, reason: unknown): Promise<void> {
  await create(api, old).catch((error: unknown) => {
    // Someone has made a tag of that name.
    if (isAnswerError(error, 409)) return;
    throw new Error(
      `tag ${old.tag} could not be moved (${messageOf(reason)}) nor put back (${messageOf(error)}); it was at commit ${old.ref}`,
      { cause: error },
    );
  });
}

async function absentAsUndefined<T>(found: Promise<T>): Promise<T | undefined> {
  return found.catch((error: unknown) => {
    if (isAnswerError(error, 404)) return undefined;
    throw error;
  });
}
