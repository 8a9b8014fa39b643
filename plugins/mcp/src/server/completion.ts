/** Values for variables of the resource template and for arguments of prompts. */
import { isSrvError } from '@srv/kernel';
import { may, repositoryArn } from '@srv/lib-api';
import { argumentKind } from './prompts.js';
import { RpcError, codes } from './protocol/errors.js';
import { isRecord } from './protocol/message.js';
import type { McpContext } from './context.js';
import type { Params } from './protocol/message.js';

const maxValues = 100;

/** @throws RpcError for what is neither. */
export async function complete(context: McpContext, params: Params): Promise<object> {
  const { ref, argument, context: given } = params;
  if (!isRecord(argument) || !isRecord(ref)) throw new RpcError(codes.params, 'completion needs a ref and an argument');
  const { name, value } = argument;
  if (typeof name !== 'string' || typeof value !== 'string' || value.length > 1024)
    throw new RpcError(codes.params, 'argument has no name and value');
  const known = isRecord(given) && isRecord(given['arguments']) ? given['arguments'] : {};
  try {
    return { completion: await valuesFor(context, kindOf(ref, name), value, known) };
  } catch (error) {
    // What the caller may not see has no values.
    if (isSrvError(error, 'not_found', 'invalid', 'denied', 'gone')) return { completion: { values: [], hasMore: false } };
    throw error;
  }
}

/** What an argument names: a repository, a ref or a path. @throws RpcError. */
function kindOf(ref: Params, argument: string): string {
  if (ref['type'] === 'ref/resource') return argument;
  if (ref['type'] === 'ref/prompt') return argumentKind(String(ref['name']), argument);
  throw new RpcError(codes.params, 'completion is offered for the resource template srv://{repository}/{ref}/{+path} and for prompts');
}

async function valuesFor({ engine, face }: McpContext, name: string, value: string, known: Params): Promise<object> {
  const request = { prefix: value, amount: maxValues };
  const { repository, ref } = known;
  if (name === 'repository') {
    const isVisible = await face.visibility('fs:ListRepositories');
    const page = await engine.listRepositories({ ...request, visible: ({ id }) => isVisible(repositoryArn(id)) });
    return { values: page.results.map(({ id }) => id), hasMore: page.hasMore };
  }
  if (typeof repository !== 'string') return { values: [], hasMore: false };
  const resource = repositoryArn(repository);
  if (name === 'ref') {
    const branches = (await face.may(may('fs:ListBranches', resource))) ? await engine.listBranches(repository, request) : undefined;
    const tags = (await face.may(may('fs:ListTags', resource))) ? await engine.listTags(repository, request) : undefined;
    const values = [...(branches?.results ?? []), ...(tags?.results ?? [])].map(({ id }) => id);
    return {
      values: values.slice(0, maxValues),
      hasMore: values.length > maxValues || branches?.hasMore === true || tags?.hasMore === true,
    };
  }
  if (name !== 'path' || typeof ref !== 'string') return { values: [], hasMore: false };
  await face.demand(may('fs:ListObjects', resource));
  const page = await engine.list(repository, ref, { ...request, delimiter: '/' });
  return { values: page.results.map(({ path }) => path), hasMore: page.hasMore };
}
