/** Starts `srv`: from its bundle, or from the compiled modules when they are newer. */
import { pathToFileURL } from 'node:url';
import { freshBundle } from '../fresh-bundle.js';

const bundle = freshBundle('srv');
await import(bundle === undefined ? './main.js' : pathToFileURL(bundle).href);
