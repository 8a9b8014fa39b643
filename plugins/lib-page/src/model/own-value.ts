/** The value of a name that people make up: `constructor` is a name like any other, and not what every object inherits. */
export function ownValue<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
