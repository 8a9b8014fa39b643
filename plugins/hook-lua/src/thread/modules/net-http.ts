/** `net/http`: requests to anywhere. */
import { LuaError, bufferOf, bytesOf, bytesOfBuffer, isArray, isTable, table, textOf } from '../lua-value.js';
import { textIn } from './outside-method.js';
import type { Arguments, LuaModules } from '../arguments.js';
import type { LuaTable, LuaValue } from '../lua-value.js';
import type { OutsideLink } from '../outside-link.js';
import type { Fields } from './outside-method.js';

export function httpModules(outside: Pick<OutsideLink, 'call'>): LuaModules {
  return {
    'net/http': {
      request: args => {
        const result = outside.call({ service: 'http', method: 'request', input: httpRequest(args) }) as {
          readonly status: number;
          readonly statusText: string;
          readonly headers: Readonly<Record<string, readonly string[]>>;
          readonly body: Uint8Array;
        };
        const headers = Object.entries(result.headers).map(
          ([name, values]) => [bytesOf(name), values.length === 1 ? bytesOf(values[0] ?? '') : values.map(bytesOf)] as const,
        );
        return [result.status, bytesOfBuffer(result.body), new Map<string, LuaValue>(headers), bytesOf(result.statusText)];
      },
    },
  };
}

function httpRequest(args: Arguments): Fields {
  const first = args.value(1);
  const asked: LuaTable = isTable(first) ? first : table({ url: args.bytes(1), body: args.value(2) });
  const body = asked.get('body');
  const headers = asked.get('headers');
  return {
    url: textIn(asked, 'url') ?? '',
    method: textIn(asked, 'method') ?? '',
    ...(body === undefined ? {} : { body: new Uint8Array(bufferOf(String(body))) }),
    headers: isTable(headers) ? Object.fromEntries([...headers].map(([name, value]) => [textOf(String(name)), headerValue(value)])) : {},
  };
}

function headerValue(value: LuaValue): string | readonly string[] {
  if (isArray(value)) return value.map(item => textOf(String(item)));
  if (typeof value === 'object') throw new LuaError('a header is a string or an array of strings');
  return textOf(String(value));
}
