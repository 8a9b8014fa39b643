/** Reads an action file and finds everything that is wrong with it (actions sheet, sections 2.2 and 2.4). */
import { LineCounter, isMap, isScalar, isSeq, parseAllDocuments } from 'yaml';
import type { Document, Node, Pair, YAMLMap } from 'yaml';
import { messageOf } from '@srv/kernel';
import type { EventType, HookType } from '@srv/kernel';
import type { ActionHook, EventFilter, FileProblem, HookTypes, ParsedFile } from './action-file.js';
import { eventTypes, isEventType, isTagEvent } from './event-types.js';
import { parseGlob } from './glob.js';
import type { Glob } from './glob.js';

const namePattern = /^\w[\w\-. ]+$/;
const hookIdPattern = /^[_a-zA-Z][-_a-zA-Z0-9]{1,255}$/;

/** Never throws: what is wrong with the text is in the result, in the order in which clients expect it. */
export function parseActionFile(text: string, hookTypes: HookTypes): ParsedFile {
  return new FileReader(text, hookTypes).read();
}

class FileReader {
  readonly #lines = new LineCounter();
  readonly #document: Document.Parsed | undefined;
  readonly #hookTypes: HookTypes;
  readonly #problems: FileProblem[] = [];

  constructor(text: string, hookTypes: HookTypes) {
    this.#hookTypes = hookTypes;
    const documents = parseAllDocuments(text, { lineCounter: this.#lines, prettyErrors: false, version: '1.2', uniqueKeys: true });
    this.#document = Array.isArray(documents) ? documents[0] : undefined;
  }

  read(): ParsedFile {
    const { errors = [], contents } = this.#document ?? {};
    for (const { message, pos } of errors) this.#add(`yaml: ${message}`, pos[0], 'correct the YAML');
    if (errors.length > 0) return { name: '', problems: this.#problems };
    const root = isMap(contents) ? contents : undefined;
    if (!root && contents && !(isScalar(contents) && contents.value === null)) {
      this.#add('yaml: an action file must be a map: invalid action', contents, 'begin with name:, on: and hooks:');
      return { name: '', problems: this.#problems };
    }
    const name = this.#name(root);
    const on = this.#events(root);
    const hooks = this.#hooks(root);
    const events = on && { events: new Set(on.keys()) };
    if (this.#problems.length > 0 || !on) return { name, ...events, problems: this.#problems };
    return { name, ...events, action: { name, on, hooks }, problems: [] };
  }

  #name(root: YAMLMap | undefined): string {
    const node = memberOf(root, 'name');
    const name = textOf(node);
    if (name === '') this.#add("'name' is required: invalid action", node ?? root, 'add name: with what the action is called');
    else if (!namePattern.test(name))
      this.#add(
        "'name' is invalid: invalid action",
        node,
        'two characters or more: letters, digits, _ - . and spaces, with a letter, digit or _ first',
      );
    return name;
  }

  #events(root: YAMLMap | undefined): Map<EventType, EventFilter> | undefined {
    const node = memberOf(root, 'on');
    if (!isMap(node) || node.items.length === 0) {
      this.#add("'on' is required: invalid action", node ?? root, 'add on: with events as keys, such as pre-commit:');
      return undefined;
    }
    const on = new Map<EventType, EventFilter>();
    for (const { key, value } of pairsOf(node)) {
      const event = textOf(key);
      if (!isEventType(event)) {
        this.#add(`event '${event}' is not supported: invalid action`, key, `events are ${eventTypes.join(', ')}`);
        continue;
      }
      on.set(event, this.#filter(event, value));
    }
    return on;
  }

  #filter(event: EventType, node: Node | undefined): EventFilter {
    const branches = memberOf(node, 'branches');
    const tags = memberOf(node, 'tags');
    const isTag = isTagEvent(event);
    if (isTag && isSeq(branches) && branches.items.length > 0)
      this.#add(
        "'branches' is not supported in tag event types. invalid event parameter",
        branches,
        'use tags: with patterns of tag names',
      );
    return { branches: isTag ? [] : this.#globs('branches', branches), tags: isTag ? this.#globs('tags', tags) : [] };
  }

  #globs(what: string, node: Node | undefined): Glob[] {
    if (!node || (isScalar(node) && node.value === null)) return [];
    if (!isSeq(node)) {
      this.#add(`'${what}' must be a list of patterns: invalid action`, node, `write ${what}: ["main", "release-*"]`);
      return [];
    }
    const globs: Glob[] = [];
    for (const item of node.items as Node[]) {
      try {
        globs.push(parseGlob(textOf(item)));
      } catch (error) {
        this.#add(`${JSON.stringify(textOf(item))}: ${messageOf(error)}: invalid action`, item, 'close every [ with ], and end with no \\');
      }
    }
    return globs;
  }

  #hooks(root: YAMLMap | undefined): ActionHook[] {
    const node = memberOf(root, 'hooks');
    if (!node || (isScalar(node) && node.value === null)) return [];
    if (!isSeq(node)) {
      this.#add("'hooks' must be a list: invalid action", node, 'begin every hook with a dash');
      return [];
    }
    const ids = new Set<string>();
    return (node.items as Node[]).flatMap((item, index) => this.#hook(item, index, ids) ?? []);
  }

  #hook(node: Node, index: number, ids: Set<string>): ActionHook | undefined {
    const [idNode, typeNode, propertiesNode] = [memberOf(node, 'id'), memberOf(node, 'type'), memberOf(node, 'properties')];
    const id = textOf(idNode);
    if (!hookIdPattern.test(id)) {
      this.#add(
        `hook[${index}] missing ID: invalid action`,
        idNode ?? node,
        'give it an id of 2 to 256 characters: letters, digits, _ and -, with a letter or _ first',
      );
      return undefined;
    }
    if (ids.has(id)) {
      this.#add(`hook[${index}] duplicate ID '${id}': invalid action`, idNode, 'give every hook of the file an id of its own');
      return undefined;
    }
    ids.add(id);
    const type = textOf(typeNode);
    const hookType = type === '' ? undefined : this.#hookTypes(type);
    if (!hookType) {
      const written = type === '' ? 'no type is given' : `${JSON.stringify(type)} is not a type that an enabled plugin offers`;
      this.#add(`hook[${index}] type '${id}' unknown: invalid action`, typeNode ?? node, `${written}; such as webhook, airflow or lua`);
      return undefined;
    }
    const properties = this.#plain(propertiesNode);
    if (!isMap(propertiesNode) || propertiesNode.items.length === 0) {
      this.#add(`hook[${index}] type '${type}': missing hook properties: invalid action`, propertiesNode ?? node, 'add properties:');
      return undefined;
    }
    if (properties === undefined) return undefined;
    const { error, value } = checked(hookType, properties);
    if (error) {
      this.#add(`hook[${index}] type '${type}': ${error.message}: invalid action`, propertiesNode, `see the properties of ${type} hooks`);
      return undefined;
    }
    return { id, type, condition: textOf(memberOf(node, 'if')), properties: value };
  }

  /** The value of a node. */
  #plain(node: Node | undefined): unknown {
    if (!node || !this.#document) return undefined;
    try {
      return node.toJS(this.#document, { maxAliasCount: 100 });
    } catch (error) {
      this.#add(`yaml: ${messageOf(error)}`, node, 'use fewer aliases');
      return undefined;
    }
  }

  #add(message: string, at: Node | number | null | undefined, remedy: string): void {
    const offset = typeof at === 'number' ? at : (at?.range?.[0] ?? 0);
    this.#problems.push({ message, line: Math.max(this.#lines.linePos(offset).line, 1), remedy });
  }
}

/** A type whose check breaks down finds fault with the file. */
function checked(type: HookType, properties: unknown): ReturnType<HookType['properties']['validate']> {
  try {
    return type.properties.validate(properties);
  } catch (error) {
    return { error: { message: messageOf(error) } };
  }
}

function pairsOf(map: YAMLMap): { readonly key: Node | undefined; readonly value: Node | undefined }[] {
  return (map.items as Pair<Node, Node | null>[]).map(({ key, value }) => ({ key, value: value ?? undefined }));
}

function memberOf(map: Node | undefined, name: string): Node | undefined {
  return isMap(map) ? pairsOf(map).find(({ key }) => textOf(key) === name)?.value : undefined;
}

/** A scalar as it is written, so that `true` and `1.0` are their texts; anything else is empty. */
function textOf(node: Node | undefined): string {
  if (!isScalar(node) || node.value === null) return '';
  return typeof node.value === 'string' ? node.value : (node.source ?? String(node.value));
}
