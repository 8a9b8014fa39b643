/** XML of requests: small documents of nested elements. Names are read without prefix; attributes do not matter. */
import { isUtf8 } from 'node:buffer';
import { Pace } from '@srv/kernel';
import { SaxesParser } from 'saxes';
import { S3Error } from './errors.js';

export interface XmlNode {
  readonly name: string;
  /** Text of the element itself, as written. */
  readonly text: string;
  readonly children: readonly XmlNode[];
}

interface Open {
  readonly name: string;
  text: string;
  readonly children: XmlNode[];
}

/** Elements of one document, and how deep they may nest: far above any real request. */
const maxElements = 60_000;
const maxDepth = 12;
/** Characters of a long document that are read at a time. */
const pieceLength = 16 * 1024;

/** @throws S3Error `MalformedXML` for bytes that are not UTF-8: keys with replaced characters would be other keys. */
export function xmlText(body: Buffer): string {
  if (!isUtf8(body)) throw new S3Error('MalformedXML');
  return body.toString('utf8');
}

/**
 * The root element of `text`.
 * @param name that it must have: what is meant for another operation is not carried out.
 * @throws S3Error `MalformedXML` for another one, and for anything that is not well-formed, has a document type, or is unreasonably
 * large.
 */
export function readXml(text: string, name: string): XmlNode {
  const reader = new XmlReader();
  reader.write(text);
  return reader.root(name);
}

/** As {@link readXml}; others get their turn while a long document is read. */
export async function readLongXml(text: string, name: string): Promise<XmlNode> {
  const reader = new XmlReader();
  const pace = new Pace();
  for (let at = 0; at < text.length; at += pieceLength) {
    reader.write(text.slice(at, at + pieceLength));
    await pace.rest();
  }
  return reader.root(name);
}

/** Reads one document, piece by piece. */
class XmlReader {
  readonly #parser = new SaxesParser({ xmlns: false, position: false });
  readonly #open: Open[] = [];
  #root: XmlNode | undefined;
  #elements = 0;

  constructor() {
    const parser = this.#parser;
    parser.on('error', refuse);
    // Entities and external references have no place here.
    parser.on('doctype', refuse);
    parser.on('opentag', ({ name }) => this.#begin(name));
    const addText = (found: string): void => {
      const last = this.#open.at(-1);
      if (last) last.text += found;
    };
    parser.on('text', addText);
    parser.on('cdata', addText);
    parser.on('closetag', () => this.#end());
  }

  write(piece: string): void {
    this.#parser.write(piece);
  }

  /** After the last piece. */
  root(name: string): XmlNode {
    this.#parser.close();
    return this.#root?.name === name ? this.#root : refuse();
  }

  #begin(name: string): void {
    if (++this.#elements > maxElements || this.#open.length >= maxDepth) refuse();
    this.#open.push({ name: name.slice(name.indexOf(':') + 1), text: '', children: [] });
  }

  #end(): void {
    const node = this.#open.pop();
    if (!node) return;
    const parent = this.#open.at(-1);
    if (parent) parent.children.push(node);
    else this.#root = node;
  }
}

function refuse(): never {
  throw new S3Error('MalformedXML');
}

export function childrenOf(node: XmlNode, name: string): XmlNode[] {
  return node.children.filter(child => child.name === name);
}

/** Text of the child of that name. @throws S3Error `MalformedXML` for two of them. */
export function childText(node: XmlNode, name: string): string | undefined {
  const [child, ...others] = childrenOf(node, name);
  if (others.length > 0) throw new S3Error('MalformedXML');
  return child?.text;
}
