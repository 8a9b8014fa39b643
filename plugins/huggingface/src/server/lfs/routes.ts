/** Large files by LFS: which are wanted, their bytes, and whether they arrived. */
import { branchArn, may } from '@srv/lib-api';
import { jsonResponse, wholeBody } from '@srv/lib-api/http';
import { isRecord, readJson, textMember } from '../body.js';
import { ContentStore } from '../commit/content.js';
import { HubError } from '../errors.js';
import { demandProposal } from '../proposals.js';
import { findRepo } from '../revision.js';
import { signedPath, verified } from './signed-url.js';
import type { HttpResponse, RawExchange } from '@srv/http/contract';
import type { HubParts, RepoRoute } from '../context.js';
import type { Uploads } from './record.js';

/** Objects of one request. */
const maxObjects = 1000;
/** Milliseconds in which an upload may begin. */
const urlLifetime = 6 * 3_600_000;
const lfsType = { 'Content-Type': 'application/vnd.git-lfs+json' };

export function lfsRoutes(uploads: Uploads): { readonly batch: RepoRoute; readonly verify: RepoRoute } {
  return {
    async batch(context) {
      const { engine, face, repo, origin, services } = context;
      const { operation, objects, ref, hash_algo: algorithm = 'sha256' } = await readJson(context);
      const repository = await findRepo(engine, repo);
      const name = (isRecord(ref) ? textMember(ref, 'name') : undefined)?.replace(/^refs\/heads\//, '') ?? repository.defaultBranch;
      // A pull request needs no right to commit to the branch that it is to be merged into.
      if (!(await face.may(may('fs:CreateCommit', branchArn(repo.repository, name))))) await demandProposal(context);
      if (operation !== 'upload') throw new HubError(501, 'files are downloaded by their paths: …/resolve/<revision>/<path>');
      if (algorithm !== 'sha256') throw new HubError(400, 'hash_algo is not sha256');
      if (!Array.isArray(objects) || objects.length > maxObjects) throw new HubError(400, `objects is not a list of at most ${maxObjects}`);
      const user = face.user.username;
      const answers = await Promise.all(
        objects.map(async object => {
          const { oid, size } = checkedObject(object);
          if (await uploads.find({ repository, user, oid })) return { oid, size };
          const expires = Date.now() + urlLifetime;
          const href = origin + signedPath({ repository: repo.repository, user, oid, size, expires }, services.get('api').signingKey);
          const verifyHref = `${origin}${(context.request.url ?? '').split('?', 1)[0]?.replace(/batch$/, 'verify') ?? ''}`;
          return { oid, size, authenticated: true, actions: { upload: { href, header: {} }, verify: { href: verifyHref } } };
        }),
      );
      const answer = jsonResponse(200, { transfer: 'basic', objects: answers, hash_algo: 'sha256' });
      return { ...answer, headers: lfsType };
    },
    async verify(context) {
      const { engine, face, repo } = context;
      const { oid, size } = checkedObject(await readJson(context));
      const found = await uploads.find({ repository: await findRepo(engine, repo), user: face.user.username, oid });
      if (found?.size !== size) throw new HubError(404, `${oid} was not uploaded`);
      return { ...jsonResponse(200, {}), headers: lfsType };
    },
  };
}

function checkedObject(object: unknown): { readonly oid: string; readonly size: number } {
  const { oid, size } = isRecord(object) ? object : {};
  if (typeof oid !== 'string' || !/^[0-9a-f]{64}$/.test(oid)) throw new HubError(400, 'an oid is not a SHA-256 in hexadecimal digits');
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) throw new HubError(400, 'a size is not a number of bytes');
  return { oid, size };
}

/** The bytes of a file; its URL says who sends them. @param parts decoded segments of the URL. */
export async function receive(
  { engine, block, log, services }: HubParts,
  uploads: Uploads,
  exchange: RawExchange,
  parts: readonly string[],
): Promise<HttpResponse> {
  const upload = verified(parts, services.get('api').signingKey);
  if (!upload || upload.expires < Date.now())
    throw new HubError(403, 'the URL of the upload is not valid, or has expired: ask for another one');
  const { oid, size, user } = upload;
  const repository = await findRepo(engine, { type: 'models', repository: upload.repository, id: upload.repository });
  exchange.user = user;
  const { request, response } = exchange;
  if (request.headers['content-length'] !== undefined && Number(request.headers['content-length']) !== size)
    throw new HubError(400, `the body has ${request.headers['content-length']} bytes, ${size} were announced`);
  if (request.headers.expect !== undefined) response.writeContinue();
  const contents = new ContentStore({ engine, block, log, repository, signal: new AbortController().signal });
  const writer = contents.open();
  try {
    for await (const piece of wholeBody(request)) await writer.write(piece as Buffer);
    const stored = await writer.end();
    if (stored.sha256 !== oid || stored.size !== size)
      throw new HubError(400, `the body has the SHA-256 ${stored.sha256} and ${stored.size} bytes, ${oid} and ${size} were announced`);
    await uploads.add({ repository, user, oid }, { address: stored.address, size, etag: stored.etag });
  } catch (error) {
    await writer.abandon(error instanceof Error ? error : new Error(String(error)));
    await contents.removeAllBut(new Set());
    throw error;
  }
  return { status: 200, headers: { ETag: `"${oid}"` } };
}
