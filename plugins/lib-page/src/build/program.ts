/** Builds the page part of the package in the working folder: `node ../lib-page/dist/src/build/program.js`. */
import { buildPart } from './build-part.js';

await buildPart(process.cwd());
