/** How files are opened in which nobody else has a say. */
import { constants } from 'node:fs';

/** To read: a link is not followed, and a pipe that somebody put there does not stop us; systems that lack a flag ignore it. */
export const readPlainFile = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
