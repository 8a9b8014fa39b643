/** The commands of `local`. */
import type { Command } from '@srv/lib-commands';
import { localCheckout } from './checkout.js';
import { localClone } from './clone.js';
import { localCommit } from './commit.js';
import { localInit } from './init.js';
import { localList } from './list.js';
import { localPull } from './pull.js';
import { localStatus } from './status.js';

export const commands: readonly Command[] = [localCheckout, localClone, localCommit, localInit, localList, localPull, localStatus];
