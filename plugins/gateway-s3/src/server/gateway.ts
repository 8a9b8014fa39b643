/** A request in the gateway: caller, operation, permission, response. */
import { isSrvError } from '@srv/kernel';
import { RequestQuestion, anonymousBodies, clientName, cutOff, heldBodies, sourceIp, wasSent } from '@srv/lib-api/http';
import { logAccess } from './access-log.js';
import { isFramed } from './body/framing.js';
import { payloadMode } from './body/mode.js';
import { openPayload } from './body/payload.js';
import { forward } from './fallback.js';
import { formBoundary } from './form/parts.js';
import { maxFields, readForm } from './form/read-form.js';
import { formUpload, signatureOf } from './form/upload.js';
import { identify, verified } from './identify.js';
import { metricsLabel } from './meter.js';
import { operations } from './operations/index.js';
import { selectOperation } from './operations/operation.js';
import { ownerId } from './operations/owner.js';
import { listRepositories } from './operations/permissions.js';
import { postObject } from './operations/post-object.js';
import { refusalOf } from './operations/refusal.js';
import { rejectUnknownSubresource } from './operations/unsupported.js';
import { checkCurrentVersion } from './operations/versions.js';
import { matchHost, parseTarget } from './protocol/address.js';
import { crossOriginHeaders, preflightHeaders } from './protocol/cors.js';
import { S3Error, asS3Error } from './protocol/errors.js';
import { HeaderLines, withHoisted } from './protocol/headers.js';
import { checkExpectedOwner, rejectUnsupportedProtection } from './protocol/protection.js';
import { S3Response } from './s3-response.js';
import { mayHoist } from './signature/find.js';
import type { IncomingMessage } from 'node:http';
import type { Engine, Repository } from '@srv/engine/contract';
import type { Activity, Hooks, Identity, Logger, RawRequest } from '@srv/kernel';
import type { BlockStore } from '@srv/lib-stores/block';
import type { AuditLog } from '@srv/logging/contract';
import type { AccessFacts } from './access-log.js';
import type { Payload } from './body/payload.js';
import type { UploadForm } from './form/read-form.js';
import type { FormUpload } from './form/upload.js';
import type { Caller } from './identify.js';
import type { GatewayMeter } from './meter.js';
import type { BucketContext, GatewaySettings, ObjectContext, ServiceContext } from './operations/context.js';
import type { S3Operation } from './operations/operation.js';
import type { HostMatch, RequestUri, Target } from './protocol/address.js';
import type { CrossOrigin } from './protocol/cors.js';
import type { Query } from './protocol/query.js';
import type { SignedRequest } from './signature/request.js';
import type { UploadTracker } from './uploads/tracker.js';

export interface GatewayParts {
  readonly hooks: Pick<Hooks, 'gatewayOperation'>;
  readonly engine: Engine;
  readonly identity: Identity;
  readonly block: BlockStore;
  readonly uploads: UploadTracker;
  readonly log: Logger;
  readonly audit: AuditLog;
  /** For statistics and usage reports. */
  readonly count: (activity: Activity) => void;
  readonly meter: GatewayMeter;
  readonly settings: GatewaySettings;
  /** Configured domains, in lower case. */
  readonly domains: readonly string[];
  /** Origins of pages that may use the gateway from a browser. */
  readonly corsOrigins: readonly string[];
  readonly fallback?: URL | undefined;
  readonly verifyUnsupported: boolean;
  /** Milliseconds a body may stop; 0: any time. */
  readonly bodyTimeout: number;
  readonly now: () => Date;
}

/** A request with its target taken apart. */
interface TargetedRequest extends RawRequest {
  readonly uri: RequestUri;
  readonly query: Query;
}

/** UTF-8 bytes. */
const maxPath = 1024;

