/** The repository and ref that were looked at last, for pages that are not about one. */
import { onPersonChange } from './person.js';

export interface LastPlace {
  readonly repository: string;
  readonly ref: string;
}

let last: LastPlace | undefined;
onPersonChange(() => {
  last = undefined;
});

export function noteLastPlace(place: LastPlace): void {
  last = place;
}

export function lastPlace(): LastPlace | undefined {
  return last;
}
