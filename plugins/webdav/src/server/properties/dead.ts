/** Properties that clients set: stored in the metadata of the object, of folders in that of their marker. */
import { DavError } from '../errors.js';
import { readXml, toXml } from '../xml/read.js';
import type { QName } from '../xml/write.js';

type Metadata = Readonly<Record<string, string>>;

/** Name of the metadata. */
export const propertiesKey = 'Webdav-Properties';
/** Bytes of all properties of an object. */
const maxBytes = 8 * 1024;

/** The XML of each property, by name as {@link keyOf} writes it. */
export type DeadProperties = ReadonlyMap<string, string>;

export const keyOf = ({ namespace, name }: QName): string => `{${namespace}}${name}`;

/** Other programs can write the metadata: what cannot be read counts as no properties, and what can is written again. */
export function readProperties(metadata: Metadata): DeadProperties {
  const text = metadata[propertiesKey];
  if (text === undefined || text.length > maxBytes) return new Map();
  try {
    const value: unknown = JSON.parse(text);
    if (!Array.isArray(value)) return new Map();
    const elements = value.filter(xml => typeof xml === 'string').map(readXml);
    return new Map(elements.map(element => [keyOf(element), toXml(element)]));
  } catch {
    return new Map();
  }
}

/** @throws DavError 507 when they are too large. */
export function withProperties(metadata: Metadata, properties: DeadProperties): Metadata {
  const { [propertiesKey]: _, ...others } = metadata;
  if (properties.size === 0) return others;
  const text = JSON.stringify([...properties.values()]);
  if (Buffer.byteLength(text) > maxBytes)
    throw new DavError(507, `the properties of an object may have ${maxBytes} bytes, these have ${Buffer.byteLength(text)}`);
  return { ...others, [propertiesKey]: text };
}
