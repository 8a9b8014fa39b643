/** The `resource` of a statement: one pattern, or a JSON array of patterns inside the text. */

/** @throws Error when text that looks like an array is not one. */
export function resourcePatterns(resource: string): readonly string[] {
  if (!resource.startsWith('[') || !resource.endsWith(']')) return [resource];
  const parsed: unknown = JSON.parse(resource);
  if (!Array.isArray(parsed) || !parsed.every(item => typeof item === 'string'))
    throw new Error('the resource list must contain only text');
  return parsed;
}
