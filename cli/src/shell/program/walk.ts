/** Walks through the nodes of a statement. */
import type { AnyNode, Node, Pattern } from 'acorn';
import type { ShellLine } from './parser.js';

export type AnyPart = AnyNode | ShellLine;

/** @param visit gets each node, the outermost first; returns `false` to leave out what is in it. */
export function walk(node: Node, visit: (node: AnyPart) => boolean): void {
  if (!visit(node as AnyPart)) return;
  for (const value of Object.values(node)) {
    if (Array.isArray(value)) for (const item of value) walkValue(item, visit);
    else walkValue(value, visit);
  }
}

function walkValue(value: unknown, visit: (node: AnyPart) => boolean): void {
  if (typeof value === 'object' && value !== null && 'type' in value && 'start' in value) walk(value as Node, visit);
}

/** Nodes in which `await` is another function's. */
export function isFunction({ type }: AnyPart): boolean {
  return type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression';
}

/** Whether a statement takes time: it waits, or runs lines of the shell. */
export function waits(statement: Node): boolean {
  let found = false;
  walk(statement, node => {
    found ||= node.type === 'AwaitExpression' || node.type === 'ShellLine' || (node.type === 'ForOfStatement' && node.await);
    return !found && !isFunction(node);
  });
  return found;
}

/** The names that a pattern declares. */
export function declaredNames(pattern: Pattern): string[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern.name];
    case 'ObjectPattern':
      return pattern.properties.flatMap(part => declaredNames(part.type === 'RestElement' ? part.argument : part.value));
    case 'ArrayPattern':
      return pattern.elements.flatMap(part => (part ? declaredNames(part) : []));
    case 'AssignmentPattern':
      return declaredNames(pattern.left);
    case 'RestElement':
      return declaredNames(pattern.argument);
    default:
      return [];
  }
}
