/**
 * `npm run lint`: the formatter, which only reports, the linters, and a search for files, exports and dependencies that nothing
 * uses. `npm run format [-- path]…`: the formatter, which sorts imports as well. Installs them when they are missing.
 */
import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { installPackages } from './installed-packages.js';
import { repositoryRoot } from './repository-root.js';

const folder = join(repositoryRoot, 'scripts', 'lint');
const programs = join(folder, 'node_modules', '.bin');

const [mode, ...paths] = process.argv.slice(2);
const commands =
  mode === 'format'
    ? [['biome', 'check', '--write', '--linter-enabled=false', ...(paths.length > 0 ? paths : ['.'])]]
    : [
        ['biome', 'check', '--linter-enabled=false', '--enforce-assist=true', '.'],
        ['biome', 'lint', '.'],
        ['oxlint', '--type-aware'],
        ['knip', '--config', join(folder, 'knip.js'), '--no-config-hints'],
      ];

const missing = await installPackages({ title: 'the linters', folder }, text => process.stdout.write(text));
process.exitCode = missing === undefined && commands.every(succeeds) ? 0 : 1;

function succeeds([program = '', ...args]: readonly string[]): boolean {
  // One linter starts another, which it finds by the path.
  const env = { ...process.env, PATH: [programs, process.env['PATH'] ?? ''].join(delimiter) };
  const { status, error } = spawnSync(program, args, { cwd: repositoryRoot, env, stdio: 'inherit', shell: process.platform === 'win32' });
  if (error) process.stderr.write(`${program}: ${error.message}\n`);
  return status === 0;
}
