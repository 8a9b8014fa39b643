/** Properties of a Lua hook in its action file. */
import type { HookProperties } from '@srv/lib-api/hook-types';

export interface LuaProperties {
  /** Source; takes precedence over {@link scriptPath}. Empty: not given. */
  readonly script: string;
  /** Where the source is in the repository. */
  readonly scriptPath: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Milliseconds; `undefined`: the usual limit. */
  readonly timeout: number | undefined;
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

export const luaProperties: HookProperties<LuaProperties> = {
  validate(properties) {
    try {
      return { value: read(properties) };
    } catch (error) {
      return { error: error as Error };
    }
  },
};

function read(properties: unknown): LuaProperties {
  const given = isMap(properties) ? properties : {};
  if (isAbsent(given['script']) && isAbsent(given['script_path']))
    throw new Error("'script' or 'script_path' must be supplied in properties");
  const { args } = given;
  if (!isAbsent(args) && !isMap(args)) throw new Error("'args' should be a map: wrong value type");
  const script = textOf(given, 'script');
  const scriptPath = textOf(given, 'script_path');
  if (script === '' && scriptPath === '') throw new Error("'script' or 'script_path' must be supplied: wrong value type");
  return { script, scriptPath, args: isMap(args) ? args : {}, timeout: duration(given['timeout']) };
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(given: Readonly<Record<string, unknown>>, name: string): string {
  const value = given[name];
  if (isAbsent(value)) return '';
  if (typeof value !== 'string') throw new Error(`value of ${name} is not of type string: wrong value type`);
  return value;
}

/** Such as `90s` or `1h30m`. */
function duration(value: unknown): number | undefined {
  if (isAbsent(value) || value === '') return undefined;
  const text = String(value);
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/gy)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text)
    throw new Error(`timeout: ${JSON.stringify(text)} is not a duration; write 90s, 10m or 1h30m`);
  return parts.reduce((sum, [, number, unit]) => sum + Number(number) * (units[unit ?? ''] ?? 0), 0);
}
