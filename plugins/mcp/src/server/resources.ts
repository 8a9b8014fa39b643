/** Objects as resources: `srv://<repository>/<ref>/<path>`. */
import { isSrvError } from '@srv/kernel';
import { may, objectArn, repositoryArn } from '@srv/lib-api';
import { RpcError, codes } from './protocol/errors.js';
import { readPart, textOf } from './tools/read-object.js';
import type { McpContext } from './context.js';
import type { Params } from './protocol/message.js';

const maxText = 262_144;
const maxBlob = 1 << 20;
const pageSize = 100;

export const template = {
  uriTemplate: 'srv://{repository}/{ref}/{+path}',
  name: 'object',
  title: 'Object of a repository',
  description: 'An object at a branch, tag or commit. The path keeps its slashes.',
};

/** The repositories that the caller sees. */
export async function listResources({ engine, face }: McpContext, params: Params): Promise<object> {
  const { cursor = '' } = params;
  if (typeof cursor !== 'string' || cursor.length > 100) throw new RpcError(codes.params, 'the cursor is not one of this server');
  const isVisible = await face.visibility('fs:ListRepositories');
  const page = await engine.listRepositories({ after: cursor, amount: pageSize, visible: ({ id }) => isVisible(repositoryArn(id)) });
  return {
    resources: page.results.map(({ id, defaultBranch }) => ({
      uri: `srv://${id}`,
      name: id,
      title: `Repository ${id}`,
      description: `Its default branch is ${defaultBranch}; objects are srv://${id}/<ref>/<path>`,
      mimeType: 'application/json',
    })),
    nextCursor: page.hasMore ? page.nextOffset : undefined,
  };
}

/** @throws RpcError for what does not exist, what the caller may not read, and what is too large. */
export async function readResource(context: McpContext, params: Params): Promise<object> {
  const { uri } = params;
  const match = typeof uri === 'string' ? /^srv:\/\/([^/?#]+)(?:\/([^/?#]+)\/([^?#]+))?\/?$/.exec(uri) : null;
  if (typeof uri !== 'string' || !match) throw new RpcError(codes.params, 'the uri is not srv://<repository>/<ref>/<path>');
  const [repository, ref, path] = match.slice(1).map(decode);
  try {
    if (repository !== undefined && ref !== undefined && path !== undefined)
      return await readObject(context, uri, { repository, ref, path });
    return await describeRepository(context, uri, repository ?? '');
  } catch (error) {
    if (!isSrvError(error, 'not_found', 'invalid', 'denied', 'gone', 'no_data')) throw error;
    throw new RpcError(codes.params, `${uri} cannot be read: ${context.http.describe(error).message}`, { data: { uri } });
  }
}

async function describeRepository({ engine, face }: McpContext, uri: string, id: string): Promise<object> {
  await face.demand(may('fs:ReadRepository', repositoryArn(id)));
  const { defaultBranch, readOnly, creationDate } = await engine.getRepository(id);
  const text = JSON.stringify({ id, default_branch: defaultBranch, read_only: readOnly, created: creationDate.toISOString() });
  return { contents: [{ uri, mimeType: 'application/json', text }] };
}

interface Place {
  readonly repository: string;
  readonly ref: string;
  readonly path: string;
}

async function readObject({ engine, face }: McpContext, uri: string, { repository, ref, path }: Place): Promise<object> {
  await face.demand(may('fs:ReadObject', objectArn(repository, path)));
  const entry = await engine.getEntry(repository, ref, path);
  const bytes =
    entry.size <= maxBlob ? await readPart(engine, repository, entry, { offset: 0, length: maxBlob, signal: face.signal }) : undefined;
  const text = bytes && bytes.length <= maxText ? textOf(bytes) : undefined;
  const isWhole = text !== undefined && Buffer.byteLength(text) === entry.size;
  if (!bytes)
    throw new RpcError(codes.params, `${uri} has ${entry.size} bytes; read it in parts with the tool read_object, offset and length`, {
      data: { uri },
    });
  return { contents: [{ uri, mimeType: entry.contentType, ...(isWhole ? { text } : { blob: bytes.toString('base64') }) }] };
}

function decode(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
