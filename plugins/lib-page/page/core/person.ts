/** Whose page it is: what one person did is not the next one's to see. */
import { effect } from '@preact/signals';
import { session } from './session.js';

/** @param forget runs when another user logs in. */
export function onPersonChange(forget: () => void): void {
  let person: string | undefined;
  effect(() => {
    const { value } = session;
    if (value.state !== 'in' || value.user.id === person) return;
    if (person !== undefined) forget();
    person = value.user.id;
  });
}
