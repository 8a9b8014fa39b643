/** The first day with what `npm start` starts. */
import { realTree } from './file-tree.js';
import { firstDay } from './first-day.js';
import { Server } from './programs.js';

firstDay({
  title: 'the first day',
  namespace: () => 'local://first',
  start: home => Server.start(home),
  fill: realTree,
  fileCount: 2000,
  showsCredentials: true,
});
