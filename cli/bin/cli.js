#!/usr/bin/env node
import '../dist/src/compile-cache.js';
import '../dist/src/main.js';
