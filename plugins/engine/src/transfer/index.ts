/** Objects between a server and the files of this machine. */
export * from './checksum.js';
export * from './config.js';
export * from './differing-files.js';
export * from './download.js';
export * from './names.js';
export * from './owner.js';
export * from './posix.js';
export * from './pre-sign.js';
export * from './signed-url.js';
export { smallFile } from './small-files.js';
export * from './small-uploads.js';
export * from './sources.js';
export * from './targets.js';
export * from './upload.js';
export * from './upload-record.js';
export * from './walk.js';
export type * from './upload-settings.js';
