/** What a line for `sh` sees of the variables of a script. */
import type { Variables } from './line.js';

/** The variables that a line for `sh` names, for its environment, which wins. */
export function variablesOf(line: string, variables: Variables): Record<string, string> {
  const names = [...line.matchAll(/\$\{?([A-Za-z_]\w*)/g)].map(([, name = '']) => name);
  return Object.fromEntries(names.map(name => [name, variables(name)]).filter((pair): pair is [string, string] => pair[1] !== undefined));
}

/** `$1`, `$2`, … of the script. */
export function argumentsOf(variables: Variables): string[] {
  const found: string[] = [];
  for (let value = variables('1'); value !== undefined; value = variables(String(found.length + 1))) found.push(value);
  return found;
}
