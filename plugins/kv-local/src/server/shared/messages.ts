/**
 * What the owner of the database and its peers say to each other. A frame holds messages one after the other:
 * `<kind: 1 byte><request: 4 bytes><fields>`. Texts and bytes are `<length: 4 bytes><bytes>`; numbers are big endian. Both
 * sides check every length: the bytes may come from any process.
 */
import { SrvError, absent, errorCodes, isSrvError, messageOf, present } from '@srv/kernel';
import { ProtocolError } from './frames.js';
import type { Condition, ErrorCode, KvEntry } from '@srv/kernel';

/** Bytes of one message at most, so that a frame can be held in memory; larger values are refused when they are written. */
export const maxMessageBytes = 32 << 20;
/** A frame is closed when it has this many bytes. */
export const frameTargetBytes = 256 << 10;
/** A frame before which nothing is known of the peer. */
export const maxHelloBytes = 256;

export interface Page {
  readonly entries: readonly KvEntry[];
  /** Whether nothing follows; a page that is not the last may be empty. */
  readonly isLast: boolean;
}

/** Number of no request: with `moved`, the owner asks the peer to send nothing more. */
export const farewell = 0;

/** What a request asks for. */
export type Question =
  | { readonly kind: 'get'; readonly partition: string; readonly key: Buffer }
  | { readonly kind: 'set'; readonly partition: string; readonly key: Buffer; readonly value: Buffer }
  | { readonly kind: 'setIf'; readonly partition: string; readonly key: Buffer; readonly value: Buffer; readonly condition: Condition }
  | { readonly kind: 'delete'; readonly partition: string; readonly key: Buffer }
  /** Entries from `start` on; 0: as many as the owner likes. */
  | { readonly kind: 'page'; readonly partition: string; readonly start: Buffer; readonly size: number };

export type Reply =
  | { readonly kind: 'value'; readonly value: Buffer | undefined }
  | { readonly kind: 'written'; readonly written: boolean }
  | { readonly kind: 'page'; readonly page: Page }
  | { readonly kind: 'error'; readonly error: SrvError }
  /** Nothing was done: the owner is giving the database up. */
  | { readonly kind: 'moved' };

export type Request = Question & { readonly id: number };
export type Response = Reply & { readonly id: number };

const questionCodes = { get: 1, set: 2, setIf: 3, delete: 4, page: 5 } as const;
const replyCodes = { value: 65, written: 66, page: 67, error: 68, moved: 69 } as const;
const conditionCodes = { absent: 0, present: 1, value: 2 } as const;

/** @throws SrvError `invalid` when it is too large, or the predicate is not one of this store. */
export function encodeRequest(id: number, question: Question): Buffer {
  const { kind, partition } = question;
  const fields: (Buffer | number)[] = [Buffer.from(partition)];
  if (kind === 'page') fields.push(question.start, question.size);
  else fields.push(question.key);
  if (kind === 'set' || kind === 'setIf') fields.push(question.value);
  if (kind === 'setIf') fields.push(...conditionFields(question.condition));
  return encode(questionCodes[kind], id, fields);
}

export function encodeResponse(id: number, reply: Reply): Buffer {
  const code = replyCodes[reply.kind];
  switch (reply.kind) {
    case 'value':
      return encode(code, id, reply.value === undefined ? [0] : [1, reply.value]);
    case 'written':
      return encode(code, id, [Number(reply.written)]);
    case 'page':
      return encode(code, id, [
        Number(reply.page.isLast),
        reply.page.entries.length,
        ...reply.page.entries.flatMap(({ key, value }) => [key, value]),
      ]);
    case 'error':
      return encode(code, id, [Buffer.from(reply.error.code), Buffer.from(reply.error.message)]);
    case 'moved':
      return encode(code, id, []);
  }
}

/** What became of a question, when it failed. */
export function replyOfError(error: unknown): Reply {
  return { kind: 'error', error: isSrvError(error) ? error : new SrvError('unavailable', messageOf(error), { cause: error }) };
}

