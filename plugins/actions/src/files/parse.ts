/** Reads an action file and finds everything that is wrong with it (actions sheet, sections 2.2 and 2.4). */
import { messageOf, nearest } from '@srv/kernel';
import { eventTypes, isEventType, isTagEvent } from './event-types.js';
import { parseShellGlob } from './glob.js';
import { readYaml } from './yaml-tree.js';
import type { EventType } from '@srv/kernel';
import type { HookType } from '@srv/lib-api/hook-types';
import type { Glob } from '@srv/lib-records/glob';
import type { ActionHook, EventFilter, FileProblem, HookTypes, ParsedFile } from './action-file.js';
import type { YamlNode, YamlTree } from './yaml-tree.js';

const namePattern = /^\w[\w\-. ]+$/;
const hookIdPattern = /^[_a-zA-Z][-_a-zA-Z0-9]{1,255}$/;

/** Problems of a file that are described; most others follow from these. */
const mostProblems = 10;

/** Never throws: what is wrong with the text is in the result, in the order in which clients expect it. */
export function parseActionFile(text: string, hookTypes: HookTypes): ParsedFile {
  return checkActionFile(readYaml(text), hookTypes);
}

/** The same for a text that has been read. */
export function checkActionFile(tree: YamlTree, hookTypes: HookTypes): ParsedFile {
  return new FileReader(hookTypes).read(tree);
}

/** Types of hooks that plugins of this project offer, each named `hook-` and the type. */
const usualTypes = ['webhook', 'airflow', 'lua'];

class FileReader {
  readonly #hookTypes: HookTypes;
  readonly #problems: FileProblem[] = [];
  #hasUnknownEvent = false;

  constructor(hookTypes: HookTypes) {
    this.#hookTypes = hookTypes;
  }

  read({ root, errors }: YamlTree): ParsedFile {
    for (const { message, line } of errors) this.#add(`yaml: ${message}`, { line }, 'correct the YAML');
    if (errors.length > 0) return { name: '', problems: this.#described() };
    if (root.kind !== 'map' && root.kind !== 'empty') {
      this.#add('yaml: an action file must be a map: invalid action', root, 'begin with name:, on: and hooks:');
      return { name: '', problems: this.#described() };
    }
    const name = this.#name(root);
    const on = this.#events(root);
    const hooks = this.#hooks(root);
    // An event that is misspelt may be any: the file then applies to all of them, or it would silently never run.
    const events = on && !this.#hasUnknownEvent ? { events: new Set(on.keys()) } : {};
    if (this.#problems.length > 0 || !on) return { name, ...events, problems: this.#described() };
    return { name, ...events, action: { name, on, hooks }, problems: [] };
  }

  #name(root: YamlNode): string {
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

  #events(root: YamlNode): Map<EventType, EventFilter> | undefined {
    const node = memberOf(root, 'on');
    if (node?.kind !== 'map' || node.entries.length === 0) {
      this.#add("'on' is required: invalid action", node ?? root, 'add on: with events as keys, such as pre-commit:');
      return undefined;
    }
    const on = new Map<EventType, EventFilter>();
    for (const [key, value] of node.entries) {
      const event = textOf(key);
      if (!isEventType(event)) {
        this.#hasUnknownEvent = true;
        const meant = nearest(event, eventTypes);
        const remedy = `${meant === undefined ? '' : `did you mean ${meant}? `}events are ${eventTypes.join(', ')}`;
        this.#add(`event '${event}' is not supported: invalid action`, key, remedy);
        continue;
      }
      on.set(event, this.#filter(event, value));
    }
    return on;
  }

  #filter(event: EventType, node: YamlNode | undefined): EventFilter {
    const branches = memberOf(node, 'branches');
    const tags = memberOf(node, 'tags');
    const isTag = isTagEvent(event);
    if (isTag && branches?.kind === 'list' && branches.items.length > 0)
      this.#add(
        "'branches' is not supported in tag event types. invalid event parameter",
        branches,
        'use tags: with patterns of tag names',
      );
    return { branches: isTag ? [] : this.#globs('branches', branches), tags: isTag ? this.#globs('tags', tags) : [] };
  }

  #globs(what: string, node: YamlNode | undefined): Glob[] {
    if (!node || node.kind === 'empty') return [];
    if (node.kind !== 'list') {
      this.#add(`'${what}' must be a list of patterns: invalid action`, node, `write ${what}: ["main", "release-*"]`);
      return [];
    }
    const globs: Glob[] = [];
    for (const item of node.items) {
      try {
        globs.push(parseShellGlob(textOf(item)));
      } catch (error) {
        this.#add(`${JSON.stringify(textOf(item))}: ${messageOf(error)}: invalid action`, item, 'close every [ with ], and end with no \\');
      }
    }
    return globs;
  }

  #hooks(root: YamlNode): ActionHook[] {
    const node = memberOf(root, 'hooks');
    if (!node || node.kind === 'empty') return [];
    if (node.kind !== 'list') {
      this.#add("'hooks' must be a list: invalid action", node, 'begin every hook with a dash');
      return [];
    }
    const ids = new Set<string>();
    return node.items.flatMap((item, index) => this.#hook(item, index, ids) ?? []);
  }

  #hook(node: YamlNode, index: number, ids: Set<string>): ActionHook | undefined {
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
      this.#add(`hook[${index}] type '${id}' unknown: invalid action`, typeNode ?? node, this.#typeRemedy(type));
      return undefined;
    }
    if (propertiesNode?.kind !== 'value' || !propertiesNode.isFilledMap) {
      this.#add(`hook[${index}] type '${type}': missing hook properties: invalid action`, propertiesNode ?? node, 'add properties:');
      return undefined;
    }
    const { error, value } = checked(hookType, propertiesNode.value);
    if (error) {
      this.#add(`hook[${index}] type '${type}': ${error.message}: invalid action`, propertiesNode, `see the properties of ${type} hooks`);
      return undefined;
    }
    return { id, type, condition: textOf(memberOf(node, 'if')), properties: value };
  }

  /** Of a type that none of the plugins that run offers. */
  #typeRemedy(type: string): string {
    const offered = usualTypes.filter(usual => this.#hookTypes(usual) !== undefined);
    const examples = offered.length > 0 ? `; offered: ${offered.join(', ')}` : '';
    if (type === '') return `no type is given${examples}`;
    const plugin = usualTypes.includes(type) ? `: enable the plugin hook-${type}` : '';
    return `${JSON.stringify(type)} is not a type that an enabled plugin offers${plugin}${examples}`;
  }

  #described(): readonly FileProblem[] {
    const [next] = this.#problems.slice(mostProblems);
    if (!next) return this.#problems;
    const more = { message: `and ${this.#problems.length - mostProblems} more`, line: next.line, remedy: 'correct the others first' };
    return [...this.#problems.slice(0, mostProblems), more];
  }

  #add(message: string, at: Pick<YamlNode, 'line'> | undefined, remedy: string): void {
    this.#problems.push({ message, line: at?.line ?? 1, remedy });
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

function memberOf(node: YamlNode | undefined, name: string): YamlNode | undefined {
  return node?.kind === 'map' ? node.entries.find(([key]) => textOf(key) === name)?.[1] : undefined;
}

function textOf(node: YamlNode | undefined): string {
  return node?.kind === 'text' ? node.text : '';
}
