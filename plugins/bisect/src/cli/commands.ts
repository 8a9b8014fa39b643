/** The commands of `bisect`. */
import type { Command } from '@srv/lib-commands';
import { bisectBad, bisectGood, bisectLog, bisectNew, bisectOld, bisectReset, bisectRun, bisectView } from './session.js';
import { bisectStart } from './start.js';

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
