/** Lines that arrive together, as in a paste, and what a script hands to `sh`. */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import { LineQueue } from '../src/shell/line-queue.js';
import { argumentsOf, variablesOf } from '../src/shell/line-variables.js';
import type { REPLServer } from 'node:repl';

function open() {
  const server = new EventEmitter();
  const begun: string[] = [];
  let idle = 0;
  const lines: LineQueue[] = [];
  server.on('line', (line: string) => {
    begun.push(line);
    lines[0]?.begin();
  });
  const queue = new LineQueue(server as REPLServer, () => idle++);
  lines.push(queue);
  return { queue, begun, idle: () => idle, type: (...typed: string[]) => typed.forEach(line => void server.emit('line', line)) };
}

describe('lines that arrive together', () => {
  it('begin one after another, each when the one before is done', () => {
    const { queue, begun, idle, type } = open();
    type('a', 'b', 'c');
    assert.deepEqual([begun, queue.isBusy, idle()], [['a'], true, 0]);
    queue.end();
    assert.deepEqual([begun, queue.isBusy, idle()], [['a', 'b'], true, 0]);
    queue.end();
    queue.end();
    assert.deepEqual([begun, queue.isBusy, idle()], [['a', 'b', 'c'], false, 1]);
  });

  it('are forgotten when the one before is interrupted', () => {
    const { queue, begun, idle, type } = open();
    type('a', 'b', 'c');
    queue.clear();
    queue.end();
    assert.deepEqual([begun, queue.isBusy, idle()], [['a'], false, 1]);
    type('d');
    assert.deepEqual(begun, ['a', 'd']);
  });
});

describe('a line for sh', () => {
  const variables = (known: Readonly<Record<string, string>>) => (name: string) => known[name];

  it('gets every argument of the script, in order', () => {
    assert.deepEqual(argumentsOf(variables({ 1: 'a', 2: '', 3: 'c' })), ['a', '', 'c']);
    assert.deepEqual(argumentsOf(variables({ 2: 'b' })), []);
  });

  it('gets the variables that it names and that are known', () => {
    const known = variables({ NAME: 'ann', other: 'x', PATH: '/bin' });
    assert.deepEqual(variablesOf('echo $NAME ${other}s $unknown $1', known), { NAME: 'ann', other: 'x' });
  });
});
