/**
 * Expressions over data, as the shell of the command line has them in JavaScript: `_.filter(o => o.size_bytes > 1e6).length`.
 * They are interpreted, since the page's policy forbids to run text as code: no statements, no classes, no `await`.
 */

import arrow from '@jsep-plugin/arrow';
import object from '@jsep-plugin/object';
import regex from '@jsep-plugin/regex';
import template from '@jsep-plugin/template';
import { messageOf } from '@srv/kernel';
import { UsageError } from '@srv/lib-commands';
import jsep from 'jsep';
import { called, globals, memberOf } from './values.js';

jsep.plugins.register(arrow, object, regex, template);
jsep.addUnaryOp('typeof');

/** The value of a name; `undefined`: there is no such name. */
type Names = (name: string) => { readonly value: unknown } | undefined;

/** A name that nothing has. */
export class UnknownNameError extends UsageError {
  readonly unknown: string;

  constructor(unknown: string) {
    super(`there is nothing called ${unknown}`);
    this.unknown = unknown;
  }
}

interface Expression {
  evaluate(names: Names): unknown;
}

/** @throws UsageError for what is not an expression. */
export function readExpression(text: string): Expression {
  let node: Node;
  try {
    node = jsep(text);
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
  if (node.type === 'Compound') throw new UsageError('one expression is expected; statements of JavaScript are for cli repl');
  return { evaluate: names => evaluated(node, names) };
}

type Node = jsep.Expression;
type Visit = (node: Node, names: Names) => unknown;

/** The parser's nodes are open records: what is read of them is checked here. */
const child = (node: Node, name: string): Node => {
  const found = node[name];
  if (typeof found === 'object' && found !== null && 'type' in found && typeof found.type === 'string') return found as Node;
  throw new UsageError(`${node.type} without ${name} is not understood here`);
};
const children = (node: Node, name: string): readonly Node[] => {
  const found = node[name];
  return Array.isArray(found) ? found.filter((item): item is Node => typeof item === 'object' && item !== null && 'type' in item) : [];
};

const visits: Readonly<Record<string, Visit>> = {
  Literal: node => node['value'],
  Identifier: (node, names) => {
    const name = String(node['name']);
    const found = names(name);
    if (found) return found.value;
    if (globals.has(name)) return globals.get(name);
    throw new UnknownNameError(name);
  },
  ArrayExpression: (node, names) => children(node, 'elements').map(item => evaluated(item, names)),
  ObjectExpression: (node, names) =>
    Object.fromEntries(
      children(node, 'properties').map(property => {
        if (property.type !== 'Property') throw new UsageError('a function here is an expression, without braces: o => o.path');
        const key = child(property, 'key');
        const name = property['computed'] === true ? evaluated(key, names) : (key['name'] ?? key['value']);
        return [String(name), evaluated(property['shorthand'] === true ? key : child(property, 'value'), names)];
      }),
    ),
  TemplateLiteral: (node, names) => {
    const values = children(node, 'expressions').map(item => String(evaluated(item, names)));
    return children(node, 'quasis')
      .map((part, i) => `${String(memberOf(part['value'], 'cooked'))}${values[i] ?? ''}`)
      .join('');
  },
  MemberExpression: (node, names) => {
    const owner = evaluated(child(node, 'object'), names);
    if (node['optional'] === true && (owner === undefined || owner === null)) return undefined;
    const property = child(node, 'property');
    return memberOf(owner, node['computed'] === true ? String(evaluated(property, names)) : String(property['name']));
  },
  CallExpression: (node, names) => {
    const callee = child(node, 'callee');
    const args = children(node, 'arguments').map(item => evaluated(item, names));
    return called(evaluated(callee, names), args, nameOf(callee));
  },
  ConditionalExpression: (node, names) => evaluated(child(node, evaluated(child(node, 'test'), names) ? 'consequent' : 'alternate'), names),
  UnaryExpression: (node, names) => {
    const value = evaluated(child(node, 'argument'), names);
    const operator = unary[String(node['operator'])];
    if (!operator) throw new UsageError(`${String(node['operator'])} is not understood here`);
    return operator(value);
  },
  BinaryExpression: (node, names) => {
    const name = String(node['operator']);
    const left = evaluated(child(node, 'left'), names);
    const right = (): unknown => evaluated(child(node, 'right'), names);
    if (name === '&&') return left ? right() : left;
    if (name === '||') return left ? left : right();
    if (name === '??') return left ?? right();
    const operator = binary[name];
    if (!operator) throw new UsageError(`${name} is not understood here`);
    return operator(left, right());
  },
  ArrowFunctionExpression: (node, names) => {
    const parameters = children(node, 'params').map(parameter => {
      if (parameter.type !== 'Identifier') throw new UsageError('a function here takes plain names: o => o.path');
      return String(parameter['name']);
    });
    const body = child(node, 'body');
    return (...args: readonly unknown[]) =>
      evaluated(body, name => {
        const at = parameters.indexOf(name);
        return at < 0 ? names(name) : { value: args[at] };
      });
  },
};

function evaluated(node: Node, names: Names): unknown {
  const visit = visits[node.type];
  if (!visit) throw new UsageError('this is more JavaScript than the page understands; use cli repl');
  return visit(node, names);
}

/** What a call names, for messages. */
function nameOf(node: Node): string {
  if (node.type !== 'MemberExpression') return String(node['name'] ?? 'this');
  const property = child(node, 'property');
  return `${nameOf(child(node, 'object'))}.${String(property['name'] ?? property['value'])}`;
}

const unary: Readonly<Record<string, (value: unknown) => unknown>> = {
  '!': value => !value,
  '-': value => -Number(value),
  '+': Number,
  typeof: value => typeof value,
};

/** Numbers and texts compare as JavaScript compares them. */
const comparable = (value: unknown): string | number => (typeof value === 'string' || typeof value === 'number' ? value : Number(value));

/** Without conversions between kinds, but for a text that looks like the number it is compared with. */
const same = (a: unknown, b: unknown): boolean =>
  a === b ||
  ((a ?? null) === null && (b ?? null) === null) ||
  (typeof a === 'string' && typeof b === 'number' && Number(a) === b) ||
  (typeof a === 'number' && typeof b === 'string' && a === Number(b));

const binary: Readonly<Record<string, (a: unknown, b: unknown) => unknown>> = {
  '===': (a, b) => a === b,
  '!==': (a, b) => a !== b,
  '==': same,
  '!=': (a, b) => !same(a, b),
  '<': (a, b) => comparable(a) < comparable(b),
  '>': (a, b) => comparable(a) > comparable(b),
  '<=': (a, b) => comparable(a) <= comparable(b),
  '>=': (a, b) => comparable(a) >= comparable(b),
  '+': (a, b) => (typeof a === 'string' || typeof b === 'string' ? `${String(a)}${String(b)}` : Number(a) + Number(b)),
  '-': (a, b) => Number(a) - Number(b),
  '*': (a, b) => Number(a) * Number(b),
  '/': (a, b) => Number(a) / Number(b),
  '%': (a, b) => Number(a) % Number(b),
  '**': (a, b) => Number(a) ** Number(b),
};
