/** A Hive metastore in memory, by its Thrift protocol: databases, tables and partitions, kept as they were sent. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import thrift from 'thrift';
import { plainFields, readFields, thriftStruct, thriftText, writeFields } from './thrift-values.js';
import type { AddressInfo, Socket } from 'node:net';
import type { TProtocol } from 'thrift';
import type { ThriftFields, ThriftValue } from './thrift-values.js';

const { TBinaryProtocol, TBufferedTransport, Thrift } = thrift;

export interface HiveServer {
  /** `host:port`. */
  readonly address: string;
  /** Names of the methods called, in order. */
  readonly calls: readonly string[];
  /** Asked before each call; `close` cuts the connection. */
  fault: (method: string) => 'close' | { readonly exception: string } | undefined;
  databases(): readonly string[];
  /** By field ids. */
  table(database: string, name: string): Readonly<Record<string, unknown>> | undefined;
  partitions(database: string, name: string): readonly Readonly<Record<string, unknown>>[];
  close(): Promise<void>;
}

interface StoredTable {
  table: ThriftFields;
  readonly partitions: Map<string, ThriftFields>;
}

interface StoredDatabase {
  readonly facts: ThriftFields;
  readonly tables: Map<string, StoredTable>;
}

/** An exception that the call declares, by the id of its field in the result. */
class Refusal extends Error {
  readonly id: number;

  constructor(id: number, message: string) {
    super(message);
    this.id = id;
  }
}

type Answer = ThriftValue | undefined;
type Method = (args: ThriftFields) => Answer;

