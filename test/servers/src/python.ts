/** Python programs of others, where they are installed. */
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A Python that can import `modules`: `SRV_TEST_PYTHON`, or `python3`. `undefined` if there is no such Python. */
export function findPython(...modules: string[]): string | undefined {
  const program = process.env.SRV_TEST_PYTHON ?? 'python3';
  const { status } = spawnSync(program, ['-c', modules.map(name => `import ${name}`).join('\n')], { stdio: 'ignore', timeout: 60_000 });
  return status === 0 ? program : undefined;
}

/** @returns standard output. @throws Error with everything it printed when it fails, or takes longer than two minutes. */
export async function runPython(python: string, args: readonly string[], cwd?: string): Promise<string> {
  try {
    // Own configuration files of these programs must not matter.
    const env = { PATH: process.env.PATH, HOME: '/nonexistent', PYTHONDONTWRITEBYTECODE: '1' };
    const { stdout } = await run(python, args, {
      env,
      timeout: 120_000,
      maxBuffer: 64 * 1024 * 1024,
      ...(cwd === undefined ? {} : { cwd }),
    });
    return stdout;
  } catch (error) {
    const { stdout = '', stderr = '', message = '' } = error as { stdout?: string; stderr?: string; message?: string };
    throw new Error(`${message}\n${stdout}\n${stderr}`.slice(-8000), { cause: error });
  }
}
