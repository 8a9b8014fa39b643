/**
 * Tags of objects: kept in the metadata as the header that sets them, `<key>=<value>&…` with percent-encoding. The HTTP API shows
 * them like that.
 */
import { S3Error } from './errors.js';
import { percentDecode, percentEncode } from './percent.js';
import { childText, childrenOf, readXml } from './xml-reader.js';
import { element, s3Namespace } from './xml-writer.js';
import type { HeaderLines } from './headers.js';
import type { Metadata } from './metadata.js';
import type { XmlElement } from './xml-writer.js';

export interface Tag {
  readonly key: string;
  readonly value: string;
}

/** Of the metadata. */
const taggingKey = 'X-Amz-Tagging';
const maxTags = 10;
/** UTF-16 code units, as S3 counts. */
const [longestKey, longestValue] = [128, 256];
// biome-ignore lint/suspicious/noControlCharactersInRegex: no document can carry these
const control = /[\x00-\x1f\x7f\ufffe\uffff]/;

const invalid = (message: string): S3Error => new S3Error('InvalidTag', { message });

/** @throws S3Error `InvalidTag`. */
function checked(tags: readonly Tag[]): readonly Tag[] {
  if (tags.length > maxTags) throw invalid(`Object tags cannot be greater than ${maxTags}`);
  for (const { key, value } of tags) {
    const shown = JSON.stringify(key.slice(0, longestKey));
    if (key === '' || key.length > longestKey || control.test(key))
      throw invalid(
        `The TagKey you have provided is invalid: ${shown}; allowed: 1 to ${longestKey} characters, none of them a control character`,
      );
    if (/^aws:/i.test(key)) throw invalid(`The TagKey you have provided is invalid: ${shown}; keys that begin with aws: are reserved`);
    if (value.length > longestValue || control.test(value))
      throw invalid(`The TagValue of ${shown} is invalid; allowed: up to ${longestValue} characters, none of them a control character`);
  }
  if (new Set(tags.map(({ key }) => key)).size < tags.length) throw invalid('Cannot provide multiple Tags with the same key');
  return tags;
}

/** Tags in the form of the header. `undefined` for text of another form. */
function parsePairs(text: string): Tag[] | undefined {
  const tags: Tag[] = [];
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const [name, value] = equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
    const decoded = [name, value].map(part => percentDecode(part.replaceAll('+', ' ')));
    const [key, content] = decoded;
    if (key === undefined || content === undefined) return undefined;
    tags.push({ key, value: content });
  }
  return tags;
}

/** Tags that an upload comes with. @throws S3Error `InvalidArgument` for another form, `InvalidTag`. */
export function requestTags(headers: HeaderLines): readonly Tag[] {
  const tags = parsePairs(headers.text('x-amz-tagging') ?? '');
  if (!tags)
    throw new S3Error('InvalidArgument', {
      message: "The header 'x-amz-tagging' shall be encoded as UTF-8 then URLEncoded URL query parameters without tag name duplicates.",
    });
  return checked(tags);
}

/** Tags in the body of a request. @throws S3Error `MalformedXML`, `InvalidTag`. */
export function documentTags(text: string): readonly Tag[] {
  const root = readXml(text, 'Tagging');
  const [set, ...others] = childrenOf(root, 'TagSet');
  if (!set || others.length > 0) throw new S3Error('MalformedXML');
  const tags = childrenOf(set, 'Tag').map(tag => {
    const [key, value] = [childText(tag, 'Key'), childText(tag, 'Value')];
    if (key === undefined || value === undefined) throw new S3Error('MalformedXML');
    return { key, value };
  });
  return checked(tags);
}

/** What {@link keepTags} kept; whatever others wrote there is no tag. */
export function keptTags(metadata: Metadata): readonly Tag[] {
  return parsePairs(metadata[taggingKey] ?? '') ?? [];
}

/** Metadata that keeps `tags`. */
export function keepTags(tags: readonly Tag[]): Metadata {
  if (tags.length === 0) return {};
  return { [taggingKey]: tags.map(({ key, value }) => `${percentEncode(key)}=${percentEncode(value)}`).join('&') };
}

/** `metadata` with these tags instead of its own. */
export function withTags(metadata: Metadata, tags: readonly Tag[]): Metadata {
  const { [taggingKey]: _, ...rest } = metadata;
  return { ...rest, ...keepTags(tags) };
}

export function tagsElement(tags: readonly Tag[]): XmlElement {
  const set = tags.map(({ key, value }) => element('Tag', [element('Key', key), element('Value', value)]));
  return element('Tagging', [element('TagSet', set)], { xmlns: s3Namespace });
}

/** Of answers that describe an object. */
export function tagCountHeader(metadata: Metadata): Record<string, string> {
  if (metadata[taggingKey] === undefined) return {};
  const { length } = keptTags(metadata);
  return length === 0 ? {} : { 'x-amz-tagging-count': String(length) };
}
