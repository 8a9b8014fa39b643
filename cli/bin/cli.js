#!/usr/bin/env node
'use strict';

// What is compiled once is kept for the next start, by Node.js 22 and later. Switched off as Node.js says.
require('node:module').enableCompileCache?.();

const { existsSync } = require('node:fs');
const { join } = require('node:path');

// In CommonJS, like the bundle: a start without Node.js's loader of ECMAScript modules takes a third less.
const bundled = join(__dirname, '..', 'dist', 'bundle-cli', 'launch.js');
if (existsSync(bundled)) require(bundled);
else void import('../dist/src/launch.js');
