/** Boxes that page parts put in a place. */
import { panels } from '../core/registry.js';
import { Boundary } from './boundary.js';
import type { Panel, RepositoryPlace } from '../core/registry.js';

export function Panels({ place, at }: { readonly place: Panel['place']; readonly at: RepositoryPlace }) {
  return (
    <>
      {panels.value
        .filter(panel => panel.place === place)
        .map(panel => (
          <section class="card gap" key={panel.id} aria-label={panel.title}>
            <div class="card-head">
              <h2>{panel.title}</h2>
            </div>
            <Boundary of={`${at.repository} ${at.ref}`}>{panel.render(at)}</Boundary>
          </section>
        ))}
    </>
  );
}