class HiveCatalog {
  readonly databases = new Map<string, StoredDatabase>();
  readonly methods: Readonly<Record<string, Method>> = {
    get_database: args => struct(this.#database(textAt(args, 1), 1).facts),
    get_databases: args => texts([...this.databases.keys()].filter(hivePattern(textAt(args, 1)))),
    create_database: args => {
      const facts = structAt(args, 1);
      const name = textAt(facts, 1);
      if (this.databases.has(name)) throw new Refusal(1, `Database ${name} already exists`);
      this.databases.set(name, { facts, tables: new Map() });
      return undefined;
    },
    get_table: args => struct(this.#table(args, 2).table),
    get_tables: args => texts([...(this.databases.get(textAt(args, 1))?.tables.keys() ?? [])].filter(hivePattern(textAt(args, 2)))),
    create_table: args => {
      const table = structAt(args, 1);
      const { tables } = this.#database(textAt(table, 2), 4);
      const name = textAt(table, 1);
      if (tables.has(name)) throw new Refusal(1, `Table ${name} already exists`);
      tables.set(name, { table, partitions: new Map() });
      return undefined;
    },
    alter_table: args => {
      this.#table(args, 1).table = structAt(args, 3);
      return undefined;
    },
    get_partitions: args => structs([...this.#table(args, 1).partitions.values()]),
    get_partition: args => struct(this.#partition(args, listAt(args, 3), 2)),
    add_partitions: args => {
      const partitions = listAt(args, 1).map(fieldsOf);
      for (const partition of partitions) {
        const { partitions: known } = this.#tableOf(textAt(partition, 2), textAt(partition, 3), 1);
        const key = keyOf(listAt(partition, 1));
        if (known.has(key)) throw new Refusal(2, `Partition already exists: ${key}`);
        known.set(key, partition);
      }
      return { type: 'i32', value: partitions.length };
    },
    alter_partitions: args => {
      for (const partition of listAt(args, 3).map(fieldsOf)) {
        this.#partition(args, listAt(partition, 1), 1);
        this.#table(args, 1).partitions.set(keyOf(listAt(partition, 1)), partition);
      }
      return undefined;
    },
    drop_partition: args => {
      this.#partition(args, listAt(args, 3), 1);
      if (args.get(4)?.value !== false) throw new Refusal(2, 'data would be deleted');
      return { type: 'bool', value: this.#table(args, 1).partitions.delete(keyOf(listAt(args, 3))) };
    },
  };

  #database(name: string, id: number): StoredDatabase {
    const found = this.databases.get(name);
    if (!found) throw new Refusal(id, `database ${name} does not exist`);
    return found;
  }

  #tableOf(database: string, name: string, id: number): StoredTable {
    const found = this.#database(database, id).tables.get(name);
    if (!found) throw new Refusal(id, `${database}.${name} table not found`);
    return found;
  }

  #table(args: ThriftFields, id: number): StoredTable {
    return this.#tableOf(textAt(args, 1), textAt(args, 2), id);
  }

  #partition(args: ThriftFields, values: readonly ThriftValue[], id: number): ThriftFields {
    const found = this.#table(args, id).partitions.get(keyOf(values));
    if (!found) throw new Refusal(id, `partition ${keyOf(values)} not found`);
    return found;
  }
}

export async function startHive(): Promise<HiveServer> {
  const catalog = new HiveCatalog();
  const calls: string[] = [];
  const sockets = new Set<Socket>();
  const found = (database: string, name: string): StoredTable | undefined => catalog.databases.get(database)?.tables.get(name);
  const server = createServer(socket => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    serve(socket, catalog, calls, method => running.fault(method));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const running: HiveServer = {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    fault: () => undefined,
    databases: () => [...catalog.databases.keys()],
    table(database, name) {
      const stored = found(database, name);
      return stored && plainFields(stored.table);
    },
    partitions: (database, name) => [...(found(database, name)?.partitions.values() ?? [])].map(plainFields),
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return running;
}

function serve(socket: Socket, catalog: HiveCatalog, calls: string[], fault: HiveServer['fault']): void {
  const receive = TBufferedTransport.receiver(transport => {
    try {
      for (;;) {
        const input = new TBinaryProtocol(transport, true, true);
        const { fname, rseqid } = input.readMessageBegin();
        const args = readFields(input);
        input.readMessageEnd();
        transport.commitPosition();
        calls.push(fname);
        const failure = fault(fname);
        if (failure === 'close') {
          socket.destroy();
          return;
        }
        reply(socket, output => answer(output, fname, rseqid, catalog, args, failure?.exception));
      }
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'InputBufferUnderrunError') throw error;
      transport.rollbackPosition();
    }
  }, 0);
  socket.on('data', receive);
}

function reply(socket: Socket, write: (output: TProtocol) => void): void {
  const transport = new TBufferedTransport(undefined, bytes => void (bytes && socket.write(bytes)));
  write(new TBinaryProtocol(transport, true, true));
  transport.flush();
}

function answer(output: TProtocol, method: string, seqId: number, catalog: HiveCatalog, args: ThriftFields, failure?: string): void {
  const work = catalog.methods[method];
  if (!work || failure !== undefined) {
    output.writeMessageBegin(method, Thrift.MessageType.EXCEPTION, seqId);
    writeFields(output, new Map([[1, thriftText(failure ?? `Invalid method name: '${method}'`)]]));
    output.writeMessageEnd();
    return;
  }
  output.writeMessageBegin(method, Thrift.MessageType.REPLY, seqId);
  writeFields(output, resultOf(work, args));
  output.writeMessageEnd();
}

function resultOf(work: Method, args: ThriftFields): ThriftFields {
  try {
    const success = work(args);
    return new Map(success ? [[0, success]] : []);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return new Map([[error.id, thriftStruct({ 1: thriftText(error.message) })]]);
  }
}

function textAt(fields: ThriftFields, id: number): string {
  const found = fields.get(id);
  if (found?.type !== 'text') throw new Refusal(1, `field ${id} is not text`);
  return found.value;
}

function structAt(fields: ThriftFields, id: number): ThriftFields {
  const found = fields.get(id);
  if (found?.type !== 'struct') throw new Refusal(1, `field ${id} is not a struct`);
  return found.value;
}

function listAt(fields: ThriftFields, id: number): readonly ThriftValue[] {
  const found = fields.get(id);
  if (found?.type !== 'list') throw new Refusal(1, `field ${id} is not a list`);
  return found.value;
}

function fieldsOf(value: ThriftValue): ThriftFields {
  if (value.type !== 'struct') throw new Refusal(1, 'an item is not a struct');
  return value.value;
}

const keyOf = (values: readonly ThriftValue[]): string => JSON.stringify(values.map(({ value }) => value));
const struct = (value: ThriftFields): ThriftValue => ({ type: 'struct', value });
const structs = (items: readonly ThriftFields[]): ThriftValue => ({ type: 'list', of: Thrift.Type.STRUCT, value: items.map(struct) });
const texts = (items: readonly string[]): ThriftValue => ({ type: 'list', of: Thrift.Type.STRING, value: items.map(thriftText) });

/** `*` matches anything, `|` separates alternatives, case does not count; the rest is a regular expression. */
function hivePattern(pattern: string): (name: string) => boolean {
  const wanted = pattern.split('|').map(part => new RegExp(`^(?:${part.trim().replaceAll('*', '.*')})$`, 'i'));
  return name => wanted.some(expression => expression.test(name));
}
