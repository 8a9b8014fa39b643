/** What builds the files of the web page and of page parts, and the shape of their descriptions. */
export { buildPart } from './build/build-part.js';
export { compressFiles } from './build/compress-files.js';
export { newest } from './build/newest.js';
export type { ActionPlace, BuiltDescription, Entry, PageDescription, PanelPlace } from './description.js';
export type { IconName } from './icon-name.js';
export type { ShownObject } from './shown-object.js';
