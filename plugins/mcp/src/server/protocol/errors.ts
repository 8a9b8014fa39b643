/** Failures of the protocol (JSON-RPC 2.0, and the codes of the Model Context Protocol). */
import { jsonResponse } from '@srv/lib-api/http';
import type { HttpResponse, ShownError } from '@srv/http/contract';

export const codes = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  header: -32020,
  version: -32022,
} as const;

export type RequestId = string | number;

interface RpcErrorOptions {
  /** HTTP status. Default: 200. */
  readonly status?: number;
  readonly data?: object;
  readonly id?: RequestId;
  readonly headers?: Readonly<Record<string, string>>;
}

export class RpcError extends Error {
  readonly code: number;
  readonly status: number;
  readonly data: object | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Of the request, once it is known. */
  id: RequestId | undefined;

  constructor(code: number, message: string, { status = 200, data, id, headers = {} }: RpcErrorOptions = {}) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
    this.status = status;
    this.data = data;
    this.id = id;
    this.headers = headers;
  }
}

/** Without a place where to sign in: clients would begin a flow that this server does not have. */
const challenge = { 'WWW-Authenticate': 'Bearer realm="srv"' };

/** The whole answer to a failed request. */
export function failed(error: unknown, shown: ShownError): HttpResponse {
  if (!(error instanceof RpcError)) {
    const answer = jsonResponse(shown.status, errorMessage(error, shown, undefined));
    return { ...answer, headers: { ...answer.headers, ...(shown.status === 401 ? challenge : {}) } };
  }
  const answer = jsonResponse(error.status, errorMessage(error, shown, error.id));
  return { ...answer, headers: { ...answer.headers, ...error.headers } };
}

export function errorMessage(error: unknown, shown: ShownError, id: RequestId | undefined): object {
  if (!(error instanceof RpcError)) return rpcMessage({ error: { code: codes.internal, message: shown.message } }, id);
  const { code, message, data } = error;
  return rpcMessage({ error: { code, message, data } }, id);
}

export function rpcMessage(content: object, id: RequestId | undefined): object {
  return { jsonrpc: '2.0', id: id ?? null, ...content };
}

export function rpcAnswer(status: number, content: object, id: RequestId | undefined): HttpResponse {
  return jsonResponse(status, rpcMessage(content, id));
}
