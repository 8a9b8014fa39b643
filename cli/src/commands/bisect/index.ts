/** The commands of `bisect`. */
import type { Command } from '@srv/kernel';
import { bisectBad, bisectGood, bisectLog, bisectReset, bisectRun, bisectView } from './session.js';
import { bisectStart } from './start.js';

export const bisectCommands: readonly Command[] = [bisectBad, bisectGood, bisectLog, bisectReset, bisectRun, bisectStart, bisectView];
