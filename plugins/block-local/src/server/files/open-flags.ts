/** Flags for opening files of which other users must not choose the target. */
import { constants } from 'node:fs';

/** To read: a link is not followed, and a pipe in place of a file does not block us; systems that lack a flag ignore it. */
export const readPlainFile = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
