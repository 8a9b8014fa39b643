/** The commands of `bisect`. */

import { bisectBad, bisectGood, bisectLog, bisectNew, bisectOld, bisectReset, bisectRun, bisectView } from './session.js';
import { bisectStart } from './start.js';
import type { Command } from '@srv/lib-commands';

export const commands: readonly Command[] = [
  bisectBad,
  bisectGood,
  bisectLog,
  bisectNew,
  bisectOld,
  bisectReset,
  bisectRun,
  bisectStart,
  bisectView,
];
