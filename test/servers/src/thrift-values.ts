/** Values of Thrift's binary protocol without a schema: structs are objects whose names are field ids. */
import thrift from 'thrift';
import type { TProtocol } from 'thrift';

const { Thrift } = thrift;
type Type = thrift.Thrift.Type;

/** Distinguishes numbers and lists that look alike. */
export type ThriftValue =
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'i16'; readonly value: number }
  | { readonly type: 'i32'; readonly value: number }
  | { readonly type: 'list'; readonly of: Type; readonly value: readonly ThriftValue[] }
  | { readonly type: 'map'; readonly value: ReadonlyMap<string, string> }
  | { readonly type: 'struct'; readonly value: ThriftFields };

export type ThriftFields = ReadonlyMap<number, ThriftValue>;

const types: Readonly<Record<ThriftValue['type'], Type>> = {
  text: Thrift.Type.STRING,
  bool: Thrift.Type.BOOL,
  i16: Thrift.Type.I16,
  i32: Thrift.Type.I32,
  list: Thrift.Type.LIST,
  map: Thrift.Type.MAP,
  struct: Thrift.Type.STRUCT,
};

export const thriftText = (value: string): ThriftValue => ({ type: 'text', value });
export const thriftStruct = (fields: Readonly<Record<number, ThriftValue>>): ThriftValue => ({
  type: 'struct',
  value: new Map(Object.entries(fields).map(([id, value]) => [Number(id), value])),
});

export function readFields(input: TProtocol): ThriftFields {
  const fields = new Map<number, ThriftValue>();
  input.readStructBegin();
  for (;;) {
    const { ftype, fid } = input.readFieldBegin();
    if (ftype === Thrift.Type.STOP) break;
    fields.set(fid, readValue(input, ftype));
    input.readFieldEnd();
  }
  input.readStructEnd();
  return fields;
}

function readValue(input: TProtocol, type: Type): ThriftValue {
  switch (type) {
    case Thrift.Type.STRING:
      return { type: 'text', value: input.readString() };
    case Thrift.Type.BOOL:
      return { type: 'bool', value: input.readBool() };
    case Thrift.Type.I16:
      return { type: 'i16', value: input.readI16() };
    case Thrift.Type.I32:
      return { type: 'i32', value: input.readI32() };
    case Thrift.Type.STRUCT:
      return { type: 'struct', value: readFields(input) };
    case Thrift.Type.LIST: {
      const { etype, size } = input.readListBegin();
      return { type: 'list', of: etype, value: Array.from({ length: size }, () => readValue(input, etype)) };
    }
    case Thrift.Type.MAP: {
      const { size } = input.readMapBegin();
      return { type: 'map', value: new Map(Array.from({ length: size }, () => [input.readString(), input.readString()] as const)) };
    }
    default:
      throw new Error(`values of Thrift type ${type} do not occur here`);
  }
}

export function writeFields(output: TProtocol, fields: ThriftFields): void {
  output.writeStructBegin('');
  for (const [id, value] of fields) {
    output.writeFieldBegin('', types[value.type], id);
    writeValue(output, value);
    output.writeFieldEnd();
  }
  output.writeFieldStop();
  output.writeStructEnd();
}

function writeValue(output: TProtocol, value: ThriftValue): void {
  if (value.type === 'text') output.writeString(value.value);
  else if (value.type === 'bool') output.writeBool(value.value);
  else if (value.type === 'i16') output.writeI16(value.value);
  else if (value.type === 'i32') output.writeI32(value.value);
  else if (value.type === 'struct') writeFields(output, value.value);
  else if (value.type === 'list') {
    output.writeListBegin(value.of, value.value.length);
    for (const item of value.value) writeValue(output, item);
    output.writeListEnd();
  } else {
    output.writeMapBegin(Thrift.Type.STRING, Thrift.Type.STRING, value.value.size);
    for (const [name, text] of value.value) {
      output.writeString(name);
      output.writeString(text);
    }
    output.writeMapEnd();
  }
}

/** As plain data, for tests: `{1: 'name', 7: {2: 'location'}}`. */
export function plainFields(fields: ThriftFields): Record<string, unknown> {
  return Object.fromEntries([...fields].map(([id, value]) => [id, plain(value)]));
}

function plain(value: ThriftValue): unknown {
  if (value.type === 'struct') return plainFields(value.value);
  if (value.type === 'list') return value.value.map(plain);
  if (value.type === 'map') return Object.fromEntries(value.value);
  return value.value;
}
