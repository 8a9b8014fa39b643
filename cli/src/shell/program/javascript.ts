/** A statement of JavaScript as code that Node.js runs on its own: what waits is put into a function, what it declares stays outside. */
import { Edits } from './edits.js';
import { declaredNames, isFunction, waits, walk } from './walk.js';
import type { ImportDeclaration, Node, VariableDeclaration } from 'acorn';
import type { AnyPart } from './walk.js';

/** Names by which the code calls the shell; a program does not use them itself. */
export const shellNames = { line: '__line', load: '__load', imported: '__imported' } as const;

export interface StatementCode {
  readonly code: string;
  /** Characters at the beginning of the code that the program does not have. */
  readonly offset: number;
  /** The value of the code is a promise of the statement's value. */
  readonly isPromise: boolean;
}

const variable = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g;

/** Every variable that a line of the shell may take, as it is seen where the line stands. */
function scopeOf(line: string): string {
  const names = new Set([...line.matchAll(variable)].map(([, braced, plain]) => braced ?? plain ?? ''));
  return `{ ${[...names].map(name => `${name}: () => ${name}`).join(', ')} }`;
}

export interface Position {
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
}

/** Of an offset in the program. */
export type Place = (offset: number) => Position;

/** @param text the whole program. @param statement with offsets in it. */
export function statementCode(text: string, statement: Node, place: Place): StatementCode {
  const edits = new Edits();
  const rewriter = new Rewriter(text, edits, place);
  const node = statement as AnyPart;
  if (node.type === 'ImportDeclaration') return importCode(text, node);
  rewriter.rewrite(statement);
  if (!waits(statement)) return { code: edits.apply(text, node.start, node.end), offset: 0, isPromise: false };
  const outside = new Set<string>();
  let [before, after] = ['', ''];
  let range: Node = node;
  if (node.type === 'ExpressionStatement') {
    [before, after] = ['return (', '\n)'];
    range = node.expression;
  } else if (node.type === 'VariableDeclaration') rewriter.declarationAsAssignment(node, outside);
  else if (node.type === 'ClassDeclaration' && node.id) {
    outside.add(node.id.name);
    before = `${node.id.name} = `;
  } else rewriter.hoistVariables(node, outside);
  const declared = outside.size > 0 ? `let ${[...outside].join(', ')}; ` : '';
  const opening = `${declared}(async () => { ${before}`;
  return { code: `${opening}${edits.apply(text, range.start, range.end)}${after}\n})()`, offset: opening.length, isPromise: true };
}

/** Puts calls of the shell in the place of what only it knows. */
class Rewriter {
  readonly #text: string;
  readonly #edits: Edits;
  readonly #place: Place;

  constructor(text: string, edits: Edits, place: Place) {
    this.#place = place;
    this.#text = text;
    this.#edits = edits;
  }

  rewrite(statement: Node): void {
    const [text, edits] = [this.#text, this.#edits];
    walk(statement, node => {
      if (node.type === 'ShellLine') {
        const line = text.slice(node.start, node.end);
        edits.replace(
          text,
          node.start,
          node.end,
          `await ${shellNames.line}(${JSON.stringify(line)}, ${scopeOf(line)}, ${JSON.stringify(this.#place(node.start))});`,
        );
      } else if (node.type === 'ImportExpression') edits.replace(text, node.start, node.start + 'import'.length, shellNames.load);
      else if (node.type === 'CallExpression' && node.callee.type === 'Identifier' && node.callee.name === 'run') {
        const [line, ...others] = node.arguments;
        if (line?.type === 'Literal' && typeof line.value === 'string' && others.length === 0 && line.value.includes('$'))
          edits.insert(line.end, `, ${scopeOf(line.value)}`);
      }
      return true;
    });
  }

  /** `const a = 1, b` as `void ( a = 1, b = undefined)`; the names are declared outside. */
  declarationAsAssignment(declaration: VariableDeclaration, outside: Set<string>): void {
    const first = declaration.declarations[0];
    const last = declaration.declarations.at(-1);
    if (!first || !last) return;
    const [text, edits] = [this.#text, this.#edits];
    edits.replace(text, declaration.start, first.start, 'void (');
    for (const { id, init, end } of declaration.declarations) {
      for (const name of declaredNames(id)) outside.add(name);
      if (!init) edits.insert(end, ' = undefined');
    }
    edits.insert(last.end, ')');
  }

  /** `var` in blocks and loops belongs to the program, as without the function around it. */
  hoistVariables(statement: Node, outside: Set<string>): void {
    const [text, edits] = [this.#text, this.#edits];
    const loops = new Set<Node>();
    walk(statement, node => {
      if (isFunction(node)) return false;
      if (node.type === 'ForInStatement' || node.type === 'ForOfStatement') loops.add(node.left);
      if (node.type !== 'VariableDeclaration' || node.kind !== 'var') return true;
      const [only] = node.declarations;
      if (!loops.has(node)) this.declarationAsAssignment(node, outside);
      else if (only) {
        edits.replace(text, node.start, only.start, '');
        for (const name of declaredNames(only.id)) outside.add(name);
      }
      return true;
    });
  }
}

/** `import d, { a as b } from 'x'` as what waits for `import('x')`. */
function importCode(text: string, { specifiers, source, attributes, end }: ImportDeclaration): StatementCode {
  const names: string[] = [];
  const wanted: string[] = [];
  let whole = '';
  for (const part of specifiers) {
    if (part.type === 'ImportNamespaceSpecifier') {
      whole = part.local.name;
      continue;
    }
    const name = part.type === 'ImportDefaultSpecifier' ? 'default' : nameOf(part.imported);
    names.push(`${JSON.stringify(name)}: ${part.local.name}`);
    wanted.push(name);
  }
  const outside = [
    ...(whole === '' ? [] : [whole]),
    ...specifiers.filter(s => s.type !== 'ImportNamespaceSpecifier').map(s => s.local.name),
  ];
  const [firstAttribute, lastAttribute] = [attributes[0], attributes.at(-1)];
  const options = firstAttribute && lastAttribute ? `, { with: { ${text.slice(firstAttribute.start, lastAttribute.end)} } }` : '';
  const module = `${shellNames.imported}(await ${shellNames.load}(${source.raw}${options}), ${JSON.stringify(wanted)}, ${source.raw})`;
  const target = whole === '' ? `({ ${names.join(', ')} } = ${module})` : `({ ${names.join(', ')} } = ${whole} = ${module})`;
  const declared = outside.length > 0 ? `let ${outside.join(', ')}; ` : '';
  const code = `${declared}(async () => { void ${target}; })()`;
  return { code, offset: code.length + end, isPromise: true };
}

function nameOf(name: { readonly type: string }): string {
  const known = name as { readonly name?: string; readonly value?: unknown };
  return known.name ?? String(known.value);
}
