/** Starts `cli`: from its bundle, of which this is a file of its own, or from the compiled modules when they are newer. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freshBundle } from './fresh-bundle.js';
import { packageFolder } from './places.js';

const bundle = freshBundle('cli');
if (bundle === undefined) void import(pathToFileURL(join(packageFolder, 'dist', 'src', 'main.js')).href);
else createRequire(import.meta.url)(bundle);
