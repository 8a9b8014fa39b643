/** One operation of the API as data. Routes, validation, authorization, audit lines, the OpenAPI document and the client come from it. */
import type { Readable } from 'node:stream';
import type { Permission } from '@srv/kernel';
import type { OperationContext } from './context.js';
import type { Reply } from './reply.js';
import type { Field, Fields, In, InOf, Out, OutOf } from './schema/field.js';

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Who may call: `public`, bad credentials are ignored; `anyone`, a user is welcome but not needed, bad credentials are
 * refused; `user`, any authenticated user, or those the operation's permission admits.
 */
export type Access = 'public' | 'anyone' | 'user';

/** The body of a request: JSON of a schema, or bytes that are streamed. */
export type BodySpec = Field | 'stream';

/** The body of a successful answer. */
export type ResultSpec =
  | { readonly kind: 'json'; readonly schema: Field }
  | { readonly kind: 'text' }
  | { readonly kind: 'bytes'; readonly contentType?: string }
  | { readonly kind: 'empty' };

export const json = <F extends Field>(schema: F): { readonly kind: 'json'; readonly schema: F } => ({ kind: 'json', schema });
export const plainText = { kind: 'text' } as const;
export const bytes = { kind: 'bytes' } as const;
/** Content that always has this type. */
export const bytesOfType = (contentType: string) => ({ kind: 'bytes', contentType }) as const;
export const empty = { kind: 'empty' } as const;

/** What a client may send as bytes; a function can be called again when the request is repeated. */
export type Upload = Buffer | string | Readable | (() => Readable);

/** A received body that is read as it arrives. */
export interface Download {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
}

type BodyOut<B> = B extends 'stream' ? { readonly body: Readable } : B extends Field ? { readonly body: Out<B> } : unknown;
type BodyIn<B> = B extends 'stream'
  ? { readonly body: Upload }
  : B extends Field
    ? undefined extends In<B>
      ? { readonly body?: In<B> }
      : { readonly body: In<B> }
    : unknown;

/** What a handler gets: parameters of path, query and headers by name, and the body. */
export type HandlerInput<P extends Fields, Q extends Fields, H extends Fields, B> = OutOf<P> & OutOf<Q> & OutOf<H> & BodyOut<B>;

type HandlerResult<R> = R extends { kind: 'json'; schema: infer F }
  ? Out<F> | Reply
  : R extends { kind: 'text' }
    ? string
    : R extends { kind: 'bytes' }
      ? Reply
      : // biome-ignore lint/suspicious/noConfusingVoidType: handlers without a result pass on what the engine returns
        void | Reply;

export interface OperationSpec<P extends Fields, Q extends Fields, H extends Fields, B extends BodySpec | undefined, R extends ResultSpec> {
  readonly operationId: string;
  readonly method: Method;
  /** Below the base path; `{name}` is replaced by a member of `params`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly deprecated?: boolean;
  readonly access?: Access;
  readonly params?: P;
  readonly query?: Q;
  /** By canonical name, such as `If-None-Match`. */
  readonly headers?: H;
  readonly body?: B;
  /** Bytes of a JSON body. Default: 2 MiB. */
  readonly maxBody?: number;
  /** Status of success. */
  readonly status: number;
  readonly result: R;
  /** Further documented statuses. */
  readonly failures?: readonly number[];
  /** False: this server does not offer the operation, and answers 501 before permissions are looked at. */
  supported?(context: OperationContext): boolean;
  /** Absent: being authenticated is enough, or the handler decides per item. */
  permission?(input: HandlerInput<P, Q, H, B>, context: OperationContext): Permission | Promise<Permission>;
  /** Runs after authorization and before a streamed body is accepted: the place to refuse early. */
  prepare?(context: OperationContext, input: Omit<HandlerInput<P, Q, H, B>, 'body'>): Promise<void>;
  handler(context: OperationContext, input: HandlerInput<P, Q, H, B>): Promise<HandlerResult<R>> | HandlerResult<R>;
}

// biome-ignore lint/complexity/noBannedTypes: no fields at all
export type NoFields = {};

/** Infers the types of a specification from its fields. */
export function operation<
  const P extends Fields = NoFields,
  const Q extends Fields = NoFields,
  const H extends Fields = NoFields,
  const B extends BodySpec | undefined = undefined,
  const R extends ResultSpec = ResultSpec,
>(spec: OperationSpec<P, Q, H, B, R>): OperationSpec<P, Q, H, B, R> {
  return spec;
}

/** An operation whose types do not matter: what walks over the table sees. */
export type AnyInput = Record<string, unknown>;
export interface AnyOperation
  extends Omit<OperationSpec<Fields, Fields, Fields, BodySpec | undefined, ResultSpec>, 'permission' | 'prepare' | 'handler'> {
  permission?(input: AnyInput, context: OperationContext): Permission | Promise<Permission>;
  prepare?(context: OperationContext, input: AnyInput): Promise<void>;
  handler(context: OperationContext, input: AnyInput): unknown;
}

/** What a client passes to an operation. */
export type CallInput<O> =
  O extends OperationSpec<infer P, infer Q, infer H, infer B, infer _R> ? InOf<P> & InOf<Q> & InOf<H> & BodyIn<B> : never;

/** What a client gets from an operation. */
export type CallResult<O> = O extends { readonly result: infer R }
  ? R extends { kind: 'json'; schema: infer F }
    ? Out<F>
    : R extends { kind: 'text' }
      ? string
      : R extends { kind: 'bytes' }
        ? Download
        : undefined
  : never;
