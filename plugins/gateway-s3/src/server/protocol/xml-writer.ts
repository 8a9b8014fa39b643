/** XML of answers: a tree of names and values, written without white space. */
import { escapeXml } from '@srv/lib-api/http';
import type { XmlElement, XmlValue } from '@srv/lib-api/http';

export type { XmlElement } from '@srv/lib-api/http';

export const s3Namespace = 'http://s3.amazonaws.com/doc/2006-03-01/';
export const xmlHeader = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** An element; content is text, or elements. */
export function element(name: string, content: XmlValue, attributes?: Readonly<Record<string, string>>): XmlElement {
  return attributes ? { name, content, attributes } : { name, content };
}

/** An element, or nothing without a value. */
export function optional(name: string, content: XmlValue | undefined): XmlElement[] {
  return content === undefined ? [] : [element(name, content)];
}

/** A whole document. */
export function document(root: XmlElement): string {
  return xmlHeader + write(root);
}

export function write(root: XmlElement): string {
  return appended('', root);
}

/** Texts grow by their end: pieces that are joined take twice as long, and listings have thousands. */
function appended(before: string, { name, attributes, content }: XmlElement): string {
  let text = `${before}<${name}`;
  if (attributes) for (const [key, value] of Object.entries(attributes)) text += ` ${key}="${escapeXml(value)}"`;
  text += '>';
  if (typeof content === 'string') text += escapeXml(content);
  else if (typeof content !== 'object') text += String(content);
  else if (isList(content)) for (const child of content) text = appended(text, child);
  else text = appended(text, content);
  return `${text}</${name}>`;
}

function isList(content: XmlElement | readonly XmlElement[]): content is readonly XmlElement[] {
  return Array.isArray(content);
}
