/** The README of a new plugin, with the sections every plugin's README has. */

import { keyPrefix } from './source-files.js';
import type { PluginLocation } from './place.js';

export function readmeFile(name: string, place: PluginLocation): string {
  return `# ${name}

Logs how many commits each repository got since the server started. It came from \`srv plugin new\`: replace what it does.

## Keys

| Key | Default | Meaning |
|---|---|---|
| \`${keyPrefix(name)}.every\` | 1 | Number of commits of a repository between two lines in the log |

## Hooks

Taps \`start\` and \`event.for('post-commit')\`; its command-line part taps \`commands\`.

## Commands

| Command | Does |
|---|---|
| \`cli ${name} hello NAME\` | greets |

## Build and test

\`\`\`
${buildSteps(name, place).join('\n')}
\`\`\`
`;
}

/** Typed at the root of the workspace, or in the package's own folder. */
export function buildSteps(name: string, { workspace }: PluginLocation): string[] {
  return workspace === undefined ? ['npm install', 'npm test'] : ['npx tsc -b', `npm test -- --only plugins/${name}/`];
}