/** The messages of a frame. @throws ProtocolError */
export function* decodeRequests(payload: Buffer): Generator<Request> {
  for (const reader = new Reader(payload); !reader.isAtEnd; ) {
    const code = reader.byte();
    const id = reader.number();
    const partition = reader.bytes().toString('utf8');
    switch (code) {
      case questionCodes.get:
        yield { id, kind: 'get', partition, key: reader.bytes() };
        break;
      case questionCodes.delete:
        yield { id, kind: 'delete', partition, key: reader.copy() };
        break;
      case questionCodes.set:
        yield { id, kind: 'set', partition, key: reader.copy(), value: reader.copy() };
        break;
      case questionCodes.setIf:
        yield { id, kind: 'setIf', partition, key: reader.copy(), value: reader.copy(), condition: readCondition(reader) };
        break;
      case questionCodes.page:
        yield { id, kind: 'page', partition, start: reader.bytes(), size: reader.number() };
        break;
      default:
        throw new ProtocolError(`no request has the number ${code}`);
    }
  }
}

/** The messages of a frame. @throws ProtocolError */
export function* decodeResponses(payload: Buffer): Generator<Response> {
  for (const reader = new Reader(payload); !reader.isAtEnd; ) {
    const code = reader.byte();
    const id = reader.number();
    switch (code) {
      case replyCodes.value:
        // A copy: a value that is kept must not keep everything that came with it.
        yield { id, kind: 'value', value: reader.number() === 0 ? undefined : reader.copy() };
        break;
      case replyCodes.written:
        yield { id, kind: 'written', written: reader.number() !== 0 };
        break;
      case replyCodes.page:
        yield { id, kind: 'page', page: readPage(reader) };
        break;
      case replyCodes.error:
        yield { id, kind: 'error', error: readError(reader) };
        break;
      case replyCodes.moved:
        yield { id, kind: 'moved' };
        break;
      default:
        throw new ProtocolError(`no response has the number ${code}`);
    }
  }
}

function conditionFields(condition: Condition): (Buffer | number)[] {
  if (condition === absent) return [conditionCodes.absent];
  if (condition === present) return [conditionCodes.present];
  const { kvPredicate: expected } = condition;
  if (!Buffer.isBuffer(expected)) throw new SrvError('invalid', 'the predicate was not made by this store; hand back what get returned');
  return [conditionCodes.value, expected];
}

function readCondition(reader: Reader): Condition {
  const code = reader.number();
  if (code === conditionCodes.absent) return absent;
  if (code === conditionCodes.present) return present;
  if (code === conditionCodes.value) return { kvPredicate: reader.copy() };
  throw new ProtocolError(`no condition has the number ${code}`);
}

function readPage(reader: Reader): Page {
  const isLast = reader.number() !== 0;
  const count = reader.number();
  const entries: KvEntry[] = [];
  for (let i = 0; i < count; i++) entries.push({ key: reader.copy(), value: reader.copy() });
  return { entries, isLast };
}

function readError(reader: Reader): SrvError {
  const code = reader.bytes().toString('utf8');
  const message = reader.bytes().toString('utf8');
  return new SrvError(Object.hasOwn(errorCodes, code) ? (code as ErrorCode) : 'unavailable', message);
}

const headBytes = 5;
const numberBytes = 4;

function encode(code: number, id: number, fields: readonly (Buffer | number)[]): Buffer {
  let size = headBytes;
  for (const field of fields) size += numberBytes + (typeof field === 'number' ? 0 : field.length);
  if (size > maxMessageBytes)
    throw new SrvError('invalid', `a record of ${size} bytes is more than ${maxMessageBytes}, the most that processes can share`);
  const bytes = Buffer.allocUnsafe(size);
  bytes[0] = code;
  bytes.writeUInt32BE(id, 1);
  let at = headBytes;
  for (const field of fields) {
    at = bytes.writeUInt32BE(typeof field === 'number' ? field : field.length, at);
    if (typeof field !== 'number') at += field.copy(bytes, at);
  }
  return bytes;
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  byte(): number {
    return this.#bytes.readUInt8(this.#advance(1));
  }

  number(): number {
    return this.#bytes.readUInt32BE(this.#advance(numberBytes));
  }

  /** Valid as long as the frame is. */
  bytes(): Buffer {
    const length = this.number();
    const from = this.#advance(length);
    return this.#bytes.subarray(from, from + length);
  }

  copy(): Buffer {
    return Buffer.from(this.bytes());
  }

  #advance(count: number): number {
    const from = this.#at;
    if (count > this.#bytes.length - from) throw new ProtocolError('a message ends too early');
    this.#at = from + count;
    return from;
  }
}
