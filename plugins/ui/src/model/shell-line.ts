/** The line of the shell while it is typed, as in the shell of a terminal. */
export { commonStart, completedLine } from '@srv/engine/shell/completed-line';
