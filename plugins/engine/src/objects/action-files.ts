/** Action files: what a repository asks to be run before and after its operations. The plugin that runs them taps the hook `event`. */
import type { EventType, Hooks } from '@srv/kernel';

/** Folders of action files; existing repositories have the second. */
export const actionFolders = ['_srv_actions/', '_lakefs_actions/'] as const;

/** Operations that an action can stop. */
export const gatedEvents = [
  'pre-commit',
  'pre-merge',
  'pre-revert',
  'pre-cherry-pick',
  'pre-create-branch',
  'pre-delete-branch',
  'pre-create-tag',
  'pre-delete-tag',
] as const satisfies readonly EventType[];

/** The plugin that runs them: it taps the events whose actions it runs, under its name. */
const runner = 'actions';

/** Whether the actions of an event are run. */
export function runsActions({ event }: Pick<Hooks, 'event'>, type: EventType = 'pre-commit'): boolean {
  return event.get(type)?.taps.some(({ name }) => name === runner) ?? false;
}
