/** The version both programs report. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from './places.js';

export function version(): string {
  const json = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as { version: string };
  return json.version;
}
