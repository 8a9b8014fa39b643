/** Large files by LFS: which are wanted, where they lie, and whether they arrived. */
import { setImmediate } from 'node:timers/promises';
import { branchArn, may, repositoryArn } from '@srv/lib-api';
import { jsonResponse } from '@srv/lib-api/http';
import { identifierType, namespaceOf } from '@srv/lib-stores/block';
import { urlOf } from '../address.js';
import { isRecord, readJson, textMember } from '../body.js';
import { findByHash, mostSearched } from '../by-hash.js';
import { HubError } from '../errors.js';
import { demandProposal } from '../proposals.js';
import { aliasOf, findRepo, findRevision } from '../revision.js';
import { bytesOfPart, partCountOf } from './part-sizes.js';
import { signedPath } from './signed-url.js';
import type { Repository } from '@srv/engine/contract';
import type { HttpResponse } from '@srv/http/contract';
import type { RepoContext, RepoRoute } from '../context.js';
import type { Upload } from './record.js';

/** Objects of one request. */
const maxObjects = 1000;
/** Parts of all files of one request: their URLs take some 60 MB. */
const maxParts = 200_000;
/** URLs that are signed without a pause. */
const signedAtOnce = 50;
/** Milliseconds in which an upload may begin. */
const urlLifetime = 6 * 3_600_000;
const lfsType = 'application/vnd.git-lfs+json';

interface LfsObject {
  /** SHA-256 in hex. */
  readonly oid: string;
  /** Bytes. */
  readonly size: number;
}

interface Batch {
  readonly repository: Repository;
  /** Branch; for downloads any revision, or the branch of another Git repository, for which the default branch is taken. */
  readonly ref: string;
  readonly objects: readonly LfsObject[];
  /** The client can send a file in parts. */
  readonly takesParts: boolean;
}

