/** JSON schemas of fields in the forms that generators of clients understand. */
import type { Field } from '@srv/lib-api';

type Json = Record<string, unknown>;

/** The key under which joi puts the values of a map. */
const anyName = '.*';

/** Draft 2020-12, as OpenAPI 3.1 wants it. */
export function jsonSchema(field: Field): Json {
  return simplify(field['~standard'].jsonSchema.input({ target: 'draft-2020-12' }));
}

/** Records are open: unknown fields are dropped on the way in and may appear on the way out. */
function simplify({ additionalProperties: _, patternProperties, properties, items, ...rest }: Json): Json {
  const values = isJson(patternProperties) ? patternProperties[anyName] : undefined;
  return {
    ...rest,
    ...(isJson(values) ? { additionalProperties: simplify(values) } : {}),
    ...(isJson(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, schema]) => [name, isJson(schema) ? simplify(schema) : schema]),
          ),
        }
      : {}),
    ...(isJson(items) ? { items: simplify(items) } : {}),
  };
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
