/** Names of rows in a folder. */

/** @returns the path without the folder; the whole path where it is the folder's own, as objects that mark folders have it. */
export const nameBelow = (folder: string, path: string): string => path.slice(folder.length) || path;
