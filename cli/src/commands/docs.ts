import { writeFile } from 'node:fs/promises';
import { globalOptions } from '@srv/engine/shell';
import { defineCommand } from '@srv/lib-commands';
import type { Command, CommandOption } from '@srv/lib-commands';

export const docs = defineCommand({
  name: 'docs',
  localEffects: true,
  summary: 'Write the reference of all commands as Markdown',
  examples: ['cli docs', 'cli docs reference.md'],
  hidden: true,
  arguments: [{ name: 'outfile', description: 'file to write; default: standard output' }],
  async run({ commands }, { args: [file] }) {
    const text = reference(commands.list().map(({ command }) => command));
    if (file === undefined || file === '-') return text;
    await writeFile(file, text);
    return undefined;
  },
  render: text => text ?? '',
});

/** Every command, plumbing last. */
export function reference(commands: readonly Command[]): string {
  const sorted = [...commands].sort((a, b) => (a.name < b.name ? -1 : 1));
  const [shown, plumbing] = [sorted.filter(c => !c.hidden), sorted.filter(c => c.hidden)];
  return [
    '# cli reference\n',
    'Options of every command:\n',
    optionTable(globalOptions),
    ...shown.map(describe),
    '---\n\n## Plumbing\n',
    'These commands serve scripts and the curious; they are left out of the help.\n',
    ...plumbing.map(describe),
  ].join('\n');
}

function describe({ name, summary, description, arguments: parameters = [], options = [], examples = [] }: Command): string {
  const usage = [
    'cli',
    name,
    ...parameters.map(p => (p.required ? `<${p.name}>` : `[${p.name}]`) + (p.variadic ? '...' : '')),
    '[options]',
  ].join(' ');
  const shown = options.filter(o => !o.hidden);
  return [
    `### cli ${name}\n`,
    `${summary}\n`,
    ...(description && description !== summary ? [`${description}\n`] : []),
    `\`\`\`\n${usage}\n\`\`\`\n`,
    ...(examples.length > 0 ? [`Examples:\n\n\`\`\`\n${examples.join('\n')}\n\`\`\`\n`] : []),
    ...(shown.length > 0 ? [optionTable(shown)] : []),
  ].join('\n');
}

function optionTable(options: readonly CommandOption[]): string {
  const rows = options.map(
    ({ name, short, type, default: preset, description }) =>
      `| \`${short ? `-${short}, ` : ''}--${name}\` | ${type} | ${preset === undefined || preset === '' ? '-' : `\`${String(preset)}\``} | ${description.replaceAll('|', '\\|')} |`,
  );
  return ['| Option | Type | Default | Meaning |', '|---|---|---|---|', ...rows, ''].join('\n');
}
