/** Modules of Node.js that a browser lacks. They can be imported; calling one of their functions throws an error that says why. */

const reasons: Readonly<Record<string, string>> = {
  fs: 'files of your machine cannot be read or written from the page',
  'fs/promises': 'files of your machine cannot be read or written from the page',
  child_process: 'programs of your machine cannot be run from the page',
};

/** @param name such as `fs/promises`. */
export function absent(name: string): object {
  const fail = (): never => {
    throw new Error(
      `${reasons[name] ?? `this needs what only a program on your machine has (${name})`}: run the command with cli in a terminal`,
    );
  };
  return new Proxy(fail, { get: (_, member) => (member === 'then' || typeof member === 'symbol' ? undefined : fail) });
}