/** One request being processed. */
class RequestPipeline {
  readonly answer: S3Response;
  readonly #parts: GatewayParts;
  readonly #raw: TargetedRequest;
  readonly #host: HostMatch;
  readonly #uri: RequestUri;
  readonly #signed: SignedRequest;
  readonly #facts: AccessFacts;
  /** Address of the other end, read at once: an HTTP/2 connection that is gone has none. */
  readonly #peer: string;
  readonly #disconnect = new AbortController();
  /** Set when pages of other origins are allowed at all. */
  readonly #crossOrigin: CrossOrigin | undefined;
  payload: Payload | undefined;

  constructor(parts: GatewayParts, raw: TargetedRequest) {
    const { request, response } = raw;
    this.#parts = parts;
    this.#raw = raw;
    this.#peer = request.socket.remoteAddress ?? '';
    const { origin } = request.headers;
    this.#crossOrigin = origin === undefined || parts.corsOrigins.length === 0 ? undefined : crossOriginOf(request, origin);
    this.answer = new S3Response(request, response, {
      region: parts.settings.region,
      headers: this.#crossOrigin ? crossOriginHeaders(this.#crossOrigin, parts.corsOrigins) : {},
    });
    this.#host = matchHost(request.headers.host ?? '', parts.domains);
    this.#uri = raw.uri;
    this.#signed = {
      method: request.method ?? 'GET',
      path: this.#uri.path,
      query: raw.query,
      headers: new HeaderLines(request.rawHeaders),
      hostRepository: this.#host.repository,
    };
    this.#facts = { requestId: this.answer.requestId };
    logAccess(raw, this.#facts, parts);
    response.once('close', () => {
      if (!wasSent(request, response)) this.#disconnect.abort();
    });
    // The reader of a body listens for errors; a request without a body has no reader.
    request.on('error', () => undefined);
    response.on('error', () => undefined);
  }

  /** Whether `error` only says that the client has disconnected. */
  isClientDisconnect(error: unknown): boolean {
    return this.#disconnect.signal.aborted && isConnectionLost(error);
  }

