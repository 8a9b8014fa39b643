/** Modules of commands name `process` without importing it. */
import process from '../without-node/process.js';

Reflect.set(globalThis, 'process', process);
