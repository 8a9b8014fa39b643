/** An object as the viewer that suits it best shows it. */
import { allViewers } from './custom-viewer.js';
import './viewers.js';
import type { ShownObject, Viewer } from '@srv/lib-page/page';

/** Best first. */
export function viewersOf(object: ShownObject): readonly Viewer[] {
  return allViewers()
    .map(viewer => ({ viewer, fit: viewer.fits(object) }))
    .filter(({ fit }) => fit > 0)
    .sort((a, b) => b.fit - a.fit)
    .map(({ viewer }) => viewer);
}

interface ContentProps {
  readonly object: ShownObject;
  /** Id of the viewer that asks, which shows the object itself. */
  readonly without: string;
}

/** For a viewer that adds something to what the page shows anyway. */
export function Content({ object, without }: ContentProps) {
  const viewer = viewersOf(object).find(({ id }) => id !== without);
  return <>{viewer?.render(object)}</>;
}
