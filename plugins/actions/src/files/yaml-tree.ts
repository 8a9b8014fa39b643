/** The YAML document of a text as a plain tree with lines. Takes long for long texts: servers read those in a worker. */

import { messageOf } from '@srv/kernel/errors';
import { LineCounter, isMap, isScalar, isSeq, parseAllDocuments } from 'yaml';
import type { Document, Node, Pair } from 'yaml';

export type YamlNode = { /** From 1. */ readonly line: number } & (
  | { readonly kind: 'empty' }
  /** As it is written: `true` and `1.0` are their texts. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [key: YamlNode, value: YamlNode])[] }
  | { readonly kind: 'list'; readonly items: readonly YamlNode[] }
  /** The nodes below the last examined level, by value. */
  | { readonly kind: 'value'; readonly value: unknown; readonly isFilledMap: boolean }
);

export interface YamlTree {
  readonly root: YamlNode;
  readonly errors: readonly { readonly message: string; readonly line: number }[];
}

/** Keys whose values are taken whole. */
const whole = 'properties';
/** Levels of an action file above the values that are taken whole. */
const maxDepth = 8;

/** Never throws. */
export function readYaml(text: string): YamlTree {
  const lines = new LineCounter();
  const lineOf = (offset: number): number => Math.max(lines.linePos(offset).line, 1);
  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, version: '1.2', uniqueKeys: true });
  const [document, ...others] = Array.isArray(documents) ? documents : [];
  if (!document) return { root: { kind: 'empty', line: 1 }, errors: [] };
  const reader = new TreeReader(document, lineOf);
  const errors = document.errors.map(({ message, pos }) => ({ message, line: lineOf(pos[0]) }));
  const second = others.find(({ contents, errors: found }) => found.length > 0 || !isEmpty(contents));
  if (second) errors.push({ message: 'a file has one document; move what follows --- to another file', line: lineOf(second.range[0]) });
  if (errors.length > 0) return { root: { kind: 'empty', line: 1 }, errors };
  return { root: reader.node(document.contents, 0), errors: reader.errors };
}

class TreeReader {
  readonly errors: { message: string; line: number }[] = [];
  readonly #document: Document.Parsed;
  readonly #lineOf: (offset: number) => number;

  constructor(document: Document.Parsed, lineOf: (offset: number) => number) {
    this.#document = document;
    this.#lineOf = lineOf;
  }

  node(node: Node | null | undefined, depth: number, isWhole = false): YamlNode {
    const line = this.#lineOf(node?.range?.[0] ?? 0);
    if (!node || isEmpty(node)) return { kind: 'empty', line };
    if (isWhole || depth > maxDepth) return this.#value(node, line);
    if (isScalar(node))
      return { kind: 'text', line, text: typeof node.value === 'string' ? node.value : (node.source ?? String(node.value)) };
    if (isSeq(node)) return { kind: 'list', line, items: (node.items as Node[]).map(item => this.node(item, depth + 1)) };
    if (!isMap(node)) return this.#value(node, line);
    const entries = (node.items as Pair<Node, Node | null>[]).map(({ key, value }) => {
      const name = this.node(key, depth + 1);
      return [name, this.node(value ?? undefined, depth + 1, name.kind === 'text' && name.text === whole)] as const;
    });
    return { kind: 'map', line, entries };
  }

  #value(node: Node, line: number): YamlNode {
    try {
      const value: unknown = node.toJS(this.#document, { maxAliasCount: 100 });
      return { kind: 'value', line, value, isFilledMap: isMap(node) && node.items.length > 0 };
    } catch (error) {
      this.errors.push({ message: messageOf(error), line });
      return { kind: 'empty', line };
    }
  }
}

function isEmpty(node: Node | null): boolean {
  return node === null || (isScalar(node) && node.value === null);
}
