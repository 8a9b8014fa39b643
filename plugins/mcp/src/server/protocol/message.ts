/** One message of a client, and the era of the protocol that it belongs to. */
import { RpcError, codes } from './errors.js';
import type { IncomingHttpHeaders } from 'node:http';
import type { RequestId } from './errors.js';

const modernVersion = '2026-07-28';
/** Newest first. */
export const legacyVersions = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;
export const supportedVersions: readonly string[] = [modernVersion, ...legacyVersions];

export type Params = Readonly<Record<string, unknown>>;

export interface RpcRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly params: Params;
  /** Without handshake; results say what they are. */
  readonly isModern: boolean;
}

/** The client no longer waits for an answer. */
interface Cancellation {
  readonly cancels: RequestId;
}

/** Members of `_meta` that every modern request has. */
const metaVersion = 'io.modelcontextprotocol/protocolVersion';
const metaCapabilities = 'io.modelcontextprotocol/clientCapabilities';

/** Methods whose subject stands in a header, too. */
const namedBy: Readonly<Record<string, string>> = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' };

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isId = (value: unknown): value is RequestId =>
  typeof value === 'string' || (typeof value === 'number' && Number.isSafeInteger(value));

/** @returns `undefined` for other notifications and responses, which need no answer. @throws RpcError. */
export function readMessage(text: string, headers: IncomingHttpHeaders): RpcRequest | Cancellation | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new RpcError(codes.parse, 'the body is not JSON', { status: 400 });
  }
  if (Array.isArray(value)) throw new RpcError(codes.request, 'batches are not supported; send each message alone', { status: 400 });
  if (!isRecord(value) || value['jsonrpc'] !== '2.0')
    throw new RpcError(codes.request, 'the body is not a JSON-RPC 2.0 message', { status: 400 });
  const { id, method, params = {} } = value;
  if (method === undefined && ('result' in value || 'error' in value)) return undefined;
  if (typeof method !== 'string') throw new RpcError(codes.request, 'the message has no method', { status: 400 });
  if (!('id' in value)) {
    const cancels = method === 'notifications/cancelled' && isRecord(params) ? params['requestId'] : undefined;
    return isId(cancels) ? { cancels } : undefined;
  }
  if (!isId(id)) throw new RpcError(codes.request, 'the id is neither a text nor an integer', { status: 400 });
  if (!isRecord(params)) throw new RpcError(codes.params, 'params is not an object', { status: 400, id });
  try {
    return { id, method, params, isModern: isModern(method, params, headers) };
  } catch (error) {
    if (error instanceof RpcError) error.id = id;
    throw error;
  }
}

/** What the client calls the progress of this request by; `undefined`: it asks for none. */
export function progressTokenOf({ params }: RpcRequest): RequestId | undefined {
  const token = isRecord(params['_meta']) ? params['_meta']['progressToken'] : undefined;
  return isId(token) ? token : undefined;
}

/** @throws RpcError 400 for an unknown version, and for headers that contradict the body. */
function isModern(method: string, params: Params, headers: IncomingHttpHeaders): boolean {
  const meta = isRecord(params['_meta']) ? params['_meta'] : {};
  const named = meta[metaVersion];
  const header = one(headers['mcp-protocol-version']);
  // A handshake is how the older revisions begin; they agree on a version in its body.
  if (method === 'initialize' && named === undefined) return false;
  if (header === undefined) {
    if (named === undefined) return false;
    throw mismatch('the header MCP-Protocol-Version is missing');
  }
  if (!supportedVersions.includes(header))
    throw new RpcError(codes.version, `the protocol version ${header} is not supported`, {
      status: 400,
      data: { supported: supportedVersions, requested: header },
    });
  if (header !== modernVersion) return false;
  if (typeof named !== 'string' || !isRecord(meta[metaCapabilities]))
    throw new RpcError(codes.params, `params._meta has no ${typeof named === 'string' ? metaCapabilities : metaVersion}`, { status: 400 });
  if (named !== header) throw mismatch(`the header MCP-Protocol-Version is ${header}, the body says ${named}`);
  checkHeaders(method, params, headers);
  return true;
}

function checkHeaders(method: string, params: Params, headers: IncomingHttpHeaders): void {
  const shown = one(headers['mcp-method']);
  if (shown !== method) throw mismatch(`the header Mcp-Method is ${shown ?? 'missing'}, the body says ${method}`);
  const member = Object.hasOwn(namedBy, method) ? namedBy[method] : undefined;
  if (member === undefined) return;
  const [name, wanted] = [decoded(one(headers['mcp-name'])), params[member]];
  if (typeof wanted === 'string' && name !== wanted) throw mismatch(`the header Mcp-Name is ${name ?? 'missing'}, the body says ${wanted}`);
}

function mismatch(message: string): RpcError {
  return new RpcError(codes.header, message, { status: 400 });
}

/** `=?base64?…?=` holds what a header cannot. */
function decoded(header: string | undefined): string | undefined {
  if (header?.startsWith('=?base64?') && header.endsWith('?=')) return Buffer.from(header.slice(9, -2), 'base64').toString('utf8');
  return header;
}

function one(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
