/** What builds the files of the web page and of page parts. */
export { compressFiles } from './compress-files.js';
export { newest } from './newest.js';
