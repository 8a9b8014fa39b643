/** `encoding/*`: text formats and back. */
import { createRequire } from 'node:module';
import { parquetMetadata } from 'hyparquet/src/metadata.js';
import { checkText, tooMany } from '../bounds.js';
import { maxFooter, maxValues, maxYaml } from '../limits.js';
import { LuaError, bytesOf, fromJson, table, textOf, toJson } from '../lua-value.js';
import { decodeUuid } from './z85.js';
import type { LuaModules } from '../arguments.js';
import type { LuaTable } from '../lua-value.js';

/** Loaded when a script first needs it: that takes longer than most scripts run. */
function yaml(): typeof import('yaml') {
  return createRequire(import.meta.url)('yaml') as typeof import('yaml');
}

export const encodingModules: LuaModules = {
  'encoding/json': {
    marshal: args => [bytesOf(jsonText(toJson(args.value(1)), args.optionalTable(2)))],
    unmarshal: args => {
      checkText(args.bytes(1).length);
      const text = args.text(1);
      if (partsOfJson(text) > maxValues) tooMany();
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch (error) {
        throw new LuaError(`not JSON: ${(error as Error).message}`);
      }
      return [fromJson(value)];
    },
  },
  'encoding/yaml': {
    marshal: args => {
      const value = toJson(args.value(1));
      checkText(JSON.stringify(value).length, maxYaml);
      return [bytesOf(yaml().stringify(value, { lineWidth: 0 }))];
    },
    unmarshal: args => {
      checkText(args.bytes(1).length, maxYaml);
      const text = args.text(1);
      try {
        return [fromJson(yaml().parse(text, { logLevel: 'error' }))];
      } catch (error) {
        throw error instanceof LuaError ? error : new LuaError(`not YAML: ${(error as Error).message}`);
      }
    },
  },
  'encoding/hex': {
    encode: args => [args.buffer(1).toString('hex')],
    decode: args => {
      const text = args.bytes(1);
      if (text.length % 2 !== 0) throw new LuaError('encoding/hex: odd length hex string');
      const odd = /[^0-9a-fA-F]/.exec(text);
      if (odd) throw new LuaError(`encoding/hex: invalid byte: ${JSON.stringify(odd[0])}`);
      return [Buffer.from(text, 'hex').toString('latin1')];
    },
  },
  'encoding/base64': {
    encode: args => [args.buffer(1).toString('base64')],
    decode: args => [decodeBase64(args.bytes(1), { odd: /[^A-Za-z0-9+/=]|=[^=]|===/, quantum: 4 })],
    url_encode: args => [args.buffer(1).toString('base64url')],
    url_decode: args => [decodeBase64(args.bytes(1), { odd: /[^A-Za-z0-9_-]/, quantum: 1 })],
  },
  'encoding/parquet': { get_schema: args => [parquetSchema(args.buffer(1))] },
  'encoding/z85enc': { decode_uuid: args => [...decodeUuid(args.bytes(1))] },
};

/** As Go prints JSON: no character that means something in HTML, and a line break at the end. */
function jsonText(value: unknown, options: LuaTable | undefined): string {
  checkText(lengthOf(value));
  const [prefix, indent] = ['prefix', 'indent'].map(name => textOf(String(options?.get(name) ?? '')));
  const spaced = prefix || indent;
  const text = spaced ? JSON.stringify(value, null, '\t') : JSON.stringify(value);
  const safe = text.replaceAll(/[<>&\u2028\u2029]/g, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
  if (!spaced) return `${safe}\n`;
  // A tab at the start of a line is an indent: inside of strings tabs are escaped.
  const lines = safe.split('\n').map(line => line.replace(/^\t+/, tabs => indent?.repeat(tabs.length) ?? ''));
  return `${lines.join(`\n${prefix}`)}\n`;
}

/** Without the line breaks that may be in it. */
function decodeBase64(text: string, { odd, quantum }: { readonly odd: RegExp; readonly quantum: number }): string {
  checkText(text.length);
  const plain = /[\r\n]/.test(text) ? text.replaceAll(/[\r\n]/g, '') : text;
  if (odd.test(plain) || plain.length % quantum !== 0 || plain.length % 4 === 1) throw new LuaError('illegal base64 data');
  return Buffer.from(plain, 'base64').toString('latin1');
}

/** Characters of all texts of a structure. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  return Object.entries(value).reduce((sum, [key, item]) => sum + key.length + lengthOf(item), 0);
}

/** At most as many values as these stand between. */
function partsOfJson(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const character = text.charCodeAt(i);
    if (character === 0x2c || character === 0x5b || character === 0x7b) count++;
  }
  return count;
}

const groupType = 'N/A';

/** Every column and group of a Parquet file but the root, with its physical type. */
function parquetSchema(file: Buffer): readonly LuaTable[] {
  // Own memory: the reader takes the whole of what it gets for the file.
  const footer = file.length < 12 ? 0 : file.readUInt32LE(file.length - 8);
  if (footer + 12 > file.length) throw new LuaError('not a Parquet file: it has no footer');
  checkText(footer, maxFooter);
  const { buffer } = new Uint8Array(file);
  const { schema } = readMetadata(buffer);
  return schema.slice(1).map(({ name, type }) => table({ name: bytesOf(name), type: type ?? groupType }));
}

function readMetadata(buffer: ArrayBuffer): ReturnType<typeof parquetMetadata> {
  try {
    return parquetMetadata(buffer);
  } catch (error) {
    throw new LuaError(`not a Parquet file: ${(error as Error).message}`);
  }
}
