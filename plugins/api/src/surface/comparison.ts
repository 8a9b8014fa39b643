/** Compares the served document with what clients of the original were written against. */

/** The form of a JSON value: names of types, lists, maps and records. */
type Shape = string | { readonly list: Shape } | { readonly map: Shape } | RecordShape;
interface RecordShape {
  readonly fields: Readonly<Record<string, Shape>>;
  readonly required: readonly string[];
}

/** What a client relies on in one operation. */
interface KnownOperation {
  readonly method: string;
  readonly path: string;
  /** `<place>:<name>` → whether it is required. */
  readonly parameters: Readonly<Record<string, boolean>>;
  /** Of success. */
  readonly status: number;
  readonly body?: Shape | undefined;
  readonly result?: Shape | undefined;
}

/** Operations by their ids. */
export type Surface = Readonly<Record<string, KnownOperation>>;

export interface Difference {
  /** `added`: clients do not know it and lose nothing by it. */
  readonly kind: 'missing' | 'changed' | 'added';
  /** Says what differs; stable, so that a list of known ones can name it. */
  readonly text: string;
}

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
}
interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}
interface DescribedOperation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}
/** The parts of an OpenAPI document that are compared. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
}

/** The facts of a document in the form they are kept in. */
export function surfaceOf({ paths }: ApiDocument): Surface {
  return Object.fromEntries(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [operation.operationId, knownOperation(method.toUpperCase(), path, operation)]),
    ),
  );
}

/** Every difference of `found` from `known`, in the order of operation ids. */
export function compareSurfaces(known: Surface, found: Surface): Difference[] {
  const ids = [...new Set([...Object.keys(known), ...Object.keys(found)])].sort();
  return ids.flatMap((id): Difference[] => {
    const [before, now] = [known[id], found[id]];
    if (!now) return [{ kind: 'missing', text: `${id}: no such operation` }];
    if (!before) return [{ kind: 'added', text: `${id}: operation` }];
    return compareOperations(id, before, now);
  });
}

function compareOperations(id: string, known: KnownOperation, found: KnownOperation): Difference[] {
  const changed = (what: string, before: unknown, now: unknown): Difference[] =>
    before === now ? [] : [{ kind: 'changed', text: `${id}: ${what} ${String(before)} is ${String(now)}` }];
  return [
    ...changed('place', `${known.method} ${known.path}`, `${found.method} ${found.path}`),
    ...changed('status', known.status, found.status),
    ...compareParameters(id, known.parameters, found.parameters),
    ...compareShapes(`${id}: body`, known.body, found.body, 'sent'),
    ...compareShapes(`${id}: result`, known.result, found.result, 'received'),
  ];
}

function compareParameters(id: string, known: KnownOperation['parameters'], found: KnownOperation['parameters']): Difference[] {
  const names = [...new Set([...Object.keys(known), ...Object.keys(found)])].sort();
  return names.flatMap((name): Difference[] => {
    const [before, now] = [known[name], found[name]];
    const text = `${id}: parameter ${name}`;
    if (now === undefined) return [{ kind: 'missing', text: `${text}: not known` }];
    if (before === undefined) return [{ kind: now ? 'changed' : 'added', text: now ? `${text}: new and required` : text }];
    return before === now ? [] : [{ kind: 'changed', text: `${text}: ${now ? 'became required' : 'is no longer required'}` }];
  });
}

function compareShapes(where: string, known: Shape | undefined, found: Shape | undefined, direction: 'sent' | 'received'): Difference[] {
  if (known === undefined) return found === undefined ? [] : [{ kind: 'added', text: where }];
  if (found === undefined) return [{ kind: 'missing', text: `${where}: none` }];
  if (isRecord(known) && isRecord(found)) return compareRecords(where, known, found, direction);
  if (typeof known === 'object' && typeof found === 'object') {
    if ('list' in known && 'list' in found) return compareShapes(`${where}[]`, known.list, found.list, direction);
    if ('map' in known && 'map' in found) return compareShapes(`${where}{}`, known.map, found.map, direction);
  }
  return known === found ? [] : [{ kind: 'changed', text: `${where}: ${kindOf(known)} is ${kindOf(found)}` }];
}

function compareRecords(where: string, known: RecordShape, found: RecordShape, direction: 'sent' | 'received'): Difference[] {
  const names = [...new Set([...Object.keys(known.fields), ...Object.keys(found.fields)])].sort();
  return names.flatMap((name): Difference[] => {
    const text = `${where}.${name}`;
    const [before, now] = [known.required.includes(name), found.required.includes(name)];
    if (!Object.hasOwn(found.fields, name)) return [{ kind: 'missing', text: `${text}: not known` }];
    if (!Object.hasOwn(known.fields, name)) {
      // A client that does not know a field cannot send it, and does not mind receiving it.
      return direction === 'sent' && now ? [{ kind: 'changed', text: `${text}: new and required` }] : [{ kind: 'added', text }];
    }
    const presence: Difference[] =
      before === now ? [] : [{ kind: 'changed', text: `${text}: ${now ? 'became required' : 'is no longer required'}` }];
    return [...presence, ...compareShapes(text, known.fields[name], found.fields[name], direction)];
  });
}

function isRecord(shape: Shape): shape is RecordShape {
  return typeof shape === 'object' && 'fields' in shape;
}

function kindOf(shape: Shape): string {
  return typeof shape === 'string' ? shape : isRecord(shape) ? 'record' : 'list' in shape ? 'list' : 'map';
}

function knownOperation(method: string, path: string, { parameters, requestBody, responses }: DescribedOperation): KnownOperation {
  const status =
    Object.keys(responses)
      .map(Number)
      .find(code => code >= 200 && code < 300) ?? 0;
  const body = requestBody?.content?.['application/json'];
  const result = responses[String(status)]?.content?.['application/json'];
  return {
    method,
    path,
    parameters: Object.fromEntries(parameters.map(p => [`${p.in}:${p.name}`, p.required])),
    status,
    body: body && shapeOf(body.schema),
    result: result && shapeOf(result.schema),
  };
}

function shapeOf(schema: Schema): Shape {
  if (schema.properties) {
    const fields = Object.fromEntries(Object.entries(schema.properties).map(([name, field]) => [name, shapeOf(field)]));
    return { fields, required: schema.required ?? [] };
  }
  if (schema.type === 'array') return { list: shapeOf(schema.items ?? {}) };
  if (typeof schema.additionalProperties === 'object') return { map: shapeOf(schema.additionalProperties) };
  return schema.type ?? 'any';
}
