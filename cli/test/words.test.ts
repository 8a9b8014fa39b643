/** Packages whose commands have other first words are not loaded: what they declare must be true. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommandTable, groupSummaries } from '@srv/engine/shell';
import { pluginPlaces } from '../src/places.js';
import { findManifests, loadPluginPackages } from '../src/plugins/plugin-packages.js';
import { loadCommands } from '../src/run.js';

const places = { ...pluginPlaces(), paths: [] };

test('every package of ours declares the first words of its commands, and no others', async () => {
  const { hooks } = await loadPluginPackages(places);
  const table = new CommandTable();
  hooks.commands.call(table);
  const { manifests } = findManifests(places);
  const offered = new Map<string, Set<string>>();
  for (const { command, plugin } of table.list()) {
    const words = offered.get(plugin) ?? new Set();
    offered.set(plugin, words.add(command.name.split(' ')[0] ?? ''));
  }
  for (const { name, commands: words, entries } of manifests) {
    if (entries.cli === undefined) continue;
    assert.ok(words, `${name} declares no commands`);
    const own = offered.get(name);
    if (own) assert.deepEqual([...own].sort(), [...words].sort(), name);
  }
});

test('a command loads its own package only; an unknown word loads them all', async () => {
  const first = (table: CommandTable): string[] => [...table.firstWords()];
  assert.ok(first(await loadCommands('auth')).includes('auth'));
  assert.ok(!first(await loadCommands('auth')).includes('gc'));
  assert.ok(!first(await loadCommands('fs')).includes('gc'));
  for (const word of [undefined, 'help', 'repl', 'athu']) {
    const words = first(await loadCommands(word));
    for (const expected of ['auth', 'gc', 'import', 'actions']) assert.ok(words.includes(expected), `${word} ${expected}`);
  }
});

test('every group of commands says what it is for', async () => {
  const table = await loadCommands();
  const names = table.list().map(({ command }) => command.name);
  const groups = new Set(names.flatMap(name => name.split(' ').map((_, index, words) => words.slice(0, index).join(' '))));
  groups.delete('');
  assert.ok(groups.size > 20);
  for (const group of groups) assert.ok(groupSummaries[group] !== undefined || names.includes(group), group);
});
