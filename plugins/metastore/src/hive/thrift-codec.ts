/** Values of Thrift as combinators: a struct is a table of field names and ids, and its type follows from it. */
import thrift from 'thrift';
import type { TProtocol } from 'thrift';

const { Thrift } = thrift;

export interface Codec<T> {
  readonly type: thrift.Thrift.Type;
  write(output: TProtocol, value: T): void;
  read(input: TProtocol): T;
}

export const text: Codec<string> = {
  type: Thrift.Type.STRING,
  write: (output, value) => output.writeString(value),
  read: input => input.readString(),
};

export const bool: Codec<boolean> = {
  type: Thrift.Type.BOOL,
  write: (output, value) => output.writeBool(value),
  read: input => input.readBool(),
};

export const i16: Codec<number> = {
  type: Thrift.Type.I16,
  write: (output, value) => output.writeI16(value),
  read: input => input.readI16(),
};

export const i32: Codec<number> = {
  type: Thrift.Type.I32,
  write: (output, value) => output.writeI32(value),
  read: input => input.readI32(),
};

export function list<T>(item: Codec<T>): Codec<readonly T[]> {
  return {
    type: Thrift.Type.LIST,
    write(output, values) {
      output.writeListBegin(item.type, values.length);
      for (const value of values) item.write(output, value);
      output.writeListEnd();
    },
    read(input) {
      const { size } = input.readListBegin();
      const values: T[] = [];
      for (let i = 0; i < size; i++) values.push(item.read(input));
      input.readListEnd();
      return values;
    },
  };
}

/** A map from text to text. */
export const textMap: Codec<Readonly<Record<string, string>>> = {
  type: Thrift.Type.MAP,
  write(output, values) {
    const entries = Object.entries(values);
    output.writeMapBegin(Thrift.Type.STRING, Thrift.Type.STRING, entries.length);
    for (const [name, value] of entries) {
      output.writeString(name);
      output.writeString(value);
    }
    output.writeMapEnd();
  },
  read(input) {
    const { size } = input.readMapBegin();
    const entries: [string, string][] = [];
    for (let i = 0; i < size; i++) entries.push([input.readString(), input.readString()]);
    input.readMapEnd();
    return Object.fromEntries(entries);
  },
};

interface AnyCodec {
  readonly type: thrift.Thrift.Type;
  write(output: TProtocol, value: never): void;
  read(input: TProtocol): unknown;
}
export type StructFields = Readonly<Record<string, readonly [id: number, codec: AnyCodec]>>;
export type StructValue<F extends StructFields> = {
  readonly [K in keyof F]?: F[K][1] extends { read(input: TProtocol): infer T } ? T : never;
};

/** Fields that are absent are not written; unknown ones are skipped. */
export function struct<const F extends StructFields>(fields: F): Codec<StructValue<F>> {
  const byId = new Map(Object.entries(fields).map(([name, [id, codec]]) => [id, { name, codec }]));
  return {
    type: Thrift.Type.STRUCT,
    write(output, value) {
      output.writeStructBegin('');
      for (const [name, [id, codec]] of Object.entries(fields)) {
        const member = Reflect.get(value, name) as never;
        if (member === undefined) continue;
        output.writeFieldBegin(name, codec.type, id);
        codec.write(output, member);
        output.writeFieldEnd();
      }
      output.writeFieldStop();
      output.writeStructEnd();
    },
    read(input) {
      const found: Record<string, unknown> = {};
      input.readStructBegin();
      for (;;) {
        const { ftype, fid } = input.readFieldBegin();
        if (ftype === Thrift.Type.STOP) break;
        const field = byId.get(fid);
        if (field && field.codec.type === ftype) found[field.name] = field.codec.read(input);
        else input.skip(ftype);
        input.readFieldEnd();
      }
      input.readStructEnd();
      // Every member was read by the codec that its type comes from.
      return found as StructValue<F>;
    },
  };
}
