/** Sets up the process of a test file: a temporary folder of its own, and the measuring of what it uses. */
import { folderVariable, takeOwnFolder } from './own-folder.js';
import { measureThisFile, usageVariable } from './usage.js';

// A process that the file started with its own flags shares the folder, and is measured with the file.
if (process.env[folderVariable] === undefined) {
  const usageFolder = process.env[usageVariable];
  if (usageFolder !== undefined) measureThisFile(usageFolder);
  takeOwnFolder();
}
