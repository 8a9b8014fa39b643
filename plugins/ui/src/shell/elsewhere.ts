/** Commands of `cli` that a browser cannot run, and what to do instead. */

const files = 'it needs files of your machine';

/** By name; commands of `fs` by their last word, too. */
const ownCommands: Readonly<Record<string, string>> = {
  'fs upload': `${files}; drop them on the Data view instead`,
  'fs download': `${files}; the Data view downloads files and folders, too`,
  'refs-dump': files,
  'refs-restore': files,
  config: 'it writes the configuration of your machine, and the page is logged in already',
  login: 'the page is logged in already',
  logout: 'the page has its own button for that',
  whoami: 'the page shows who is logged in',
  completion: 'it is for the shell of your machine; here Tab completes',
  docs: `${files}; help shows the same`,
  'plugin list': 'it looks at the programs of your machine',
  repl: 'this is the shell',
  run: `${files}; paste the lines here instead`,
};

/** What the page says of lines that run elsewhere. */
export class Elsewhere {
  readonly #pluginWords: Readonly<Record<string, string>>;

  /**
   * @param pluginWords first words of commands of plugins that run in `cli` only, with the plugin's name.
   * @param here first words of the commands that the page has: they are never said to be elsewhere.
   */
  constructor(pluginWords: Readonly<Record<string, string>>, here: ReadonlySet<string>) {
    this.#pluginWords = Object.fromEntries(Object.entries(pluginWords).filter(([word]) => !here.has(word)));
  }

  /** @returns why the line runs elsewhere, and where; `undefined` when it names nothing of that kind. */
  reason(line: string): string | undefined {
    const [first = '', second = '', ...rest] = line.trim().split(/\s+/);
    const candidates: readonly (readonly [name: string, words: readonly string[]])[] = [
      [`${first} ${second}`, [first, second, ...rest]],
      [`fs ${first}`, ['fs', first, second, ...rest]],
      [first, [first, second, ...rest]],
    ];
    const found = candidates.find(([name]) => Object.hasOwn(ownCommands, name));
    if (found) return `${found[0]} does not run in the page: ${ownCommands[found[0]] ?? ''}. ${inTerminal(found[1])}`;
    if (!Object.hasOwn(this.#pluginWords, first)) return undefined;
    const plugin = this.#pluginWords[first] ?? first;
    return `${first} does not run in the page: plugin ${plugin} brings it for cli, where there are files and programs. ${inTerminal([first, second, ...rest])}`;
  }

  has(word: string): boolean {
    return (
      Object.hasOwn(this.#pluginWords, word) ||
      Object.keys(ownCommands).some(name => name === word || name === `fs ${word}` || name.startsWith(`${word} `))
    );
  }

  /** For help. */
  get names(): readonly string[] {
    return [...Object.keys(ownCommands).filter(name => name !== 'repl'), ...Object.keys(this.#pluginWords)].sort();
  }
}

const inTerminal = (words: readonly string[]): string => `In a terminal: cli ${words.filter(word => word !== '').join(' ')}`;