  async run(): Promise<void> {
    const target = parseTarget(this.#uri.path, this.#host);
    this.answer.target = target;
    const boundary = formBoundaryOf(this.#signed, target);
    this.#facts.meter = this.#parts.meter.begin(target, this.#signed.method, boundary !== undefined);
    if (this.#crossOrigin && this.#signed.method === 'OPTIONS') {
      this.#facts.operation = 'PreflightRequest';
      return this.answer.empty(200, preflightHeaders(this.#crossOrigin, this.#parts.corsOrigins));
    }
    if (boundary !== undefined && target?.kind === 'bucket') return this.#takeForm(target.repository, boundary);
    const { request } = this.#raw;
    const from = (): string => sourceIp(this.#peer, request.headers);
    const caller = await identify(this.#signed, this.#parts, from);
    this.#facts.user = caller.user;
    if (!target) throw new S3Error('InvalidURI');
    const service = this.#context(caller);
    if (target.kind === 'service') return this.#perform(operations.service, service);
    const repository = await this.#findRepository(target.repository, service);
    if (!repository) return this.#handleMissingBucket(service);
    const bucket: BucketContext = { repository, ...service };
    if (target.kind === 'bucket') return this.#perform(operations.bucket, bucket);
    const { ref, path } = target;
    if (target.kind === 'root' && this.#signed.method === 'PUT') return this.#perform(operations.root, { ref, path, ...bucket });
    if (target.kind !== 'object') throw new S3Error('NoSuchKey');
    return this.#perform(operations.object, { ref, path, ...bucket });
  }

  /** An upload by a form says who it is from, and what it is about, in its body. */
  async #takeForm(bucketName: string, boundary: string): Promise<void> {
    const { bodyTimeout } = this.#parts;
    const { request, response } = this.#raw;
    this.#facts.operation = 'PostObject';
    const release = await anonymousBodies.hold(response, Math.min(maxFields, Number(request.headers['content-length'] ?? maxFields)));
    this.answer.acceptBody();
    const form = await readForm(request, boundary, bodyTimeout).finally(release);
    try {
      await this.#takeUpload(bucketName, form);
    } finally {
      form.close();
    }
  }

  async #takeUpload(bucketName: string, form: UploadForm): Promise<void> {
    const { now } = this.#parts;
    const caller = await verified(signatureOf(form), this.#parts);
    this.#facts.user = caller.user;
    const upload = formUpload(form, bucketName, now());
    const { ref, path } = upload;
    this.answer.target = { kind: 'object', repository: bucketName, ref, path };
    const service = this.#context(caller, upload);
    const repository = await this.#findRepository(bucketName, service);
    // Its body has been read: it cannot be forwarded any more.
    if (!repository) throw new S3Error((await service.decide(listRepositories)).allowed ? 'NoSuchBucket' : 'AccessDenied');
    if (ref === '' || path === '') throw new S3Error('InvalidArgument', { message: 'The key must be <branch>/<path>.' });
    return this.#perform([postObject(upload)], { ref, path, repository, ...service });
  }

  async #perform<C extends ServiceContext & Partial<ObjectContext>>(list: readonly S3Operation<C>[], context: C): Promise<void> {
    const operation = selectOperation(this.#offered(list), context);
    if (!operation) return this.answer.empty(404);
    const { name, writes = false } = operation;
    this.#facts.operation = name;
    const permission = operation.permission?.(context);
    if (permission) {
      const decision = await context.decide(permission);
      if (!decision.allowed) throw await refusalOf(permission, decision, context);
    }
    this.#count(context);
    checkExpectedOwner(context.headers, () => ownerId(context.identity));
    rejectUnsupportedProtection(context.headers);
    if (operation.unsupported) {
      if (await this.#isTakenOver(name, context)) return;
      return operation.handle?.(context);
    }
    if (context.path !== undefined) {
      if (writes) rejectUnknownSubresource(operation, context);
      else checkCurrentVersion(context.query.get('versionId'));
    }
    if (context.path !== undefined && Buffer.byteLength(context.path) > maxPath) throw new S3Error('KeyTooLongError');
    if (writes && context.repository?.readOnly) throw new S3Error('ErrReadOnlyRepository');
    if (await this.#isTakenOver(name, context)) return;
    if (!operation.handle) throw new S3Error('NotImplemented');
    await operation.handle(context);
  }

  #count({ method, repository, ref, user }: ServiceContext & Partial<ObjectContext>): void {
    this.#parts.count({
      class: 's3_gateway',
      name: metricsLabel(this.answer.target, method),
      repository: repository?.id,
      ref,
      user: user.username,
      client: clientName(this.#raw.request.headers),
    });
  }

  /** Reads that are not offered may answer as if the query did not name them; writes would destroy what they name. */
  #offered<C>(list: readonly S3Operation<C>[]): readonly S3Operation<C>[] {
    if (this.#parts.verifyUnsupported) return list;
    return list.filter(({ unsupported, query, writes }) => !unsupported || query === undefined || writes);
  }

  async #isTakenOver(operation: string, context: ServiceContext & Partial<ObjectContext>): Promise<boolean> {
    const hook = this.#parts.hooks.gatewayOperation.get(operation);
    return hook !== undefined && (await hook.promise({ operation, ...context })) === true;
  }

  /** @param form the upload, where the request is one by a form. */
  #context(caller: Caller, form?: FormUpload): ServiceContext {
    const { engine, identity, block, uploads, settings, log } = this.#parts;
    const { request } = this.#raw;
    const { method, query } = this.#signed;
    const { user, signature } = caller;
    const headers = form ? form.headers : mayHoist(signature) ? withHoisted(this.#signed.headers, query) : this.#signed.headers;
    return {
      method,
      query,
      headers,
      signature,
      isFramed: isFramed(request),
      origin: this.#origin(),
      user,
      engine,
      identity,
      block,
      uploads,
      settings,
      log: log.child({ request_id: this.answer.requestId }),
      answer: this.answer,
      signal: this.#disconnect.signal,
      payload: (about = 'body') => {
        this.payload = openPayload(form ? form.file : request, {
          headers,
          mode: form ? { kind: 'plain' } : payloadMode(headers, caller.signer),
          hasChecksums: about === 'body',
          idleLimit: this.#parts.bodyTimeout,
          hold: size => heldBodies.holdFor(this.#raw.response, size),
          sizes: form?.sizes,
        });
        this.answer.acceptBody();
        return this.payload;
      },
      decide: async permission => identity.authorize(new RequestQuestion(user, permission, this.#peer, request.headers)),
    };
  }

  #origin(): string {
    const { headers, socket } = this.#raw.request;
    const secure = 'encrypted' in socket || headers['x-forwarded-proto'] === 'https' || headers['x-forwarded-ssl'] === 'on';
    const { repository } = this.#host;
    const host = headers.host ?? '';
    return `${secure ? 'https' : 'http'}://${repository === undefined ? host : host.slice(repository.length + 1)}`;
  }

  /** A name that no repository can have is answered like a missing repository. */
  async #findRepository(id: string, { engine }: ServiceContext): Promise<Repository | undefined> {
    try {
      return await engine.getRepository(id);
    } catch (error) {
      if (isSrvError(error, 'not_found', 'invalid', 'gone')) return undefined;
      throw error;
    }
  }

  async #handleMissingBucket(context: ServiceContext): Promise<void> {
    const { fallback, domains } = this.#parts;
    if (!(await context.decide(listRepositories)).allowed) throw new S3Error('AccessDenied');
    if (fallback) return forward(this.#raw, this.#uri, { url: fallback, domains }, () => this.answer.acceptBody());
    if (this.#uri.path.startsWith('/api/v1')) throw new S3Error('ErrNoSuchBucketPossibleAPIEndpoint');
    if (this.answer.target?.kind === 'bucket' && context.method === 'PUT') throw new S3Error('NotImplemented');
    throw new S3Error('NoSuchBucket');
  }
}

/** The boundary of a form that uploads an object. Other credentials than those of its policy make it another request. */
function formBoundaryOf({ method, headers, query }: SignedRequest, target: Target | undefined): string | undefined {
  if (method !== 'POST' || target?.kind !== 'bucket' || query.pairs.length > 0 || headers.text('authorization') !== undefined)
    return undefined;
  return formBoundary(headers.text('content-type') ?? '');
}

/** What reads, writes and waits fail with when the connection is gone. */
const lostConnection = new Set(['ABORT_ERR', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED', 'ECONNRESET', 'EPIPE', 'cancelled']);

function isConnectionLost(error: unknown): boolean {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth++)
    if (cause.name === 'AbortError' || ('code' in cause && lostConnection.has(String(cause.code)))) return true;
  return false;
}

function crossOriginOf({ headers }: IncomingMessage, origin: string): CrossOrigin {
  return { origin, method: headers['access-control-request-method'], headers: headers['access-control-request-headers'] };
}

/** Answers one request, whatever happens. */
export async function serve(parts: GatewayParts, raw: TargetedRequest): Promise<void> {
  const pipeline = new RequestPipeline(parts, raw);
  try {
    await pipeline.run();
  } catch (thrown) {
    // What was wrong with the body explains why the store gave up.
    const error = pipeline.payload?.failure() ?? asS3Error(thrown);
    const { answer } = pipeline;
    if (error.status >= 500 && error.status !== 501 && (answer.isBroken || !pipeline.isClientDisconnect(thrown))) {
      parts.log.error({ request_id: answer.requestId, code: error.code, error: causes(thrown) }, 'S3 request failed');
    }
    // An answer that has begun cannot be changed any more.
    if (answer.ended) return;
    if (answer.begun) cutOff(raw.response);
    else await answer.error(error).catch(() => cutOff(raw.response));
  }
}

function causes(error: unknown): string {
  const texts: string[] = [];
  for (let cause = error; cause !== undefined && texts.length < 5; cause = cause instanceof Error ? cause.cause : undefined)
    texts.push(String(cause));
  return texts.join(': ');
}
