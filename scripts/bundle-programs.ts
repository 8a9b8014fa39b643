/**
 * Puts each program and what it is made of into a few files: `node scripts/dist/bundle-programs.js`. Hundreds of small modules
 * take longer to find and read than to run. Does nothing for a program whose last bundle is still true.
 */
import { freshBundle } from '@srv/cli/dist/src/fresh-bundle.js';
import { makeCommonJs } from './bundling/as-commonjs.js';
import { cliOptions } from './bundling/cli-options.js';
import { srvOptions } from './bundling/srv-options.js';
import { writeBundle } from './bundling/write-bundle.js';

if (freshBundle('cli') === undefined) await writeBundle('cli', await cliOptions(), makeCommonJs);
if (freshBundle('srv') === undefined) await writeBundle('srv', srvOptions());
