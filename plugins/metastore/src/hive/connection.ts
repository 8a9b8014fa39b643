/** A connection to a Hive metastore: strict binary protocol on a plain socket, one call at a time. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { messageOf } from '@srv/kernel';
import thrift from 'thrift';
import { MetastoreError } from '../metastore.js';
import { struct, text } from './thrift-codec.js';
import type { Socket } from 'node:net';
import type { TProtocol, TTransport } from 'thrift';
import type { Call } from './calls.js';

const { TBinaryProtocol, TBufferedTransport, Thrift } = thrift;

/** Milliseconds: until a connection stands, and without a byte of an answer. */
const connectTimeout = 15_000;
const answerTimeout = 600_000;
/** Milliseconds without a further byte after which an answer may be complete. */
const lull = 5;

const exception = struct({ message: [1, text] });

export class HiveConnection {
  readonly #address: string;
  readonly #signal: AbortSignal;
  #socket: Promise<Socket> | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #seqId = 0;

  /** @param address `host:port`. @throws Error when it is not. */
  constructor(address: string, signal: AbortSignal) {
    if (!/^.+:\d{1,5}$/.test(address)) throw new Error(`the address of the Hive metastore must be host:port, not "${address}"`);
    this.#address = address;
    this.#signal = signal;
  }

  /** @throws MetastoreError for what the metastore refuses; Error when it cannot be reached. */
  call<A, R>(call: Call<A, R>, args: A): Promise<R> {
    const answer = this.#last.then(() => this.#exchange(call, args));
    this.#last = answer.catch(() => undefined);
    return answer;
  }

  close(): void {
    void this.#socket?.then(
      socket => socket.destroy(),
      () => undefined,
    );
  }

  async #exchange<A, R>(call: Call<A, R>, args: A): Promise<R> {
    this.#signal.throwIfAborted();
    try {
      this.#socket ??= this.#connect();
      const socket = await this.#socket;
      this.#seqId += 1;
      socket.write(request(call, args, this.#seqId));
      return await answerOf(socket, this.#signal, input => readAnswer(input, call, this.#seqId));
    } catch (error) {
      if (error instanceof MetastoreError) throw error;
      // What is left on the wire belongs to no request any more.
      this.close();
      this.#socket = undefined;
      throw new Error(`Hive metastore at ${this.#address}: ${call.name}: ${messageOf(error)}`, { cause: error });
    }
  }

  async #connect(): Promise<Socket> {
    const at = this.#address.lastIndexOf(':');
    const socket = connect({ host: this.#address.slice(0, at).replace(/^\[(.*)\]$/, '$1'), port: Number(this.#address.slice(at + 1)) });
    await once(socket, 'connect', { signal: AbortSignal.any([this.#signal, AbortSignal.timeout(connectTimeout)]) }).catch(
      (error: unknown) => {
        socket.destroy();
        throw error;
      },
    );
    socket.setNoDelay(true);
    // Listened to by the call under way; between calls it shows at the next one.
    socket.on('error', () => undefined);
    return socket;
  }
}

function request<A, R>({ name, args: codec }: Call<A, R>, args: A, seqId: number): Buffer {
  const pieces: Buffer[] = [];
  const transport = new TBufferedTransport(undefined, bytes => void (bytes && pieces.push(bytes)));
  const output = new TBinaryProtocol(transport, true, true);
  output.writeMessageBegin(name, Thrift.MessageType.CALL, seqId);
  codec.write(output, args);
  output.writeMessageEnd();
  transport.flush();
  return Buffer.concat(pieces);
}

/** Decodes an answer once it is complete. A long one is not tried at every piece that arrives, but when it has doubled. */
async function answerOf<R>(socket: Socket, signal: AbortSignal, read: (input: TProtocol) => R): Promise<R> {
  let timer: NodeJS.Timeout | undefined;
  const stop = new AbortController();
  try {
    return await new Promise<R>((resolve, reject) => {
      const fail = (error: unknown): void => reject(error);
      let transport: TTransport | undefined;
      const receive = TBufferedTransport.receiver(filled => {
        transport = filled;
      }, 0);
      let [size, tried] = [0, 0];
      const attempt = (): void => {
        tried = size;
        if (!transport) return;
        transport.rollbackPosition();
        try {
          resolve(read(new TBinaryProtocol(transport, true, true)));
        } catch (error) {
          if (!isIncomplete(error)) fail(error);
        }
      };
      const data = (chunk: Buffer): void => {
        receive(chunk);
        size += chunk.length;
        clearTimeout(timer);
        if (size >= 2 * tried) attempt();
        timer = setTimeout(attempt, lull);
      };
      socket.on('data', data);
      const late = (): void => fail(new Error(`no response within ${answerTimeout / 1000} s`));
      socket.setTimeout(answerTimeout).once('timeout', late);
      const ended = (): void => fail(new Error('the connection was closed before the response was complete'));
      socket.once('error', fail).once('close', ended);
      const leave = (): void => fail(signal.reason);
      signal.addEventListener('abort', leave, { once: true });
      stop.signal.addEventListener('abort', () => {
        socket.off('data', data).off('error', fail).off('close', ended).off('timeout', late).setTimeout(0);
        signal.removeEventListener('abort', leave);
      });
      if (socket.destroyed) ended();
    });
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}

function readAnswer<A, R>(input: TProtocol, { name, success, failures }: Call<A, R>, seqId: number): R {
  const { fname, mtype, rseqid } = input.readMessageBegin();
  if (mtype === Thrift.MessageType.EXCEPTION) {
    const { message = 'unknown failure' } = exception.read(input);
    throw new MetastoreError('other', `${name}: ${message}`);
  }
  if (fname !== name || rseqid !== seqId) throw new Error(`the answer is one to ${fname} ${rseqid}, not to ${name} ${seqId}`);
  let refusal: MetastoreError | undefined;
  let result: { readonly value: R } | undefined;
  input.readStructBegin();
  for (;;) {
    const { ftype, fid } = input.readFieldBegin();
    if (ftype === Thrift.Type.STOP) break;
    const failure = failures[fid - 1];
    if (fid === 0 && success && success.type === ftype) result = { value: success.read(input) };
    else if (failure !== undefined && ftype === Thrift.Type.STRUCT) {
      const { message = '' } = exception.read(input);
      refusal = new MetastoreError(failure, `${name}: ${message}`);
    } else input.skip(ftype);
    input.readFieldEnd();
  }
  input.readStructEnd();
  // Only now: no part of the answer may be left for the next call.
  if (refusal) throw refusal;
  if (result) return result.value;
  if (success) throw new MetastoreError('other', `${name}: the metastore answered without a result`);
  return undefined as R;
}

/** The library does not export the class. */
function isIncomplete(error: unknown): boolean {
  return error instanceof Error && error.name === 'InputBufferUnderrunError';
}
