/** `gcloud`: links that a mounted bucket follows. */
import { methodsOf, textIn } from './outside-method.js';
import type { LuaModules } from '../arguments.js';
import type { OutsideLink } from '../outside-link.js';

export function gcloudModules(outside: Pick<OutsideLink, 'call'>): LuaModules {
  const gcloud = methodsOf(outside, 'gcloud');
  return {
    gs: {
      write_fuse_symlink: gcloud('writeFuseSymlink', args => {
        const options = args.optionalTable(4);
        return { source: args.text(2), uri: args.text(3), from: textIn(options, 'from'), to: textIn(options, 'to') };
      }),
    },
  };
}