/** @throws HubError 400, 422 for an operation that is not known. */
export const batch: RepoRoute = async context => {
  const { operation, objects, ref, transfers, hash_algo: algorithm = 'sha256' } = await readJson(context);
  if (algorithm !== 'sha256') throw new HubError(400, 'hash_algo is not sha256');
  if (!Array.isArray(objects) || objects.length > maxObjects) throw new HubError(400, `objects is not a list of at most ${maxObjects}`);
  const repository = await findRepo(context.engine, context.repo);
  const name = (isRecord(ref) ? textMember(ref, 'name') : undefined)?.replace(/^refs\/(?:heads|tags)\//, '');
  const request = {
    repository,
    ref: name ?? repository.defaultBranch,
    objects: objects.map(checkedObject),
    takesParts: Array.isArray(transfers) && transfers.includes('multipart'),
  };
  if (operation === 'download') return download(context, request);
  if (operation === 'upload') return upload(context, request);
  throw new HubError(422, `operation is ${JSON.stringify(operation ?? null).slice(0, 100)}; allowed: upload, download`);
};

/** A file is read by its path, with the credentials of the client and its rights there. */
async function download(context: RepoContext, { repository, ref, objects }: Batch): Promise<HttpResponse> {
  const { engine, face, repo, origin } = context;
  await face.demand(may('fs:ListObjects', repositoryArn(repo.repository)));
  const commit = await findRevision(engine, repository, ref).catch((error: unknown) => {
    if (error instanceof HubError) return findRevision(engine, repository, repository.defaultBranch);
    throw error;
  });
  const files = await findByHash(context, { repository, commit }, new Set(objects.map(({ oid }) => oid)));
  const answers = objects.map(({ oid, size }) => {
    const file = files.get(oid);
    if (file?.size !== size) {
      const message = `no file with this SHA-256 and size is among the first ${mostSearched} of ${ref} that you may read, or in an index of its metadata`;
      return { oid, size, error: { code: 404, message } };
    }
    const path = file.path.split('/').map(encodeURIComponent).join('/');
    return { oid, size, actions: { download: { href: `${urlOf(origin, repo)}/resolve/${aliasOf(commit.id)}/${path}`, header: {} } } };
  });
  return lfsAnswer({ transfer: 'basic', objects: answers, hash_algo: 'sha256' });
}

async function upload(context: RepoContext, { repository, ref, objects, takesParts }: Batch): Promise<HttpResponse> {
  const { face, repo, uploads, request } = context;
  // The commit that would refer to its files goes to a Git server.
  if (/^git-lfs\//i.test(request.headers['user-agent'] ?? ''))
    throw new HubError(
      403,
      'git lfs cannot upload here, since its commits go to a Git server: upload files by huggingface_hub or hf upload',
    );
  // A pull request needs no right to commit to the branch that it is to be merged into.
  if (!(await face.may(may('fs:CreateCommit', branchArn(repo.repository, ref))))) await demandProposal(context);
  if (takesParts) demandFewParts(objects);
  const user = face.user.username;
  const verify = { href: `${context.origin}${(request.url ?? '').split('?', 1)[0]?.replace(/batch$/, 'verify') ?? ''}` };
  const areThere = await Promise.all(
    objects.map(async ({ oid }) => {
      const upload = await uploads.find({ repository, user, oid });
      return upload !== undefined && isStored(context, repository, upload);
    }),
  );
  const answers: object[] = [];
  for (const [i, object] of objects.entries()) {
    if (areThere[i]) {
      answers.push(object);
      continue;
    }
    const comesInParts = takesParts && partCountOf(object.size) > 1;
    const actions = { upload: await uploadAction(context, repository, { ...object, comesInParts }), verify };
    answers.push({ ...object, authenticated: true, actions });
  }
  return lfsAnswer({ transfer: takesParts ? 'multipart' : 'basic', objects: answers, hash_algo: 'sha256' });
}

/** @throws HubError 413. */
function demandFewParts(objects: readonly LfsObject[]): void {
  const parts = objects.reduce((sum, { size }) => sum + partCountOf(size), 0);
  if (parts > maxParts)
    throw new HubError(
      413,
      `${objects.length} files have ${parts} parts, more than ${maxParts} in one request; ask for fewer files at a time`,
    );
}

/** Garbage collection does not know that an upload waits for its commit. */
function isStored({ block }: RepoContext, repository: Repository, { address }: Upload): Promise<boolean> {
  return block.exists({ namespace: namespaceOf(repository), identifier: address, identifierType: identifierType.relative });
}

/** Where a file goes: at once, or in parts, whose URLs clients look for among the headers. */
async function uploadAction(
  context: RepoContext,
  repository: Repository,
  { oid, size, comesInParts }: LfsObject & { readonly comesInParts: boolean },
): Promise<object> {
  const { engine, face, origin, services } = context;
  const key = services.get('api').signingKey;
  const { id, instanceUid: instance } = repository;
  const whole = { repository: id, instance, user: face.user.username, oid, size, expires: Date.now() + urlLifetime };
  if (!comesInParts) return { href: origin + signedPath(whole, key), header: {} };
  const address = engine.allocateAddress();
  const urlOfPart = (number: number): string => origin + signedPath({ ...whole, part: { address, number } }, key);
  const urls: Record<string, string> = {};
  for (let number = 1; number <= partCountOf(size); number++) {
    // Each takes a tenth of a millisecond.
    if (number % signedAtOnce === 0) await setImmediate();
    urls[String(number).padStart(5, '0')] = urlOfPart(number);
  }
  return { href: urlOfPart(0), header: { chunk_size: String(bytesOfPart(size, 1)), ...urls } };
}

export const verify: RepoRoute = async context => {
  const { engine, face, repo, uploads } = context;
  const { oid, size } = checkedObject(await readJson(context));
  const found = await uploads.find({ repository: await findRepo(engine, repo), user: face.user.username, oid });
  if (found?.size !== size) throw new HubError(404, `${oid} was not uploaded`);
  return lfsAnswer({});
};

function lfsAnswer(content: object): HttpResponse {
  const answer = jsonResponse(200, content);
  return { ...answer, headers: { ...answer.headers, 'Content-Type': lfsType } };
}

function checkedObject(object: unknown): LfsObject {
  const { oid, size } = isRecord(object) ? object : {};
  if (typeof oid !== 'string' || !/^[0-9a-f]{64}$/.test(oid)) throw new HubError(400, 'an oid is not a SHA-256 in hexadecimal digits');
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) throw new HubError(400, 'a size is not a number of bytes');
  return { oid, size };
}
