/** XML of requests: small documents with namespaces. */
import { escapeXml } from '@srv/lib-api/http';
import { SaxesParser } from 'saxes';
import { DavError } from '../errors.js';
import { davNamespace } from './write.js';
import type { SaxesTagNS } from 'saxes';
import type { QName } from './write.js';

export interface XmlElement extends QName {
  readonly attributes: readonly XmlAttribute[];
  /** Texts and elements, in order. */
  readonly children: readonly (string | XmlElement)[];
}

interface XmlAttribute extends QName {
  readonly value: string;
}

interface OpenElement extends XmlElement {
  readonly children: (string | XmlElement)[];
}

/** Elements of one document, and how deep they may nest: far above any real request. */
const maxElements = 5_000;
const maxDepth = 32;
const xmlNamespace = 'http://www.w3.org/XML/1998/namespace';
const declarations = 'http://www.w3.org/2000/xmlns/';

/** @throws DavError 400 for what is not well-formed, has a document type, or is unreasonably large. */
export function readXml(text: string): XmlElement {
  const parser = new SaxesParser({ xmlns: true, position: false });
  const open: OpenElement[] = [];
  let root: XmlElement | undefined;
  let elements = 0;
  const refuse = (why: string): never => {
    throw new DavError(400, `the XML body cannot be read: ${why}`);
  };
  parser.on('error', ({ message }) => refuse(message));
  // Entities and external references have no place here.
  parser.on('doctype', () => refuse('document types are not accepted'));
  parser.on('opentag', tag => {
    if (++elements > maxElements) refuse(`it has more than ${maxElements} elements`);
    if (open.length >= maxDepth) refuse(`its elements are nested deeper than ${maxDepth}`);
    open.push(openElement(tag));
  });
  const addText = (found: string): void => void open.at(-1)?.children.push(found);
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => {
    const closed = open.pop();
    const parent = open.at(-1);
    if (closed && parent) parent.children.push(closed);
    else root = closed;
  });
  parser.write(text).close();
  return root ?? refuse('it has no element');
}

function openElement({ uri, local, attributes }: SaxesTagNS): OpenElement {
  const own = Object.values(attributes).filter(({ uri: namespace, name }) => namespace !== declarations && name !== 'xmlns');
  return {
    namespace: uri,
    name: local,
    attributes: own.map(({ uri: namespace, local: name, value }) => ({ namespace, name, value })),
    children: [],
  };
}

export const isDav = ({ namespace, name }: QName, wanted: string): boolean => namespace === davNamespace && name === wanted;

export function childElements({ children }: XmlElement): XmlElement[] {
  return children.filter(child => typeof child !== 'string');
}

/** The first child of that name in `DAV:`. */
export function davChild(parent: XmlElement, name: string): XmlElement | undefined {
  return childElements(parent).find(child => isDav(child, name));
}

export function textOf({ children }: XmlElement): string {
  return children.map(child => (typeof child === 'string' ? child : textOf(child))).join('');
}

/** The language that an element inherits. */
export function languageOf({ attributes }: XmlElement): string | undefined {
  return attributes.find(({ namespace, name }) => namespace === xmlNamespace && name === 'lang')?.value;
}

/** An element as XML that means the same wherever it stands: each element declares its own namespace. */
export function toXml({ namespace, name, attributes, children }: XmlElement): string {
  const [tag, declared] = namespace === '' ? [name, ' xmlns=""'] : [`N:${name}`, ` xmlns:N="${escapeXml(namespace)}"`];
  const written = attributes.map((attribute, number) => attributeXml(attribute, number)).join('');
  const content = children.map(child => (typeof child === 'string' ? escapeXml(child) : toXml(child))).join('');
  return `<${tag}${declared}${written}>${content}</${tag}>`;
}

function attributeXml({ namespace, name, value }: XmlAttribute, number: number): string {
  const text = escapeXml(value);
  if (namespace === '') return ` ${name}="${text}"`;
  if (namespace === xmlNamespace) return ` xml:${name}="${text}"`;
  return ` xmlns:A${number}="${escapeXml(namespace)}" A${number}:${name}="${text}"`;
}
