#!/usr/bin/env node
import '../dist/src/compile-cache.js';
import { pathToFileURL } from 'node:url';
import { freshBundle } from '../dist/src/fresh-bundle.js';

const bundle = freshBundle('srv');
await import(bundle === undefined ? '../dist/src/srv/main.js' : pathToFileURL(bundle).href);
