/** GeoJSON as shapes over a net of degrees, with the facts of its features below. No map is fetched from anywhere. */

import { Alert, Button, With, shownName, sizeText, useAsync } from '@srv/lib-page/page';
import { useMemo, useState } from 'preact/hooks';
import { drawGeometries, factsTable, netLines, readGeoJson } from '../../../src/model/geojson.js';
import { decoded, readHead } from '../../core/content.js';
import { DataTable } from './data-table.js';
import type { ShownObject } from '@srv/lib-page/page';
import type { Drawing, GeoDocument } from '../../../src/model/geojson.js';

const most = 8 * 2 ** 20;
const largestZoom = 64;

export function MapView({ object }: { readonly object: ShownObject }) {
  const document = useAsync(
    async signal => {
      if (object.size > most) throw new Error(`Maps are drawn up to ${sizeText(most)}.`);
      const found = readGeoJson(JSON.parse(decoded(await readHead(object, most, signal))));
      if (!found) throw new Error('This is not GeoJSON.');
      return found;
    },
    [object.url],
  );
  return <With answer={document}>{found => <Drawn document={found} name={shownName(object.path)} />}</With>;
}

function Drawn({ document: { geometries, properties }, name }: { readonly document: GeoDocument; readonly name: string }) {
  const drawing = useMemo(() => drawGeometries(geometries), [geometries]);
  const { columns, rows } = useMemo(() => factsTable(properties), [properties]);
  return (
    <>
      {drawing ? <Sheet drawing={drawing} name={name} /> : <Alert kind="note">No feature has a place.</Alert>}
      {columns.length > 0 && <DataTable columns={columns.map(column => ({ name: column }))} rows={rows} whole />}
    </>
  );
}

interface View {
  /** 1: all of it. */
  readonly zoom: number;
  /** Of what is seen, in units of the drawing. */
  readonly centre: readonly [x: number, y: number];
}

function Sheet({ drawing, name }: { readonly drawing: Drawing; readonly name: string }) {
  const { width, height, x, y } = drawing;
  const whole: View = { zoom: 1, centre: [width / 2, height / 2] };
  const [{ zoom, centre }, setView] = useState(whole);
  const [left, top] = [centre[0] - width / zoom / 2, centre[1] - height / zoom / 2];
  const move = (dx: number, dy: number): void =>
    setView({ zoom, centre: [centre[0] + (dx * width) / zoom / 5, centre[1] + (dy * height) / zoom / 5] });
  const steps: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => move(-1, 0),
    ArrowRight: () => move(1, 0),
    ArrowUp: () => move(0, -1),
    ArrowDown: () => move(0, 1),
    '+': () => setView({ zoom: Math.min(largestZoom, zoom * 2), centre }),
    '-': () => setView(zoom > 2 ? { zoom: zoom / 2, centre } : whole),
    '0': () => setView(whole),
  };
  const longitudes = netLines(x.degrees(left), x.degrees(left + width / zoom));
  const latitudes = netLines(y.degrees(top + height / zoom), y.degrees(top));
  return (
    <div
      class="map"
      role="application"
      aria-label={`Map of ${name}: arrow keys move, + and - zoom`}
      tabIndex={0}
      onKeyDown={event => {
        const step = event.ctrlKey || event.metaKey || event.altKey ? undefined : steps[event.key];
        if (!step) return;
        event.preventDefault();
        event.stopPropagation();
        step();
      }}
    >
      <svg viewBox={`${left} ${top} ${width / zoom} ${height / zoom}`} role="img" aria-label={`Shapes of ${name}`}>
        <path class="map-net" d={longitudes.map(degrees => `M${x.at(degrees)} ${-9 * height}V${10 * height}`).join('')} />
        <path class="map-net" d={latitudes.map(degrees => `M${-9 * width} ${y.at(degrees)}H${10 * width}`).join('')} />
        <path class="map-area" d={drawing.areas} />
        <path class="map-line" d={drawing.lines} />
        <path class="map-point" d={drawing.points} />
      </svg>
      <div class="map-foot">
        <span class="muted small">
          Lines: {span(longitudes, 'E', 'W')}, {span(latitudes, 'N', 'S')}
        </span>
        <span class="group">
          <Button kind="plain" label="Zoom in" off={zoom >= largestZoom && 'this is as near as it gets'} onClick={steps['+'] ?? noStep}>
            +
          </Button>
          <Button kind="plain" label="Zoom out" off={zoom === 1 && 'everything is seen'} onClick={steps['-'] ?? noStep}>
            −
          </Button>
          <Button kind="plain" off={zoom === 1 && 'everything is seen'} onClick={() => setView(whole)}>
            Whole
          </Button>
        </span>
      </div>
    </div>
  );
}

const noStep = (): void => undefined;

/** First and last line of the net that are seen. */
function span(lines: readonly number[], positive: string, negative: string): string {
  const text = (degrees: number): string => `${Math.abs(degrees)}°${degrees === 0 ? '' : degrees > 0 ? positive : negative}`;
  const [first, last] = [lines[0], lines.at(-1)];
  return first === undefined || last === undefined ? '' : first === last ? text(first) : `${text(first)} to ${text(last)}`;
}
