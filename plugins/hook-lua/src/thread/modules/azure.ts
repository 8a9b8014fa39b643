/** `azure`: blobs, and their addresses. */
import { LuaError, bytesOf } from '../lua-value.js';
import { found, methodsOf } from './outside-method.js';
import type { LuaModules } from '../arguments.js';
import type { OutsideLink } from '../outside-link.js';

export function azureModules(outside: Pick<OutsideLink, 'call'>): LuaModules {
  const azure = methodsOf(outside, 'azure');
  return {
    blob: {
      get_object: azure('get', args => ({ path: args.text(2) }), found),
      put_object: azure('put', args => ({ path: args.text(2), data: new Uint8Array(args.buffer(3)) })),
      delete_object: azure('delete', args => ({ path: args.text(2) })),
    },
    azure: { abfss_transform_path: args => [bytesOf(abfss(args.text(1)))] },
  };
}

/** `https://account.blob.core.windows.net/container/path` as Spark names it. */
function abfss(url: string): string {
  const found = /^https:\/\/([^./]+)\.(?:blob|dfs|adls)\.core\.windows\.net\/([^/]+)(?:\/(.*))?$/s.exec(url);
  if (!found) throw new LuaError(`expected valid Azure https URL: ${url}`);
  const [, account = '', container = '', path = ''] = found;
  return `abfss://${container}@${account}.dfs.core.windows.net/${path}`;
}
