/** What is to be drawn of a GeoJSON document (RFC 7946): shapes on a plane, and the facts of each feature. */
import { ownValue } from '@srv/lib-page/model';

/** Longitude and latitude in degrees. */
interface Bounds {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** Paths of SVG. */
export interface Drawing {
  readonly areas: string;
  readonly lines: string;
  readonly points: string;
  readonly width: number;
  readonly height: number;
  /** Longitudes. */
  readonly x: Axis;
  /** Latitudes. */
  readonly y: Axis;
}

/** Between degrees and units of the drawing. */
interface Axis {
  at(degrees: number): number;
  degrees(at: number): number;
}

export interface GeoDocument {
  readonly geometries: readonly Geometry[];
  /** Of each feature. */
  readonly properties: readonly Readonly<Record<string, unknown>>[];
}

interface Geometry {
  readonly kind: 'points' | 'lines' | 'areas';
  /** For points a single list. */
  readonly rings: readonly (readonly Position[])[];
}

type Position = readonly [longitude: number, latitude: number];

/** Units of the longer side. */
const side = 1000;
/** Steps shorter than this are left out: they are not visible. */
const finest = 0.1;
/** Collections within collections. */
const deepest = 8;

/** `undefined` for JSON that is not GeoJSON. */
export function readGeoJson(value: unknown): GeoDocument | undefined {
  const document = asRecord(value);
  const features = document?.['type'] === 'FeatureCollection' ? document['features'] : [value];
  if (!document || !Array.isArray(features)) return undefined;
  const geometries: Geometry[] = [];
  const properties: Readonly<Record<string, unknown>>[] = [];
  for (const feature of features.map(asRecord)) {
    if (!feature) continue;
    const isFeature = feature['type'] === 'Feature';
    if (isFeature) properties.push(asRecord(feature['properties']) ?? {});
    addGeometry(isFeature ? feature['geometry'] : feature, geometries, 0);
  }
  return geometries.length + properties.length === 0 && document['type'] !== 'FeatureCollection' ? undefined : { geometries, properties };
}

/** The facts as a table; columns are of the first thousand features. */
export function factsTable(properties: GeoDocument['properties']) {
  const columns = [...new Set(properties.slice(0, 1000).flatMap(Object.keys))];
  return { columns, rows: properties.map(facts => columns.map(column => ownValue(facts, column))) };
}

function addGeometry(value: unknown, found: Geometry[], depth: number): void {
  const geometry = asRecord(value);
  if (!geometry || depth > deepest) return;
  const { type, coordinates, geometries } = geometry;
  if (type === 'GeometryCollection' && Array.isArray(geometries)) for (const inner of geometries) addGeometry(inner, found, depth + 1);
  const lists = typeof type === 'string' ? ownValue(shapes, type)?.(coordinates) : undefined;
  if (!lists) return;
  const rings = lists.rings.map(positions).filter(ring => ring.length > 0);
  if (rings.length > 0) found.push({ kind: lists.kind, rings });
}

interface Lists {
  readonly kind: Geometry['kind'];
  readonly rings: readonly unknown[];
}

const shapes: Readonly<Record<string, (coordinates: unknown) => Lists>> = {
  Point: coordinates => ({ kind: 'points', rings: [[coordinates]] }),
  MultiPoint: coordinates => ({ kind: 'points', rings: [coordinates] }),
  LineString: coordinates => ({ kind: 'lines', rings: [coordinates] }),
  MultiLineString: coordinates => ({ kind: 'lines', rings: asList(coordinates) }),
  Polygon: coordinates => ({ kind: 'areas', rings: asList(coordinates) }),
  MultiPolygon: coordinates => ({ kind: 'areas', rings: asList(coordinates).flatMap(asList) }),
};

/** Fits everything into the drawing; `undefined` without a position. A degree of longitude is as long as it is there. */
export function drawGeometries(geometries: readonly Geometry[]): Drawing | undefined {
  const bounds = boundsOf(geometries);
  if (!bounds) return undefined;
  const { west, south, east, north } = bounds;
  const shrink = Math.max(0.05, Math.cos((((south + north) / 2) * Math.PI) / 180));
  const scale = side / Math.max((east - west) * shrink, north - south);
  const x: Axis = { at: degrees => (degrees - west) * shrink * scale, degrees: at => west + at / shrink / scale };
  const y: Axis = { at: degrees => (north - degrees) * scale, degrees: at => north - at / scale };
  const paths = { areas: [] as string[], lines: [] as string[], points: [] as string[] };
  for (const { kind, rings } of geometries)
    for (const ring of rings) paths[kind].push(kind === 'points' ? dots(ring, x, y) : line(ring, x, y, kind === 'areas'));
  return {
    areas: paths.areas.join(''),
    lines: paths.lines.join(''),
    points: paths.points.join(''),
    width: x.at(east),
    height: y.at(south),
    x,
    y,
  };
}

function line(ring: readonly Position[], x: Axis, y: Axis, closed: boolean): string {
  const steps: string[] = [];
  let [lastX, lastY] = [Number.POSITIVE_INFINITY, 0];
  for (const [i, [longitude, latitude]] of ring.entries()) {
    const [atX, atY] = [x.at(longitude), y.at(latitude)];
    if (i > 0 && i < ring.length - 1 && Math.abs(atX - lastX) < finest && Math.abs(atY - lastY) < finest) continue;
    steps.push(`${i === 0 ? 'M' : 'L'}${written(atX)} ${written(atY)}`);
    [lastX, lastY] = [atX, atY];
  }
  return steps.join('') + (closed ? 'Z' : '');
}

/** Lines of no length: with round ends they are dots of any size. */
function dots(ring: readonly Position[], x: Axis, y: Axis): string {
  return ring.map(([longitude, latitude]) => `M${written(x.at(longitude))} ${written(y.at(latitude))}h0`).join('');
}

const written = (value: number): string => String(Math.round(value * 10) / 10);

/** With a margin, and never without an extent. */
function boundsOf(geometries: readonly Geometry[]): Bounds | undefined {
  let [west, south, east, north] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { rings } of geometries)
    for (const ring of rings)
      for (const [longitude, latitude] of ring) {
        west = Math.min(west, longitude);
        east = Math.max(east, longitude);
        south = Math.min(south, latitude);
        north = Math.max(north, latitude);
      }
  if (west > east) return undefined;
  const margin = Math.max(0.001, (east - west) * 0.04, (north - south) * 0.04);
  return { west: west - margin, south: south - margin, east: east + margin, north: north + margin };
}

/** Degrees at which lines of a net stand, few enough to read: `from` and `to` lie outside or on the first and last. */
export function netLines(from: number, to: number): readonly number[] {
  const wanted = (to - from) / 5;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const step = [1, 2, 5, 10].map(factor => factor * power).find(candidate => candidate >= wanted) ?? wanted;
  const first = Math.ceil(from / step);
  return Array.from({ length: Math.max(0, Math.floor(to / step) - first + 1) }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

function positions(list: unknown): readonly Position[] {
  return asList(list).flatMap(value => {
    const [longitude, latitude]: readonly unknown[] = asList(value);
    return isDegrees(longitude, 540) && isDegrees(latitude, 90) ? [[longitude, latitude] as const] : [];
  });
}

/** Beyond 180° a shape continues across the date line. */
function isDegrees(value: unknown, most: number): value is number {
  return typeof value === 'number' && Math.abs(value) <= most;
}

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : []);

function asRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
}
