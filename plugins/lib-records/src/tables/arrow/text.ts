/** Texts of Arrow's values, what they are sorted by, and the names of their types. */
import { floatText } from '../float-text.js';
import { numberOrder } from '../text-order.js';
import { date, decimal, hex, plain, quoted, timeOfDay, timestamp } from '../value-text.js';
import type { Order, TableColumn } from '../table-file.js';
import type { Leaf } from '../value-text.js';
import type { ArrowField, ArrowType } from './schema.js';

/** What a value is stored as: nested ones and intervals are texts at once. */
export type ArrowValue = null | undefined | boolean | number | bigint | string | Uint8Array;

const unitNames: Readonly<Record<number, string>> = { 0: 's', 3: 'ms', 6: 'us', 9: 'ns' };

/** Types whose values are texts of nested values. */
const nestedKinds = new Set(['list', 'large-list', 'list-view', 'large-list-view', 'fixed-list', 'struct', 'map', 'union']);

const isNested = (type: ArrowType): boolean => nestedKinds.has(type.kind);

/** The type of the values themselves, of which a column may hold runs. */
export function valueField(field: ArrowField): ArrowField {
  const [, values] = field.children;
  return field.type.kind === 'run-end' && values ? valueField(values) : field;
}

export function arrowColumn(field: ArrowField): TableColumn {
  const { type } = valueField(field);
  const areNumbers = isNumeric(type);
  const label = labelOf(type);
  return {
    name: field.name,
    type: typeName(field),
    isNumeric: areNumbers,
    text: value => (value === null || value === undefined ? null : arrowText(type, value as ArrowValue).text),
    order: value => orderOf(type, value as ArrowValue),
    label,
    orderOfText: areNumbers ? (text: string) => numberOrder(text, type.kind === 'decimal' ? type.scale : undefined) : undefined,
  };
}

/** As PyArrow names them. */
function typeName({ type, children, dictionary }: ArrowField): string {
  const [child] = children;
  if (dictionary) return `dictionary<${typeName({ name: '', type, children })}>`;
  switch (type.kind) {
    case 'int':
      return `${type.isSigned ? 'int' : 'uint'}${type.bits}`;
    case 'float':
      return `float${type.bits}`;
    case 'binary':
    case 'large-binary':
    case 'binary-view':
      return type.isText ? 'string' : 'binary';
    case 'fixed-binary':
      return `binary(${type.width})`;
    case 'decimal':
      return `decimal(${type.precision},${type.scale})`;
    case 'time':
    case 'duration':
      return `${type.kind}[${unitNames[type.digits]}]`;
    case 'timestamp':
      return `timestamp[${unitNames[type.digits]}${type.zone === undefined ? '' : `, ${type.zone}`}]`;
    case 'run-end':
      return children[1] ? `runs<${typeName(children[1])}>` : 'runs';
    case 'struct':
    case 'map':
    case 'union':
    case 'null':
    case 'bool':
    case 'date':
    case 'interval':
      return type.kind;
    default:
      return `list<${child ? typeName(child) : '?'}>`;
  }
}

const isNumeric = ({ kind }: ArrowType): boolean => kind === 'int' || kind === 'float' || kind === 'decimal';

const isTime = ({ kind }: ArrowType): boolean => kind === 'date' || kind === 'time' || kind === 'timestamp' || kind === 'duration';

function orderOf(type: ArrowType, value: ArrowValue): Order {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  return arrowText(type, value).text;
}

function labelOf(type: ArrowType): ((order: number) => string) | undefined {
  if (type.kind === 'decimal') return order => floatText(order / 10 ** type.scale);
  if (isTime(type)) return order => arrowText(type, BigInt(Math.round(order))).text;
  return isNumeric(type) ? floatText : undefined;
}

/** @param value not missing. */
export function arrowText(type: ArrowType, value: ArrowValue): Leaf {
  if (value instanceof Uint8Array) return quoted(`0x${hex(value)}`);
  if (typeof value === 'string') return isNested(type) ? plain(value) : quoted(value);
  if (typeof value === 'number' || typeof value === 'bigint') return numberText(type, value);
  return plain(String(value));
}

const millisPerDay = 86_400_000n;

function numberText(type: ArrowType, value: number | bigint): Leaf {
  switch (type.kind) {
    case 'decimal':
      return plain(decimal(BigInt(value), type.scale));
    case 'date': {
      if (!type.isMilliseconds) return quoted(date(BigInt(value)));
      const millis = BigInt(value);
      return quoted(millis % millisPerDay === 0n ? date(millis / millisPerDay) : timestamp(millis, 3, false));
    }
    case 'time':
      return quoted(timeOfDay(BigInt(value), type.digits));
    case 'timestamp':
      return quoted(timestamp(BigInt(value), type.digits, type.zone !== undefined));
    case 'duration':
      return quoted(`PT${decimal(BigInt(value), type.digits)}S`);
    default:
      return plain(typeof value === 'number' ? floatText(value) : String(value));
  }
}

/** Months, days and parts of a second, in the notation of ISO 8601. @param digits of the fraction of a second. */
export function intervalText(months: number, days: number, units: bigint, digits: number): string {
  const time = units === 0n ? '' : `T${decimal(units, digits)}S`;
  const text = `${months === 0 ? '' : `${months}M`}${days === 0 ? '' : `${days}D`}${time}`;
  return `P${text === '' ? '0D' : text}`;
}
