/** Values of the files of Iceberg, by the ids of their fields. */
import { AvroCursor } from '@srv/lib-records/tables/avro/cursor';
import type { AvroRecord, AvroType } from '@srv/lib-records/tables/avro/schema';

/** A value as it is read: integers are `bigint`, lists arrays, maps arrays of their values, records by the ids of their fields. */
export type AvroValue = null | boolean | bigint | number | Buffer | string | AvroValue[] | AvroFields;
export type AvroFields = ReadonlyMap<number, AvroValue>;

export class Cursor extends AvroCursor<Buffer> {
  read(type: AvroType): AvroValue {
    this.count();
    switch (type.kind) {
      case 'null':
        return null;
      case 'boolean':
        return this.boolean();
      case 'int':
      case 'long':
      case 'enum':
        return this.long();
      case 'float':
        return this.float();
      case 'double':
        return this.double();
      case 'bytes':
        return this.take(this.small());
      case 'string':
        return this.take(this.small()).toString('utf8');
      case 'fixed':
        return this.take(type.size);
      case 'union':
        return this.read(this.branch(type.branches));
      case 'record':
        return this.fields(type);
      case 'array':
      case 'map': {
        const found: AvroValue[] = [];
        this.items(type.kind, () => void found.push(this.read(type.items)));
        return found;
      }
    }
  }

  /** @param wanted ids; absent: all. */
  fields({ fields }: AvroRecord, wanted?: ReadonlySet<number>): AvroFields {
    const found = new Map<number, AvroValue>();
    for (const { id, type } of fields)
      if (id !== undefined && (!wanted || wanted.has(id))) found.set(id, this.read(type));
      else this.skip(type);
    return found;
  }
}
