/** The events that an action file can name. */
import { eventTypes } from '@srv/kernel';
import type { EventType } from '@srv/kernel';

export { eventTypes };

export function isEventType(text: string): text is EventType {
  return eventTypes.some(type => type === text);
}

/** Whether the event is about a tag, and so about no branch. */
export function isTagEvent(type: EventType): boolean {
  return type.endsWith('-tag');
}

/** Whether the event comes after the fact. */
export function isAfter(type: EventType): boolean {
  return type.startsWith('post-');
}
