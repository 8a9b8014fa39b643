/** Second names of commands, for users who know them from elsewhere. */
import type { Command } from '@srv/lib-commands';

const aliases: Readonly<Record<string, string>> = {
  blame: 'annotate',
};

/** The commands, and those of them that have a second name once more under it, left out of the help. */
export function withAliases(commands: readonly Command[]): readonly Command[] {
  const seconds = Object.entries(aliases).map(([alias, name]) => {
    const command = commands.find(c => c.name === name);
    if (!command) throw new Error(`alias ${alias}: there is no command ${name}`);
    const examples = command.examples?.map(line => line.replace(`cli ${name}`, `cli ${alias}`)) ?? [];
    return { ...command, name: alias, summary: `Same as ${name}`, examples, hidden: true };
  });
  return [...commands, ...seconds];
}
